"""Verifying: nothing differs in what was written, and every change is found where it was made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy._core._multiarray_umath import __cpu_dispatch__

from pcf_core.core.errors import InputError
from pcf_core.core.settings import settings
from pcf_core.report.records import ReportDocument, ReportRequest
from pcf_core.report.verifying import differences, leaves, same, verify_report
from pcf_core.report.whole import Texts, write_report
from pcf_core.report.written import read_report, report_bytes
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from tests.command_line import ROOT, run_here

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.fixture
def short(full_store: Store) -> ReportDocument:
    keys = tuple(info.run.key for info in full_store.runs())
    return write_report(full_store, ReportRequest(runs=keys, sections=("risk",)))


def risk_table(document: dict[str, Any]) -> dict[str, Any]:
    section = next(section for section in document["sections"] if section["name"] == "risk")
    table: dict[str, Any] = section["parts"][0]["tables"][0]
    return table


def test_what_was_written_holds(full_store: Store, short: ReportDocument) -> None:
    found = verify_report(full_store, short, Texts())
    assert found.holds
    assert not found.differences
    assert found.compared == leaves(short.model_dump(mode="json", exclude={"versions"}))


def test_a_report_holds_after_somebody_else_scored_the_same_sentences_with_other_counts(
    full_store: Store, short: ReportDocument
) -> None:
    for info in full_store.runs():
        templates = info.run.templates.templates
        several = tuple(one.model_copy(update={"count": 1.0 + at}) for at, one in enumerate(templates))
        mine = info.run.templates.model_copy(update={"name": "mine", "title": "Mine", "templates": several})
        submit_run(
            full_store, Queue.open(settings().catalogue), info.run.model_copy(update={"templates": mine})
        )
    assert verify_report(full_store, short, Texts()).holds


def test_a_changed_number_is_told_with_its_place_and_both_values(
    full_store: Store, short: ReportDocument
) -> None:
    document = json.loads(report_bytes(short))
    table = risk_table(document)
    column = table["columns"].index("overall_risk")
    true = table["rows"][0][column]
    table["rows"][0][column] = true / 2
    found = verify_report(full_store, read_report(json.dumps(document).encode()), Texts())
    assert not found.holds
    assert found.different == 1
    told = found.differences[0]
    assert (told.reported, told.recomputed) == (true / 2, true)
    assert told.path.endswith(f"/parts/0/tables/0/rows/0/{column}")
    inside: Any = document
    for part in told.path.split("/")[1:]:
        inside = inside[int(part) if isinstance(inside, list) else part]
    assert inside == true / 2


@pytest.mark.slow
def test_rounding_is_no_difference_and_a_text_is_compared_to_the_letter(
    full_store: Store, short: ReportDocument
) -> None:
    document = json.loads(report_bytes(short))
    table = risk_table(document)
    column = table["columns"].index("overall_risk")
    table["rows"][0][column] *= 1 + 1e-13
    assert verify_report(full_store, read_report(json.dumps(document).encode()), Texts()).holds
    document["headline"][0] += "!"
    found = verify_report(full_store, read_report(json.dumps(document).encode()), Texts())
    assert [one.path for one in found.differences] == ["/headline/0"]


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (0.7, 0.7 * (1 + 9e-8), True),  # relative
        (0.7, 0.7 * (1 + 2e-7), False),
        (-7e5, -7e5 - 6e-2, True),
        (-7e5, -7e5 - 8e-2, False),
        (0.0, 9e-15, True),  # what is left of a zero
        (-4e-17, 5e-17, True),
        (0.0, 2e-14, False),
        (1e-14, 1.9e-14, False),  # two p-values
        (2e-14, 2e-14 * (1 + 9e-8), True),
        (1.234e-12, 1.243e-12, False),
        (1e-12, 0, False),
        (41234567, 41234568, False),  # two whole numbers
        (41234567, 41234568.0, True),
        (1, 1.0, True),
        (1, True, False),
        ("0.5", 0.5, False),
        (10**400, 0.5, False),  # more than any float
        (10**400, 10**400, True),
    ],
)
def test_numbers_agree_within_a_share_of_their_size_or_next_to_zero_and_counts_to_the_letter(
    one: object, other: object, agree: bool
) -> None:
    assert same(one, other) is same(other, one) is agree


OTHER_PROCESSOR = """
import sys
from pathlib import Path
from pcf_core.report.records import ReportRequest
from pcf_core.report.whole import write_report
from pcf_core.report.written import report_bytes
from pcf_core.core.settings import settings
from pcf_core.store.store import Store
store = Store.open(settings().cache, settings().results)
document = write_report(store, ReportRequest(runs=("ac20986ee62598d4", "08bba26da567346e")))
Path(sys.argv[1]).write_bytes(report_bytes(document))
"""


@pytest.mark.slow
def test_a_report_of_other_threads_and_another_processor_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads, the oldest kernels of OpenBLAS and none of numpy's for newer processors."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    out = tmp_path / "report.json"
    other = {
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2"),
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__),
    }
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", OTHER_PROCESSOR, str(out)],
        cwd=ROOT,
        env={**os.environ, **other},
        check=True,
    )
    settings.cache_clear()
    store = Store.open(settings().cache, settings().results)
    found = verify_report(store, read_report(out.read_bytes()), Texts())
    settings.cache_clear()
    assert found.differences == ()
    assert found.holds


def test_other_versions_are_told_and_no_difference(full_store: Store, short: ReportDocument) -> None:
    other = short.model_copy(update={"versions": dict(short.versions) | {"numpy": "1.0"}})
    found = verify_report(full_store, other, Texts())
    assert found.holds
    assert found.versions == {"numpy": ("1.0", short.versions["numpy"])}


def test_a_missing_run_cannot_be_computed_again(full_store: Store, short: ReportDocument) -> None:
    gone = short.request.model_copy(update={"runs": ("f" * 16,)})
    found = verify_report(full_store, short.model_copy(update={"request": gone}), Texts())
    assert not found.holds
    assert "There is no run with the key" in found.problem


def test_a_flipped_byte_of_a_shard_is_not_believed(
    full_store: Store, short: ReportDocument, own_settings: Any
) -> None:
    """The kept aggregates still say what the report says: only the scores themselves tell."""
    shard = max((own_settings.cache / "scores").rglob("*.parquet"), key=lambda path: path.stat().st_size)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 0x10
    shard.write_bytes(bytes(data))
    found = verify_report(Store.open(own_settings.cache), short, Texts())
    assert not found.holds
    assert found.problem


def test_a_number_that_no_float_holds_is_a_difference(full_store: Store, short: ReportDocument) -> None:
    document = json.loads(report_bytes(short))
    table = risk_table(document)
    place = table["columns"].index("overall_risk")
    table["rows"][0][place] = 10**400
    found = verify_report(full_store, read_report(json.dumps(document).encode()), Texts())
    assert [one.reported for one in found.differences] == [10**400]


def test_a_text_audit_that_is_a_path_is_refused(short: ReportDocument) -> None:
    for name in ("fairpair", "criteria"):
        document = json.loads(report_bytes(short))
        document["request"][name] = ["../../x"]
        with pytest.raises(InputError, match="16 digits"):
            read_report(json.dumps(document).encode())


def test_no_file_is_opened_because_a_report_names_it(
    full_store: Store, short: ReportDocument, tmp_path: Path
) -> None:
    """Its first line would be told, and whether it is there."""
    secret = tmp_path / "secret.csv"
    secret.write_text("password,hunter2\n")
    options = {"occupation_weights": str(secret)}
    asked = short.request.model_copy(update={"options": options})
    found = verify_report(full_store, short.model_copy(update={"request": asked}), Texts())
    assert "--weights" in found.problem
    assert "hunter2" not in found.problem
    assert str(tmp_path) not in found.problem


@pytest.mark.slow
def test_weights_of_a_file_are_verified_with_the_user_s_own(
    full_store: Store, short: ReportDocument, tmp_path: Path
) -> None:
    """Written and read in two places: the report names the file and no place."""
    terms = full_store.load_run(short.request.runs[0]).evidence.terms
    text = "term,weight\n" + "".join(f"{term},{place}\n" for place, term in enumerate(terms, 1))
    written, given = (tmp_path / name / "mine.csv" for name in ("one", "other"))
    for path in (written, given):
        path.parent.mkdir()
        path.write_text(text)
    request = ReportRequest(
        runs=short.request.runs[:1], sections=("risk",), options={"occupation_weights": str(written)}
    )
    report = write_report(full_store, request)
    assert str(tmp_path) not in report_bytes(report).decode()
    assert report.runs[0].facts["weights of occupations"] == "the file mine.csv"
    assert verify_report(full_store, report, Texts(), str(given)).holds
    renamed = given.rename(given.with_name("other.csv"))
    problem = verify_report(full_store, report, Texts(), str(renamed)).problem
    assert "'mine.csv'" in problem
    assert "'other.csv'" in problem
    given.write_text(text.replace(",1\n", ",1000\n"))
    assert verify_report(full_store, report, Texts(), str(given)).different
    assert "leave it out" in verify_report(full_store, short, Texts(), str(given)).problem


def test_the_command_says_it_by_its_exit_code(
    full_store: Store, tmp_path: Path, schemas: dict[str, Any]
) -> None:
    out = tmp_path / "report.json"
    keys = [info.run.key[:8] for info in full_store.runs()]
    assert (
        run_here("export", *keys, "--format", "json", "--sections", "risk", "--out", str(out)).returncode == 0
    )
    done = run_here("verify", str(out), "--json")
    jsonschema.validate(json.loads(done.stdout), schemas["verify"])
    assert done.returncode == 0
    assert json.loads(done.stdout)["holds"]
    document = json.loads(out.read_text())
    document["runs"][0]["risks"]["overall_risk"]["value"] = 0
    out.write_text(json.dumps(document))
    done = run_here("verify", str(out), "--json")
    jsonschema.validate(json.loads(done.stdout), schemas["verify"])
    assert done.returncode == 1
    assert json.loads(done.stdout)["differences"][0]["path"] == "/runs/0/risks/overall_risk/value"
    for text in ("no report", "{}"):
        out.write_text(text)
        assert run_here("verify", str(out)).returncode == 2
    assert run_here("verify", str(tmp_path / "absent.json")).returncode == 2


@given(values)
def test_a_value_differs_from_itself_nowhere(value: Any) -> None:
    assert list(differences(value, value)) == []


@given(values, values)
def test_differences_are_there_exactly_where_values_are_not_equal(one: Any, other: Any) -> None:
    found = list(differences(one, other))
    same_json = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    if same_json:
        assert not found
    assert all(told.path == "" or told.path.startswith("/") for told in found)
    assert [(told.recomputed, told.reported) for told in differences(other, one)].__len__() == len(found)


def test_what_is_not_there_is_not_null() -> None:
    assert len(list(differences({"a": None}, {}))) == 1
    assert len(list(differences([1, None], [1]))) == 1
    assert len(list(differences({"a": [None]}, {"a": []}))) == 1
    (told,) = differences({}, {"a/b": 1})
    assert (told.path, told.reported, told.recomputed) == ("/a~1b", "nothing there", 1)
    assert len(list(differences({"a": "nothing there"}, {}))) == 1


def test_other_types_and_names_twice_are_refused(short: ReportDocument) -> None:
    document = json.loads(report_bytes(short))
    document["runs"][0]["risks"]["overall_risk"]["value"] = "0.5"
    with pytest.raises(InputError, match="overall_risk"):
        read_report(json.dumps(document).encode())
    twice = report_bytes(short).replace(b'"title":', b'"title": "first", "title":', 1)
    with pytest.raises(InputError, match="'title' twice"):
        read_report(twice)
