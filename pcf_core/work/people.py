"""Rights: viewers read what is in the cache, auditors also queue work, edit topics and upload.

    PCF_READ_ONLY          everybody is a viewer
    no log-in              the app's one user is an auditor, unless PCF_AUDITORS is set
    log-in by OIDC         those in PCF_AUDITORS are auditors, all others viewers
    the terminal           an auditor, as a shell can write the cache anyway

Rights are checked by the queue and again by the worker, since roles may change.  Auditors may change any job.
"""

from __future__ import annotations

from collections.abc import Sequence
from getpass import getuser
from typing import Literal

from pcf_core.core.errors import RightsError
from pcf_core.core.records import Record
from pcf_core.core.settings import Settings
from pcf_core.models.names import require_allowed

Role = Literal["viewer", "auditor"]


class Person(Record):
    """A person who requests work.

    ``address``: the verified e-mail address of a log-in, empty if it has none, and ``None`` without log-ins.
    ``terminal``: the command line or a worker of this machine.
    """

    address: str | None = None
    terminal: bool = False

    @property
    def name(self) -> str:
        """The submitter as stored in a job."""
        return (self.address or "").casefold()

    @property
    def signature(self) -> str:
        """The person's name in the journal: ``terminal: USER`` for the command line."""
        if not self.terminal:
            return self.name
        try:
            return f"terminal: {getuser()}"
        except (KeyError, OSError):  # a user without an entry, as in a container
            return "terminal"


TERMINAL = Person(terminal=True)


def submitter_of(name: str) -> Person:
    """Return the person of a job's submitter; an empty name is the terminal's."""
    return Person(address=name) if name else TERMINAL


def role_of(person: Person, settings: Settings) -> Role:
    """Return the role of a person."""
    if settings.read_only:
        return "viewer"
    if person.terminal or (person.address is None and not settings.auditors):
        return "auditor"
    name, _, domain = person.name.partition("@")
    # Other letters may look like ASCII, or become it in lower case: the Kelvin sign is a k.
    plain = person.address is not None and person.address.isascii() and bool(name) and "@" not in domain
    named = plain and bool({person.name, f"*@{domain}"} & set(settings.auditors))
    return "auditor" if named else "viewer"


def why_only_reading(person: Person, settings: Settings) -> str:
    """Return why a viewer may only read, and what to do."""
    if settings.read_only:
        return "This app only shows results (PCF_READ_ONLY): install PCF Audit yourself to score more."
    if person.address is None:
        return (
            "Only people listed in PCF_AUDITORS may change anything, and nobody can log in yet: ask the "
            "operator to set up the log-in."
        )
    who = person.name or "An account without a verified e-mail address"
    return f"{who} can see results but not change anything: ask the operator to add you to PCF_AUDITORS."


def check_may_ask(person: Person, settings: Settings) -> None:
    """Raise RightsError for a viewer, with the reason and what to do."""
    if role_of(person, settings) == "viewer":
        raise RightsError(why_only_reading(person, settings))


def check_allowed(models: Sequence[str], cells: int, settings: Settings) -> None:
    """Refuse models that the operator does not allow, and more cells or texts than a job may have."""
    for model in models:
        require_allowed(model)
    if settings.most_cells and cells > settings.most_cells:
        raise RightsError(
            f"This job has {cells:,} test sentences or texts, and the limit here is {settings.most_cells:,} "
            "(PCF_MOST_CELLS): choose fewer templates, occupations or texts."
        )


def check_room(jobs: int, settings: Settings) -> None:
    """Refuse one more job of a person who has this many waiting or running."""
    if settings.most_queued and jobs >= settings.most_queued:
        raise RightsError(
            f"You have {jobs:,} jobs waiting or running, and the limit here is {settings.most_queued:,} "
            "(PCF_MOST_QUEUED): wait until one has finished, or cancel one on the page 'Run an audit'."
        )
