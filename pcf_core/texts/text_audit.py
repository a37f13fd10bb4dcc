"""What the requests and results of all audits of written texts have in common."""

from __future__ import annotations

from pcf_core.core.records import Record, digest


class AuditAsked(Record):
    """What is asked of one model, or of several together."""

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        return digest(self.model_dump(mode="json"))


class AuditResult(Record):
    """What came of a request."""

    asked: AuditAsked
