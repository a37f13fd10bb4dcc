"""What is looked at and how it is read, as names: what the sidebar says, and its form in an address.

The precisions stand beside the models, not inside their names: every chosen model is shown in every chosen
precision.  So a link of one model and two precisions compares these two, and a model's name means the same
with and without a precision, in the lists of all pages and in the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from pcf_core.audit.options import PageOptions, ViewOptions, from_link, link_parameters
from pcf_core.core.risk import Over
from pcf_core.models.precision import AUTO


@dataclass(frozen=True)
class Choice:
    """What the sidebar says: names, not yet loaded."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    options: ViewOptions
    over: Over = "templates"
    precisions: tuple[str, ...] = (AUTO,)

    @property
    def asked(self) -> tuple[tuple[str, str], ...]:
        """Every model with every precision, in the order in which they are shown."""
        return tuple(product(self.models, self.precisions))

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The choice as query parameters, for links between pages."""
        return {
            "model": list(self.models),
            "topic": self.topic,
            "templates": self.templates,
            "evidence": self.evidence,
            "precision": list(self.precisions),
            **link_parameters(PageOptions(**self.options.model_dump(), over=self.over)),
        }


def choice_of(said: Mapping[str, str | list[str]]) -> Choice:
    """Return the choice of an address that names models, topic, templates and occupations.

    What else the address leaves out is as when a session begins.
    """
    read = from_link(PageOptions, {**link_parameters(PageOptions()), **said})
    return Choice(
        models=tuple(said["model"]),
        topic=str(said["topic"]),
        templates=str(said["templates"]),
        evidence=str(said["evidence"]),
        options=ViewOptions(**read.model_dump(exclude={"over"})),
        over=read.over,
    )
