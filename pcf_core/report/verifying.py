"""Whether a report agrees with the cache: it is written again from its request, and compared.

Runs are read from their scores, not from stored aggregates; text audits are compared with stored results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pcf_core.audit.results import recomputed_result
from pcf_core.core.errors import AuditError, InputError
from pcf_core.core.records import Record
from pcf_core.report.provenance import is_file
from pcf_core.report.records import ReportDocument, ReportRequest
from pcf_core.report.whole import Texts, write_report
from pcf_core.store.store import Store

# Differences by another order of additions, such as of another processor: relative to the larger of two
# numbers.  A sum that should be 0 has no valid digit, so numbers are equal if both are this small, which
# is about 50 roundings of 1, the size of these sums.
RELATIVE = 1e-7
NOTHING = 1e-14
MOST_TOLD = 1000
ABSENT = "nothing there"  # reported if one side has no such value; null is a value
NOT_COMPARED = frozenset({"versions"})  # reported, but not a difference


class Disagreement(Record):
    """A difference between report and cache at a JSON Pointer (RFC 6901); a missing side is ``ABSENT``."""

    path: str
    reported: Any
    recomputed: Any


class Verification(Record):
    """The outcome of a verification.

    ``problem``: why numbers could not be computed again.  ``compared``: count of texts and numbers,
    ``different``: of those that differ, the first thousand in ``differences``.  ``versions``: that wrote and
    that read the report, if different.
    """

    request: str
    problem: str = ""
    compared: int = 0
    different: int = 0
    differences: tuple[Disagreement, ...] = ()
    versions: Mapping[str, tuple[str, str]] = {}

    @property
    def holds(self) -> bool:
        """Whether everything was computed again and nothing differs."""
        return not self.problem and not self.different


def verify_report(
    store: Store, reported: ReportDocument, texts: Texts, weights: str | None = None
) -> Verification:
    """Write the report again and compare every text and number.

    ``texts``: the stored results of its text audits.  ``weights``: the user's file of occupation weights; a
    file named in the report is never opened.
    """
    request = reported.request.hash
    try:
        again = write_report(store, _with_weights(reported.request, weights), texts, read=recomputed_result)
    except AuditError as error:
        return Verification(request=request, problem=str(error))
    one, other = (
        document.model_dump(mode="json", exclude=set(NOT_COMPARED)) for document in (reported, again)
    )
    different = list(differences(one, other))
    return Verification(
        request=request,
        compared=leaves(other),
        different=len(different),
        differences=tuple(different[:MOST_TOLD]),
        versions={
            name: (reported.versions.get(name, "none"), again.versions.get(name, "none"))
            for name in sorted({*reported.versions, *again.versions})
            if reported.versions.get(name) != again.versions.get(name)
        },
    )


def _with_weights(request: ReportRequest, weights: str | None) -> ReportRequest:
    """Replace the file of weights in a request by the user's own."""
    name = request.options.get("occupation_weights", "uniform")
    if not is_file(name):
        if weights is not None:
            raise InputError(
                f"This report weighs occupations {name}, by no file, and --weights gives one: leave it out."
            )
        return request
    if weights is None:
        raise InputError(
            f"This report weighs occupations by the file {Path(name).name!r}, and no file is opened because "
            "a report names it: give yours with --weights."
        )
    if Path(weights).name != Path(name).name:
        raise InputError(
            f"This report names the file {Path(name).name!r} in its texts, and --weights gives "
            f"{Path(weights).name!r}: give the file under the name that it had."
        )
    return request.model_copy(update={"options": {**request.options, "occupation_weights": weights}})


def differences(reported: Any, recomputed: Any, path: str = "") -> Iterator[Disagreement]:
    """Yield every difference between two JSON values, of numbers beyond rounding."""
    if isinstance(reported, dict) and isinstance(recomputed, dict):
        for name in dict.fromkeys([*reported, *recomputed]):
            where = f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}"
            if name in reported and name in recomputed:
                yield from differences(reported[name], recomputed[name], where)
            else:
                one, other = (side.get(name, ABSENT) for side in (reported, recomputed))
                yield Disagreement(path=where, reported=one, recomputed=other)
    elif isinstance(reported, list) and isinstance(recomputed, list):
        both = min(len(reported), len(recomputed))
        for index in range(both):
            yield from differences(reported[index], recomputed[index], f"{path}/{index}")
        for index in range(both, max(len(reported), len(recomputed))):
            one, other = (side[index] if index < len(side) else ABSENT for side in (reported, recomputed))
            yield Disagreement(path=f"{path}/{index}", reported=one, recomputed=other)
    elif not same(reported, recomputed):
        yield Disagreement(path=path, reported=reported, recomputed=recomputed)


def same(one: Any, other: Any) -> bool:
    """Return whether two leaves agree: floats within 1e-7 of the larger or 1e-14 of 0, all else exactly."""
    if _is_number(one) and _is_number(other) and float in (type(one), type(other)):
        try:
            return max(abs(one), abs(other)) <= NOTHING or math.isclose(one, other, rel_tol=RELATIVE)
        except OverflowError:  # a whole number that no float holds
            return bool(one == other)
    return type(one) is type(other) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def leaves(value: Any) -> int:
    """Count the leaves of a JSON value that are not null."""
    if isinstance(value, Mapping):
        return sum(map(leaves, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(map(leaves, value))
    return 0 if value is None else 1
