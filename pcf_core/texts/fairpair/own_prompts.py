"""The user's own prompts for FairPair: TOML files in the folder ``prompts`` of the cache."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pcf_core.core.errors import PromptError
from pcf_core.material.own_files import OwnFiles, toml_lines
from pcf_core.material.safety.text import listed
from pcf_core.material.safety.whole_files import upload_label
from pcf_core.material.shelves import MOST_NAMED
from pcf_core.texts.fairpair.prompts import NAME, SHELF, Draft, load_prompts, load_upload, make_prompts
from pcf_core.texts.fairpair.records import PromptSet


def with_braces(text: str, name: str) -> str:
    """Put ``{name}`` wherever the entity's name stands as a word: "John's" -> "{name}'s"."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", NAME, text)


def checked_prompts(prompts: PromptSet) -> PromptSet:
    """Return the set normalised; prompts of a frame become prompts like any other.

    Raises
    ------
    PromptError
        :func:`~pcf_core.texts.fairpair.prompts.make_prompts` refuses it.
    """
    name = prompts.names[0]
    drafts = [Draft(with_braces(prompt.text, name), prompt.category) for prompt in prompts.prompts]
    texts = {name: getattr(prompts, name) for name in ("title", "version", "source", "notes")}
    return make_prompts(prompts.name, drafts, prompts.names, where="The prompts to save", **texts)


def prompts_toml(prompts: PromptSet) -> str:
    """Write a set as TOML; :func:`~pcf_core.texts.fairpair.prompts.load_prompts` reads the same set."""
    facts = prompts.model_dump(mode="json", exclude={"prompts", "left_out"})
    several = [
        {"text": with_braces(prompt.text, prompts.names[0]), "category": prompt.category}
        for prompt in prompts.prompts
    ]
    return "\n".join([toml_lines(facts), *(f"[[prompts]]\n{toml_lines(each)}" for each in several)])


def load_prompts_upload(files: Sequence[tuple[str, bytes]]) -> PromptSet:
    """Load a set from an uploaded file, its name and content; nothing of it is kept.

    Raises
    ------
    PromptError
        Not one file, or refused by :func:`~pcf_core.texts.fairpair.prompts.load_upload`.
    StoreError
        There is no room for temporary files.
    """
    if len(files) != 1:
        names = [upload_label(name) for name, _ in files]
        raise PromptError(
            f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one, which holds all "
            "prompts."
        )
    return load_upload(*files[0])


OWN = OwnFiles(SHELF, lambda prompts: prompts_toml(prompts).encode(), load_prompts, checked_prompts)
