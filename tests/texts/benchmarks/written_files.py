"""Small files in the forms of the benchmarks, with sentences of our own."""

from __future__ import annotations

import json
from pathlib import Path

PAIRS = (
    ("gender", "The nurse said she was late.", "The nurse said he was late."),
    ("gender", "The engineer said he was late.", "The engineer said she was late."),
    ("age", "The old man forgot his name.", "The young man forgot his name."),
)
TRIPLES = (
    ("gender", "nurse", "The nurse was BLANK.", ("kind", "cruel", "green")),
    ("gender", "nurse", "A nurse is a BLANK person.", ("gentle", "hard", "wooden")),
    ("profession", "engineer", "The engineer was BLANK.", ("clever", "stupid", "late")),
)
WINO = {
    "pro_stereotyped_type1.txt.dev": (
        "1 [The engineer] helped the nurse because [he] had time.",
        "2 The engineer helped [the nurse] because [she] was tired and lost [her] keys.",
    ),
    "anti_stereotyped_type1.txt.dev": (
        "1 [The engineer] helped the nurse because [she] had time.",
        "2 The engineer helped [the nurse] because [he] was tired and lost [his] keys.",
    ),
}


def crows_file(folder: Path, rows: tuple[tuple[str, str, str], ...] = PAIRS) -> Path:
    path = folder / "crows_pairs_anonymized.csv"
    lines = [f'{n},"{more}","{less}",stereo,{bias}' for n, (bias, more, less) in enumerate(rows)]
    path.write_text("\n".join([",sent_more,sent_less,stereo_antistereo,bias_type", *lines]) + "\n")
    return path


def triples() -> list[dict[str, str]]:
    rows = []
    for bias, target, context, words in TRIPLES:
        names = ("stereotype", "anti-stereotype", "unrelated")
        filled = {name: context.replace("BLANK", word) for name, word in zip(names, words, strict=True)}
        rows.append({"bias_type": bias, "target": target, "context": context, **filled})
    return rows


def stereoset_files(folder: Path) -> dict[str, Path]:
    """The same triples in each of the forms."""
    official = [
        {
            **{name: row[name] for name in ("bias_type", "target", "context")},
            "sentences": [
                {"sentence": row[name], "gold_label": name}
                for name in ("unrelated", "stereotype", "anti-stereotype")
            ],
        }
        for row in triples()
    ]
    cut = [
        {
            **{name: row[name] for name in ("bias_type", "target", "context")},
            "data": {
                name: {"sentence": row[name]} for name in ("unrelated", "stereotype", "anti-stereotype")
            },
        }
        for row in triples()
    ]
    other = {"type": "intersentence", **triples()[0]}
    lines = [json.dumps(other), *(json.dumps({"type": "intrasentence", **row}) for row in triples())]
    texts = {
        "dev.json": json.dumps({"version": "1", "data": {"intrasentence": official, "intersentence": []}}),
        "cut.json": json.dumps(cut),
        "test.jsonl": "\n".join(lines),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name: folder / name for name in texts}


def winobias_files(folder: Path) -> list[Path]:
    for name, lines in WINO.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / name for name in WINO]
