"""Sign-off: a statement beside a report of who decided what on it, and when it is due for review.

The statement names the report by the SHA-256 of its JSON file, whose bytes do not change.  It may be signed
with an SSH key, as packs are.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from pcf_core.core.errors import InputError
from pcf_core.core.options import option
from pcf_core.core.records import Record, first_problem
from pcf_core.material.safety.text import check_text
from pcf_core.report.documents import json_bytes
from pcf_core.report.files import write_whole
from pcf_core.report.records import checked_day, today
from pcf_core.report.signatures import sign, signature_of
from pcf_core.store.files import sha256

FORMAT: Literal["pcf-audit-signoff"] = "pcf-audit-signoff"
ENDING = ".signoff.json"
LARGEST = 1024 * 1024  # bytes of a file that is read
Decision = Literal["use", "conditions", "reject"]
DECISIONS = {"use": "Use it", "conditions": "Use it with conditions", "reject": "Do not use it"}


class Decided(Record):
    """What a person states about a report; ``conditions`` go with the decision of that name."""

    prefix: ClassVar[str] = "so_"

    name: str = option("", title="Name", usage="who decides")
    role: str = option("", title="Role", usage="in which role, such as head of compliance")
    decision: Decision = option(
        "conditions",
        title="Decision",
        usage="use, conditions (use with conditions) or reject (do not use)",
        words=DECISIONS,
    )
    reason: str = option("", title="Reasons", usage="why")
    conditions: str = option("", title="Conditions", usage="under which conditions it may be used")
    date: str = option(
        "",
        title="Date",
        usage="the day of the decision, such as 2026-11-29; today by itself",
        placeholder="Today",
    )
    next_review: str = option(
        "",
        title="Next review",
        usage="the day by which it is decided again",
        placeholder="Such as 2027-05-31",
    )

    @field_validator("name", "role", "reason")
    @classmethod
    def _are_given(cls, text: str, info: ValidationInfo) -> str:
        if not text.strip():
            raise InputError(f"A sign-off needs a {info.field_name}, and none was given: write it.")
        return check_text(text, f"the {info.field_name}", "The sign-off", InputError)

    @field_validator("conditions")
    @classmethod
    def _is_text(cls, text: str) -> str:
        return text and check_text(text, "the text of the conditions", "The sign-off", InputError)

    @field_validator("date", "next_review")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        return checked_day(text)

    @model_validator(mode="after")
    def _fits_together(self) -> Decided:
        if (self.decision == "conditions") != bool(self.conditions):
            raise InputError(
                "Conditions belong to the decision to use a model with conditions, and that decision needs "
                "them: give both or neither."
            )
        if self.next_review and self.next_review <= (self.date or today()):  # both as 2026-11-29
            raise InputError(
                f"The next review is on {self.next_review}, which is not after the decision: give a later "
                "day."
            )
        return self


class SignOff(Decided):
    """A statement as its file has it; ``report``: SHA-256; ``signature``: of the rest, by an SSH key."""

    format: Literal["pcf-audit-signoff"] = FORMAT
    version: Literal[1] = 1
    report: str = Field(pattern="^[0-9a-f]{64}$")
    signature: str = ""

    @property
    def stated(self) -> bytes:
        """The bytes that are signed."""
        return signoff_bytes(self.model_copy(update={"signature": ""}))

    @property
    def lines(self) -> dict[str, str]:
        """The statement for people, by label."""
        facts = {
            "Decision": DECISIONS[self.decision],
            "Reasons": self.reason,
            "Conditions": self.conditions,
            "Decided by": f"{self.name}, {self.role}",
            "Date": self.date,
            "Next review": self.next_review,
            "Report (SHA-256)": self.report,
        }
        return {label: text for label, text in facts.items() if text}


class SignOffCheck(Record):
    """A statement beside a report: ``matches``: it is about these bytes; ``signature``: whose it is."""

    statement: SignOff
    matches: bool
    signature: str


def make_statement(report: bytes, decided: Decided, key: Path | None = None) -> SignOff:
    """State a decision on a report; ``key``: an SSH key file with which it is signed."""
    facts = decided.model_dump() | {"date": decided.date or today(), "report": sha256(report)}
    statement = SignOff.model_validate(facts)
    if key is None:
        return statement
    return statement.model_copy(update={"signature": sign(statement.stated, key).decode("ascii")})


def signoff_bytes(statement: SignOff) -> bytes:
    """Write a statement as JSON, the same bytes for the same statement."""
    return json_bytes(statement.model_dump(mode="json")) + b"\n"


def beside(report: Path) -> Path:
    """Return where the statement on a report is kept."""
    return report.with_name(f"{report.name}{ENDING}")


def write_signoff(report: Path, statement: SignOff) -> Path:
    """Write a statement beside its report, in place of an earlier one."""
    path = beside(report)
    write_whole(path, lambda target: target.write_bytes(signoff_bytes(statement)))
    return path


def read_signoff(data: bytes) -> SignOff:
    """Read what :func:`signoff_bytes` wrote; raise InputError for anything else."""
    try:
        return SignOff.model_validate_json(data, strict=True)
    except (ValidationError, InputError) as error:
        what = str(error) if isinstance(error, InputError) else first_problem(error).fault
        raise InputError(
            f"The sign-off beside this report cannot be read ({what}): sign the report again, or remove it."
        ) from error


def check_signoff(report: Path, data: bytes, signers: Path | None) -> SignOffCheck | None:
    """Check the statement beside a report, if there is one; ``signers``: of :func:`signature_of`.

    Raises
    ------
    InputError
        The statement is unreadable, or its signature is of other contents.
    """
    path = beside(report)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        statement = read_signoff(file.read(LARGEST))
    signature = signature_of(statement.stated, statement.signature.encode(), signers)
    return SignOffCheck(statement=statement, matches=statement.report == sha256(data), signature=signature)
