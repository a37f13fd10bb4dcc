"""Command lines that pages and reports show: the way from a choice or a request to the same in a terminal."""

from __future__ import annotations

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.policy import Policy
from pcf_core.audit.sampling import planned
from pcf_core.core.frame import Frame, TextFrame
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.options import declared
from pcf_core.core.settings import Settings
from pcf_core.report.records import SECTIONS, SHORT, ReportRequest
from pcf_core.report.reproducing import (
    compare_command,
    criteria_command,
    export_command,
    fairpair_command,
    risk_command,
    score_command,
    scratch_commands,
    section_command,
)
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import fairpair_asked
from tests.goldens.examples import CAUSAL, WRITING, run_of
from tests.goldens.recorded import assert_recorded
from tools.ship_audits import ASKED, usual_criteria
from tools.ship_results import RUNS

OWN = ReportRequest(
    runs=("a" * 16, "b" * 16),
    options=ViewOptions(criterion="l2").model_dump() | {"protocol": ""},
    over="both",
    fairpair=("c" * 16,),
    criteria=("d" * 16,),
    knowledge=("capitals",),
    policy=Policy.model_validate({"contexts": ({"topic": "gender", "max": {"risk": 0.4}},)}),
)


def test_commands_of_view_options() -> None:
    ways = {"usual": ViewOptions(), "an own file": ViewOptions(occupation_weights="my jobs.csv")}
    for name, field in declared(ViewOptions).items():
        ways |= {f"{name} {value}": ViewOptions.model_validate({name: value}) for value in field.offered}
    lists = (("--templates", "my counts"),)
    assert_recorded(
        "command_lines/view_options",
        {
            name: [risk_command("a" * 16, options, lists), compare_command("a" * 16, "b" * 16, options)]
            for name, options in ways.items()
        },
    )


def test_commands_that_score() -> None:
    shipped = {f"{item.model} · {item.topic} · {item.templates}": item.run for item in RUNS[:4]}
    fair = run_of().scoring.model_copy(update={"frame": Frame(kind="chat", system="Be fair.\nDo.", text="…")})
    own = {
        "own": run_of(),
        "own with a plan": planned(run_of("exact-boundary", dtype="float16"), 0.05),
        "own in a chat": run_of().model_copy(update={"scoring": fair}),
    }
    assert_recorded(
        "command_lines/runs",
        {
            name: [score_command(run, ()), scratch_commands(run, ViewOptions())]
            for name, run in (shipped | own).items()
        },
    )


def test_commands_of_fairpair() -> None:
    table = load_table("gender")
    prompts, turned = (
        load_prompts("common-sents-1", names) for names in (table.names[0], table.names[0][::-1])
    )
    chat = WRITING.model_copy(update={"family": "endpoint", "model": "openai:a model"})
    greedy = GenerationKey.of(CAUSAL, Decoding(temperature=0, top_p=1, length=80, seed=3))
    frame = TextFrame(kind="chat", system="Be fair.\nDo.", instruction="Go on.")
    told = WRITING.model_copy(update={"chat_template": "0f0f"}).in_frame(frame)
    requests = {
        "usual": fairpair_asked(WRITING, prompts, table),
        "every option": fairpair_asked(
            greedy,
            prompts,
            table,
            FairPairOptions(count=40, mode="entity", fold_size=5, dissimilarities=("jaccard",)),
        ),
        "reverse": fairpair_asked(WRITING, turned, table, FairPairOptions(reverse=True)),
        "chat of an endpoint": fairpair_asked(chat, prompts, table),
        "in a frame": fairpair_asked(told, prompts, table),
        "bare": fairpair_asked(WRITING.in_frame(TextFrame(kind="bare")), prompts, table),
        "other prompts": fairpair_asked(
            WRITING, prompts.model_copy(update={"prompts": prompts.prompts[:2]}), table
        ),
    }
    lines = {name: fairpair_command(asked) for name, asked in requests.items()}
    lines["a file of prompts"] = fairpair_command(requests["other prompts"], "some prompts.toml")
    assert_recorded("command_lines/fairpair", lines)


def test_commands_of_criteria(own_settings: Settings) -> None:
    store, lines = Store.open(own_settings.cache), {}
    for model, name in ASKED:
        asked, experiment = usual_criteria(model, name)
        CRITERIA_AUDIT.keep(store, asked, experiment)
        lines[f"{model} · {name}"] = criteria_command(store, asked)
    missing = asked.model_copy(update={"material": "0" * 16})
    lines["material that is gone"] = criteria_command(store, missing)
    assert_recorded("command_lines/criteria", lines)


@pytest.mark.parametrize("form", ["html", "csv", "json", "card"])
def test_commands_of_a_report(form: str) -> None:
    requests = {
        "everything": OWN,
        "one run": ReportRequest(runs=OWN.runs[:1]),
        "two pages": ReportRequest(runs=OWN.runs[:1], sections=tuple(SHORT)),
    }
    lines = {name: export_command(one, form, f"a report.{form}") for name, one in requests.items()}
    assert_recorded(f"command_lines/report_{form}", lines)


def test_commands_of_the_sections_of_a_report() -> None:
    assert_recorded(
        "command_lines/sections", {name: section_command(OWN, name) for name in (*SECTIONS, "policy")}
    )
