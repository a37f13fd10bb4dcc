"""Prompts that FairPair has texts written from."""

from __future__ import annotations

from pcf_core.records.base import LeftOut, Record, digest


class Prompt(Record):
    """``text``: with the entity's name in it, "John is a nurse."; ``category``: what it is about.

    ``fact``: what several prompts say in other words, and by which they belong together; the prompt itself
    where it stands alone.
    """

    text: str
    category: str = ""
    fact: str = ""


class PromptSet(Record):
    """``names``: the entity in the prompts, and the one that it is exchanged for.

    ``left_out``: occupations of a list that are in no prompt, and why.
    """

    name: str
    title: str
    version: str
    names: tuple[str, str]
    prompts: tuple[Prompt, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(prompt.text for prompt in self.prompts)

    @property
    def categories(self) -> tuple[str, ...]:
        """In the order in which they first stand."""
        return tuple(dict.fromkeys(prompt.category for prompt in self.prompts))

    @property
    def hash(self) -> str:
        """Hash of what decides a number: names and texts."""
        return digest([self.names, self.texts])
