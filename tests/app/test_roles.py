"""Roles: every way in which pages write goes through one check."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from pcf_core.app import roles
from pcf_core.core.errors import RightsError
from pcf_core.core.settings import Settings, settings
from pcf_core.work.people import Person
from pcf_core.work.queue import Queue

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted([*(ROOT / "pcf_core" / "app").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])
# What changes something that is kept, by the names that such functions have in the core and in Python.
WRITES = re.compile(
    r"(submit|save|delete|remove_own|keep|store|import)(_\w+)?|cancel|retry|ask_for|ensure_worker|forget_\w+"
    r"|unlink|rmdir|rmtree|mkdir|makedirs|mkstemp|fdopen|write_\w+|writelines|rename|symlink_to|hardlink_to|touch"
)
ITS_OWN = {
    "keep_a_worker": "asks may_audit() itself, and follows jobs where it may not start a worker",
    "write_report": "makes a record, and keeps nothing",
    "write_down": "puts what is typed into the session, which nobody else sees",
}
UNCHECKED = {"keep_upload", "delete_upload"}  # of the pages' own functions: reached through write() alone


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf8"))))


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef):
            yield node


def called(node: ast.Call) -> str:
    """The name of what is called."""
    return getattr(node.func, "id", None) or getattr(node.func, "attr", "")


PLACE = {"write": 0, "recorded": 3}  # of what is called, among the arguments of the checks


def is_check(call: ast.Call) -> bool:
    """Whether it is `write(…)`, not the method of a file, or `recorded(…)`, which calls it."""
    return isinstance(call.func, ast.Name) and call.func.id in PLACE


def checked(call: ast.Call) -> str:
    """What a check calls."""
    return ast.unparse(call.args[PLACE[called(call)]])


def calls(path: Path) -> Iterator[ast.Call]:
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield node


CHECKED = {  # functions of the pages that call what writes through write()
    function.name
    for path in FILES
    for function in functions(path)
    if any(isinstance(node, ast.Call) and is_check(node) for node in ast.walk(function))
}


def test_pages_call_what_writes_through_the_check_alone() -> None:
    """Any direct call is an error, but of what checks itself; within the functions that are reached so."""
    writing = []
    for path in FILES:
        unchecked = {
            id(node)
            for function in functions(path)
            if function.name in UNCHECKED | {"_told"}
            for node in ast.walk(function)
        }
        writing += [
            f"{path.name}:{call.lineno} {called(call)}"
            for call in calls(path)
            if WRITES.fullmatch(called(call)) and called(call) not in ITS_OWN and id(call) not in unchecked
            if called(call) not in CHECKED or isinstance(call.func, ast.Attribute)
            if not any(word.arg == "columns" for word in call.keywords)  # a table's
        ]
    assert writing == []


def test_what_is_written_through_the_check() -> None:
    """All of it, so that a new way to write is seen here."""
    given = {checked(call) for path in FILES for call in calls(path) if is_check(call)} - {"change"}
    assert given == {
        *("submit_run", "submit_words", "submit_question", "submit_read", "submit_mining"),
        *(
            "submit_fetch",
            "FAIRPAIR_AUDIT.submit",
            "CRITERIA_AUDIT.submit",
            "submit",  # of a text audit, the embedding score or facts
            "BENCHMARK_AUDIT.submit",
        ),
        *("queue.cancel", "open_queue().retry", "ensure_worker"),
        *("delete_run", "delete_texts", "import_pack", "import_log", "open_store().save_document"),
        *("save_topic", "save_set", "own.save", "keep_own", "keep_upload", "delete", "delete_upload"),
    }


def test_files_come_in_at_one_place() -> None:
    at = [path.name for path in FILES for call in calls(path) if called(call) == "file_uploader"]
    assert at == ["own.py"]


def test_the_queue_itself_refuses_a_viewer_all_that_a_page_may_call(
    monkeypatch: pytest.MonkeyPatch, own_settings: Settings
) -> None:
    """Of the methods that write, pages call three; the others are for workers and what submits."""
    writing = {
        name
        for name, method in inspect.getmembers(Queue, inspect.isfunction)
        if not name.startswith("_") and re.search(r"INSERT|UPDATE|DELETE", inspect.getsource(method))
    }
    workers = {
        "begin",
        "claim",
        "progress",
        "note",
        "finish",
        "fail",
        "release",
        "heartbeat",
        "leave",
        "sign_off",
        "died",
        "forget",
        "forget_result",
    }
    assert writing == {"submit", "cancel", "retry"} | workers
    called_by_pages = {
        ast.unparse(call.func) for path in FILES for call in calls(path) if called(call) in workers
    }
    assert called_by_pages == {"forget", "st.progress"}, "of the session in factors.py, and a picture"


def test_writing_is_for_auditors(monkeypatch: pytest.MonkeyPatch, own_settings: Settings) -> None:
    done: list[int] = []
    roles.write(done.append, 1)
    monkeypatch.setenv("PCF_READ_ONLY", "1")
    settings.cache_clear()
    with pytest.raises(RightsError, match="PCF_READ_ONLY"):
        roles.write(done.append, 2)
    assert done == [1]


# ------------------------------------------------------------------------------------- who it is


@pytest.mark.parametrize(
    ("claims", "address"),
    [
        ({"email": "ann@example.org"}, "ann@example.org"),
        ({"email": " ann@example.org ", "email_verified": True}, "ann@example.org"),
        ({"email": "ann@example.org", "email_verified": False}, ""),
        ({"email": "ann@example.org", "email_verified": "false"}, ""),
        ({"email": "ann@example.org", "email_verified": "True"}, "ann@example.org"),
        *(({"email": "ann@example.org", "email_verified": said}, "") for said in (0, "0", "no", None, "")),
        ({"email": None}, ""),
        ({"name": "Ann"}, ""),
        ({"email": "ann@example.org", "is_logged_in": False}, ""),
    ],
)
def test_an_address_counts_where_the_provider_vouches_for_it(
    monkeypatch: pytest.MonkeyPatch, claims: dict[str, object], address: str
) -> None:
    class User(dict[str, object]):
        is_logged_in = bool(claims.get("is_logged_in", True))

    monkeypatch.setattr(st, "user", User({"is_logged_in": True} | claims))
    assert roles.person() == Person(address=address)
