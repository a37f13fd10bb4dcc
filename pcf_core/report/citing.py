"""What to cite for a number: the program with its version and the papers of its measures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import ROOT

FILE = ROOT / "CITATION.cff"
RISK_PAPERS = "2402.15481"  # arXiv: Prejudice and Caprice, and its later form Bias and Volatility
FAIRPAIR_PAPER, CRITERIA_PAPER = "2404.06619", "2403.08564"  # arXiv
ENTRIES: Mapping[str, str] = {"article": "article", "conference-paper": "inproceedings"}
PLACES: Mapping[str, str] = {"article": "journal", "inproceedings": "booktitle"}


@cache
def cited(arxiv: str) -> tuple[Mapping[str, Any], ...]:
    """Load the program and the papers of an arXiv number, the program first."""
    import yaml

    try:
        program = yaml.safe_load(FILE.read_text(encoding="utf8"))
        papers = program.pop("references")
        return (program, *(paper for paper in papers if arxiv in _address(paper)))
    except (OSError, ValueError, KeyError, AttributeError, yaml.YAMLError) as error:
        raise SettingsError(f"{FILE.name} is damaged ({error}): restore it from the repository.") from error


def citation_text(arxiv: str) -> str:
    """Write the program and the papers for a list of references, a line each."""
    return "\n".join(map(_line, cited(arxiv)))


def citation_bibtex(arxiv: str) -> str:
    """Write the program and the papers as BibTeX."""
    return "\n\n".join(map(_entry, cited(arxiv)))


def _line(item: Mapping[str, Any]) -> str:
    names = [_short(author) for author in item["authors"]]
    whose = f"{', '.join(names[:-1])} & {names[-1]}" if len(names) > 1 else names[0]
    year = f" ({item['year']})" if "year" in item else ""
    version = f", version {item['version']} [computer program]" if "version" in item else ""
    parts = (f"{whose}{year}", f"{item['title']}{version}", _place(item))
    return " ".join([*(f"{part}." for part in parts if part), _address(item)]).strip()


def _entry(item: Mapping[str, Any]) -> str:
    kind = ENTRIES.get(item["type"], "misc")
    where = _place(item)
    fields = {
        "author": " and ".join(_whole(author) for author in item["authors"]),
        "title": f"{{{item['title']}}}",
        "year": item.get("year"),
        PLACES.get(kind, ""): where,
        "note": f"Version {item['version']}" if "version" in item else "",
        "url": _address(item),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{_key(item)},", *lines, "}"])


def _key(item: Mapping[str, Any]) -> str:
    """Return a citation key: "liu2024prejudice", "pcfaudit"."""
    first, title = item["authors"][0], item["title"].lower()
    if "year" not in item:
        return "".join(title.split())
    return f"{first['family-names'].lower().replace('-', '')}{item['year']}{title.split()[0]}"


def _place(item: Mapping[str, Any]) -> str:
    if "conference" in item:
        return str(item["conference"]["name"])
    number = _address(item).rpartition("/")[2].lower().removeprefix("arxiv.")
    return f"arXiv:{number}" if item["type"] == "article" else ""


def _address(item: Mapping[str, Any]) -> str:
    return f"https://doi.org/{item['doi']}" if "doi" in item else str(item.get("url", ""))


def _short(author: Mapping[str, str]) -> str:
    if "name" in author:
        return author["name"]
    return f"{author['family-names']}, {author['given-names'][0]}."


def _whole(author: Mapping[str, str]) -> str:
    """Write "Liu, Yiran", or an organisation's name in braces, which keep it together."""
    if "name" in author:
        return f"{{{author['name']}}}"
    return f"{author['family-names']}, {author['given-names']}"
