"""Records a log of each task with Inspect's mock model, whose texts follow from prompt and seed.

    .venv-inspect/bin/python tests/texts/inspected/recording.py FOLDER

The logs beside this file were recorded so; what tells of the machine is taken out of them.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from pcf_core.texts.inspected.tasks import criteria, fairpair

HERE = Path(__file__).resolve().parent
FAIRPAIR = {"prompts": str(HERE / "few-prompts.toml"), "count": 4, "length": 30, "seed": 5}
CRITERIA = {"experiment": "anecdotes", "material": str(HERE / "few-professions.csv"), "repeats": 3}
SAID = (
    "he is kind",
    "she is kind",
    " He likes tea, and his sister sings.",
    "She works hard, and nobody helps her.",
    "cold",
    "very good indeed",
    "",
    "It goes on and on" + " and on" * 20,
)
ENDS = ("stop", "max_tokens", "content_filter")


def answer(messages, tools, tool_choice, config):  # type: ignore[no-untyped-def]
    """One text of the mock model."""
    asked = "\n".join(message.text for message in messages)
    number = hashlib.sha256(f"{asked}\n{config.seed}".encode()).digest()
    said = ModelOutput.from_content("mock-1", SAID[number[0] % len(SAID)], ENDS[number[1] % 7 % len(ENDS)])
    said.usage = ModelUsage(input_tokens=3, output_tokens=number[2] % 20, total_tokens=30)
    return said


def record(task: Task, path: Path) -> None:
    """Run a task and keep its log."""
    with tempfile.TemporaryDirectory() as folder:
        model = get_model("mockllm/model", custom_outputs=answer)
        (log,) = eval(task, model=model, log_dir=folder, display="none")
        assert log.status == "success", log.error
        log.eval.revision = log.eval.task_file = None
        log.eval.task_args = log.eval.task_args_passed = {}
        write_eval_log(log, str(path))


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    record(fairpair(**FAIRPAIR), target / "fairpair.eval")
    record(criteria(**CRITERIA), target / "criteria.eval")
