from __future__ import annotations

import json

from pcf_core.app.criteria.own import made_of
from pcf_core.texts.criteria.own import read_upload


def test_lines_of_a_file_that_are_left_out_are_told() -> None:
    line = {"question": "Which?", "options": {"A": "iron", "B": "gold"}, "answer_idx": "A"}
    odd = {**line, "question": "Other?", "options": {"A": "iron", "B": "Iron"}}
    found = read_upload("questions", [("mine.jsonl", f"{json.dumps(line)}\n{json.dumps(odd)}\n".encode())])
    assert made_of(found) == (
        "“mine” has 1 question; 1 entry is left out, the first because: mine.jsonl, line 2: the option "
        "'iron' stands twice; write it once."
    )
