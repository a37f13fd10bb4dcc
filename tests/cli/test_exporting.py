"""``export``, ``import`` of packs and of logs of Inspect, ``packs verify``: names and formats."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from pcf_core.cli.exporting import form_of
from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from tests.command_line import HERE_AND_AS_A_PROCESS, SCHEMAS, Run, answer_to, run_here
from tests.report.small_texts import add_fairpair, add_written
from tests.report.test_signatures import listed, make_key, needs_program
from tests.texts.inspected.small_logs import CRITERIA, FAIRPAIR, PROFESSIONS, PROMPTS


@pytest.fixture
def keys(full_store: Store) -> list[str]:
    return [info.run.key for info in full_store.own_runs()][:2]


def test_a_report_is_written_as_its_name_ends(keys: list[str], tmp_path: Path) -> None:
    written = {}
    for ending in ("html", "JSON", "zip", "md"):
        out = tmp_path / f"report.{ending}"
        done = run_here("export", *keys, "--sections", "risk", "--out", str(out))
        assert done.returncode == 0, done.stderr
        written[ending] = out
    assert written["html"].read_text(encoding="utf8").startswith("<!doctype html>")
    assert json.loads(written["JSON"].read_text(encoding="utf8"))["request"]["runs"] == keys
    assert any(name.endswith(".csv") for name in zipfile.ZipFile(written["zip"]).namelist())
    assert written["md"].read_text(encoding="utf8").startswith("---\n")


def test_cells_are_written_as_their_name_ends(keys: list[str], tmp_path: Path) -> None:
    tables = []
    for name, read in (
        ("cells.csv", pd.read_csv),
        ("cells.parquet", pd.read_parquet),
        ("cells", pd.read_csv),
    ):
        done = run_here("export", keys[0], "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        tables.append(read(tmp_path / name))
    assert [len(table) for table in tables] == [len(tables[0])] * 3
    assert len(tables[0]) > 0


@pytest.mark.slow
def test_weights_under_other_names_are_read_as_the_options_say(
    full_store: Store, keys: list[str], tmp_path: Path
) -> None:
    weights, out = tmp_path / "mine", tmp_path / "report.json"
    rows = (f"{term};{number}" for number, term in enumerate(full_store.load_run(keys[0]).evidence.terms, 1))
    weights.write_text("\n".join(["Beruf;Anteil", *rows]), encoding="utf8")
    command = ("export", keys[0], "--sections", "risk", "--weights", str(weights), "--out", str(out))
    columns = ("--column", "term=Beruf", "--column", "weight=Anteil")
    asked = run_here(*command)
    assert (asked.returncode, out.exists()) == (2, False)
    assert "say which column is meant, such as --column term=Beruf --column weight=Anteil" in asked.stderr
    shown = json.loads(run_here(*command, *columns, "--dry-run").stdout)
    assert ([one["file"] for one in shown["files"]], out.exists()) == (["mine"], False)
    assert (
        "--column x=y fits none" in run_here("export", keys[0], "--out", str(out), "--column", "x=y").stderr
    )
    assert run_here(*command, *columns).returncode == 0
    check = ("verify", str(out), "--weights", str(weights))
    assert "--column term=Beruf" in run_here(*check).stdout
    assert answer_to("files", *check, *columns, "--dry-run")["files"] == shown["files"]
    assert run_here(*check, *columns).returncode == 0


def test_a_name_that_says_nothing_takes_any_format() -> None:
    assert form_of("card", Path("README.txt")) == "card"
    assert form_of("parquet", Path("tables.zip")) == "parquet"
    assert form_of("pack", Path("runs")) == "pack"


@pytest.fixture
def key(full_store: Store) -> str:
    return full_store.own_runs()[0].run.key


@pytest.fixture
def pack(key: str, tmp_path: Path) -> Path:
    path = tmp_path / "runs.pcfpack"
    done = run_here("export", key, "--format", "pack", "--by", "Ann's lab", "--out", str(path))
    assert done.returncode == 0, done.stderr
    assert f"wrote {path}" in done.stderr
    return path


@pytest.fixture
def elsewhere(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    cache = tmp_path / "elsewhere"
    monkeypatch.setenv("PCF_CACHE", str(cache))
    settings.cache_clear()
    return cache


@HERE_AND_AS_A_PROCESS
def test_a_pack_is_imported_and_read_as_where_it_was_scored(
    run: Run, key: str, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = json.loads(run_here("risk", key, "--json").stdout)
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "elsewhere"))
    settings.cache_clear()
    found = answer_to("import", "import", str(pack), run=run)
    assert [one["run"] for one in found["imported"]] == [key]
    assert (found["scored_by"], found["signature"]) == ("Ann's lab", "not signed")
    done = run("risk", key, "--json")
    assert (
        "is imported: scored by Ann's lab, with weights that are not on this machine (not signed)."
        in done.stderr
    )
    after = json.loads(done.stdout)
    assert after["model"] == f"imported:{before['model']}@{after['model'][-8:]}"
    assert after["run"] == before["run"]
    for quantity in ("overall_risk", "prejudice_risk", "caprice_risk"):
        assert after[quantity] == pytest.approx(before[quantity], rel=1e-12)
    again = answer_to("import", "import", str(pack), run=run)
    assert (again["imported"], [one["run"] for one in again["already_here"]]) == ([], [key])


def test_verify_says_what_a_pack_holds_and_imports_nothing(key: str, pack: Path, elsewhere: Path) -> None:
    found = answer_to("packs_verify", "packs", "verify", str(pack))
    assert [one["run"] for one in found["runs"]] == [key]
    assert not (elsewhere / "imported").exists()


@needs_program
def test_a_signed_pack_is_told_by_name_where_the_operator_lists_the_key(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ann = tmp_path / "signed.pcfpack", make_key(tmp_path, "ann")
    done = run_here("export", key, "--format", "pack", "--sign", str(ann), "--out", str(path))
    assert done.returncode == 0, done.stderr
    assert answer_to("packs_verify", "packs", "verify", str(path))["signature"] == "unknown key"
    monkeypatch.setenv("PCF_SIGNERS", str(listed(tmp_path, ("ann@example.org", ann))))
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "elsewhere"))
    settings.cache_clear()
    assert answer_to("import", "import", str(path))["signature"] == "signed by ann@example.org"
    assert "(signed by ann@example.org)" in run_here("risk", key, "--json").stderr


def test_what_cannot_be_recorded_is_not_imported(pack: Path, elsewhere: Path) -> None:
    (elsewhere / "journal.jsonl").mkdir(parents=True)
    done = run_here("import", str(pack))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert not (elsewhere / "imported").exists()


def test_a_pack_with_a_byte_too_many_is_not_cut_to_size(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.report.packs.LARGEST", pack.stat().st_size)
    assert run_here("packs", "verify", str(pack)).returncode == 0
    longer = tmp_path / "longer.pcfpack"
    longer.write_bytes(pack.read_bytes() + b"x")
    done = run_here("packs", "verify", str(longer))
    assert (done.returncode, done.stdout) == (2, "")
    assert "A pack has at most" in done.stderr


def test_a_key_that_is_none_writes_nothing(key: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pcfpack"
    done = run_here("export", key, "--format", "pack", "--sign", str(tmp_path / "none"), "--out", str(path))
    assert done.returncode == 2
    assert not path.exists()


def test_texts_are_exported_by_their_keys_and_imported(
    full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, pair, tasks = full_store.own_runs()[0].run.key, add_fairpair(full_store), add_written(full_store)
    path = tmp_path / "all.pcfpack"
    named = (run, "--fairpair", pair, "--criteria", tasks)
    done = run_here("export", *named, "--format", "pack", "--by", "Ann", "--out", str(path))
    assert done.returncode == 0, done.stderr
    found = answer_to("packs_verify", "packs", "verify", str(path))
    assert [one["audit"] for one in found["texts"]] == ["fairpair", "criteria, tasks"]
    assert [one["as_it_came"] for one in found["texts"]] == [["the exchange of words"], []]
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "elsewhere"))
    settings.cache_clear()
    brought = answer_to("import", "import", str(path))["imported"]
    assert [one.get("run") for one in brought] == [run, None, None]
    again = answer_to("import", "import", str(path))
    assert (again["imported"], again["already_here"]) == ([], brought)
    html = tmp_path / "report.html"
    key = brought[1]["request"]
    done = run_here("export", "--fairpair", key, "--format", "html", "--out", str(html))
    assert done.returncode == 0, done.stderr
    assert "scored by Ann, with weights that are not on this machine" in html.read_text(encoding="utf8")
    refused = run_here("export", "--fairpair", key, "--format", "pack", "--out", str(tmp_path / "on.pcfpack"))
    assert refused.returncode == 2
    assert "was imported and cannot be packed again: pass on the pack it came from" in refused.stderr


def log_answer(*arguments: str) -> Any:
    done = run_here("import", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert "come from an Inspect log of" in done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMAS["import_log"])
    return document


@pytest.mark.parametrize(
    ("log", "material", "texts", "schema", "further"),
    [
        (FAIRPAIR, PROMPTS, 16, "fairpair", {"written": 0}),
        (CRITERIA, PROFESSIONS, 9, "criteria", {"reason": "", "made": 0, "embedding_of_all": None}),
    ],
    ids=["fairpair", "criteria"],
)
def test_a_log_is_imported_and_read_as_its_audit_is(
    own_settings: Settings, log: Path, material: Path, texts: int, schema: str, further: dict[str, Any]
) -> None:
    found = log_answer(str(log), "--material", str(material))
    assert (found["texts"], found["new_texts"]) == (texts, texts)
    assert found["log"]["model"] == "mockllm/model"
    assert found["model"] == f"inspect:mockllm/model@{found['log']['created'][:10]}"
    assert found["report"]["model"] == found["model"]
    jsonschema.validate(found["report"] | further, SCHEMAS[schema])
    again = log_answer(str(log), "--material", str(material))
    assert again == found | {"new_texts": 0}
    (line,) = json.loads(run_here("journal", "--json").stdout)["entries"][:1]
    assert (line["did"], line["what"]) == ("imported", "texts")
