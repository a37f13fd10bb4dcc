"""Where parsers lie, and of which language they are: known without spaCy, and with nothing of them loaded."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from textwrap import shorten

from pcf_core.core.errors import PipelineError
from pcf_core.core.settings import settings
from pcf_core.mining.parser.schemes import READINGS

SHIPPED = "en-mini"
LANGUAGE = re.compile(r"^lang\s*=\s*\"(\w*)\"", re.MULTILINE)  # of the section [nlp] alone


def check_language(name: str, language: str) -> None:
    """Refuse a parser that is here and of another language than a key of ``READINGS``.

    One that is not here may be where the worker is, which says so if not.

    Raises
    ------
    PipelineError
        It reads another language.
    """
    try:
        text = (find(name) / "config.cfg").read_text(encoding="utf8")
    except (PipelineError, OSError, ValueError):
        return
    found = LANGUAGE.search(text)
    if found and found[1] != language:
        raise other_language(name, language, found[1])


def other_language(name: str, language: str, got: object) -> PipelineError:
    """Make the error for a parser of another language than the one that is to be read."""
    reading = READINGS[language]
    return PipelineError(
        f"The parser {name} must be one of {reading.name}, {language!r} (got {got!r}): name another with "
        f"--pipeline or PCF_PIPELINE, such as {reading.example} where it is installed."
    )


def find(name: str) -> Path:
    """Find the folder that holds a parser's ``config.cfg``; nothing is imported.

    Raises
    ------
    PipelineError
        There is none of this name.
    """
    try:
        if name == SHIPPED:
            places = [settings().assets / "pipelines" / SHIPPED]
        else:
            package = package_folder(name) if name.isidentifier() else None
            places = [*filter(None, [package]), Path(name).expanduser()]
        for folder in places:
            if (folder / "config.cfg").is_file():
                return folder
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # no name of a file, a broken package
        pass
    raise PipelineError(
        f"The parser {shorten(name, 120)!r} is not there: name the shipped {SHIPPED}, an installed spaCy "
        "package such as en_core_web_sm, or a folder with spaCy's config.cfg."
    )


def package_folder(name: str) -> Path | None:
    """Return where an installed package keeps its pipeline; None where it is not one of spaCy's kind."""
    spec = importlib.util.find_spec(name)
    for place in (spec and spec.submodule_search_locations) or ():
        about = Path(place) / "meta.json"
        if about.is_file():
            meta = json.loads(about.read_text(encoding="utf8"))
            return about.parent / "{lang}_{name}-{version}".format_map(meta)
    return None
