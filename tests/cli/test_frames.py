"""``--frame``: the model's chat around each sentence, in ``words`` and ``score``, and a key of its own."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pcf_core.audit.results import Results
from pcf_core.audit.slots import gather
from pcf_core.cli.console import open_store
from pcf_core.core.frame import INSTRUCTION
from pcf_core.core.settings import Settings
from pcf_core.report.loaded import load_studies
from pcf_core.report.provenance import run_facts
from pcf_core.report.records import ReportRequest
from pcf_core.report.reproducing import score_command
from pcf_core.show.findings.notes import frame_note
from tests.command_line import answer_to, run_here
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import FAIR, SYSTEM, load_style, open_style

TEXT = "The nurse said that [Y]"
CHAT = ("--frame", "chat")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model with a chat template."""
    return save(load_style("chatml"), tmp_path_factory.mktemp("chatty"))


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    (tmp_path / "jobs.csv").write_text("term\nnurse\ndoctor\n")
    ends = "The [X] said that [Y]", "The [X] told us that [Y]"
    (tmp_path / "ends.csv").write_text("\n".join(["template,count", *(f"{text},1" for text in ends)]))
    (tmp_path / "goes-on.csv").write_text('template,count\n"The [X] said that [Y] was old.",1\n')
    (tmp_path / "pairs.csv").write_text("group,word\nmale,he\nmale,man\nfemale,she\nfemale,woman\n")
    return ["--topic", str(tmp_path / "pairs.csv"), "--evidence", str(tmp_path / "jobs.csv")]


@pytest.mark.usefixtures("own_settings")
def test_words_stand_in_the_chat(model: str, small: list[str], tmp_path: Path) -> None:
    file = tmp_path / "fair.txt"
    file.write_text(f"{FAIR.system}\n")
    asked = ["words", "--model", model, *small[:2], "--text", TEXT]
    fair = [*asked, *CHAT, "--system", str(file), "--instruction", FAIR.instruction]
    answer = answer_to("words", *fair)
    assert answer["frame"]["system"] == FAIR.system
    nats = [word["log_probability"] for word in answer["words"]]
    words = [word["word"] for word in answer["words"]]
    assert nats == pytest.approx(open_style("chatml", FAIR).score([TEXT], words)[0].tolist(), abs=1e-4)
    assert "frame" not in answer_to("words", *asked)
    usual = answer_to("words", *asked, *CHAT)["frame"]
    assert (usual["system"], usual["instruction"]) == ("", INSTRUCTION)
    assert usual["text"].startswith(SYSTEM)
    assert SYSTEM.split("\n")[1] in run_here(*asked, *CHAT, terminal=True).stdout


def test_a_run_in_a_chat_has_a_key_and_a_name_of_its_own(
    model: str, small: list[str], tmp_path: Path, own_settings: Settings
) -> None:
    asked = ["score", "--model", model, *small, "--templates", str(tmp_path / "ends.csv")]
    bare, chat = answer_to("score", *asked), answer_to("score", *asked, *CHAT)
    assert "frame" not in bare
    assert (bare["scored"], chat["scored"], bare["run"] == chat["run"]) == (4, 4, False)
    assert answer_to("score", *asked, *CHAT)["scored"] == 0
    store = open_store()
    run = store.load_run(chat["run"])
    frame = run.scoring.frame
    assert frame is not None
    assert chat["frame"] == frame.model_dump()
    assert frame_note(model, frame) in run_here(*asked, *CHAT).stderr
    assert run.scoring.label == f"{Path(model)} (chat)"
    compared = answer_to("compare", "compare", bare["run"], chat["run"])
    assert compared["second"]["name"] == f"{model} (chat)"
    words = shlex.split(score_command(run))
    assert words[words.index("--frame") + 1] == "chat"
    assert words[words.index("--instruction") + 1] == INSTRUCTION
    (study,) = load_studies(store, ReportRequest(runs=(chat["run"],)))
    facts = run_facts(study.runs[run.scoring.label], study.options)
    assert SYSTEM.split("\n")[1] in facts["frame"]
    audit = Results(store).reading(run, study.options).result.self_audit
    assert audit is not None
    assert audit.noise_floor is not None
    assert audit.noise_floor < 1e-4


@pytest.mark.usefixtures("own_settings")
def test_about_people_the_user_asks_the_question(model: str, tmp_path: Path) -> None:
    texts = tmp_path / "asked.csv"
    texts.write_text("template,count\n[P] wants [X]. Should it be granted? Answer: [Y],1\n")
    terms = tmp_path / "matters.csv"
    terms.write_text("term\na loan\n")
    people = ["--topic", "people-control", "--evidence", str(terms), "--templates", str(texts)]
    score = ["score", "--model", model, *people, *CHAT]
    asked, told = answer_to("score", *score), answer_to("score", *score, "--instruction", "Go on.")
    assert [one["frame"]["instruction"] for one in (asked, told)] == ["[Q]", "Go on."]
    assert "user\n[Q]<|im_end|>" in asked["frame"]["text"]
    assert asked["scored"] == told["scored"] == 8
    sentence = "Todd wants a loan. Should it be granted? Answer: [Y]"
    words = answer_to(
        "words", "words", "--model", model, "--topic", "people-control", "--text", sentence, *CHAT
    )
    run = open_store().load_run(asked["run"])
    row = run.prompts[:].index(sentence)
    stored = gather(
        open_store(), run.scoring, run.prompts[row : row + 1], [one["word"] for one in words["words"]]
    )
    assert stored[0] == pytest.approx([one["log_probability"] for one in words["words"]], abs=1e-4)


@pytest.mark.usefixtures("own_settings")
def test_several_system_texts_are_asked_in_one_command(model: str, small: list[str], tmp_path: Path) -> None:
    file = tmp_path / "fair.txt"
    file.write_text("Be fair.\n")
    texts = ["--system", "", "--system", str(file), "--system", "Be brief.", "--system", "Be brief."]
    words = ["words", "--model", model, *small[:2], "--text", TEXT, *CHAT, *texts]
    found = answer_to("words", *words)
    systems = ["", "Be fair.", "Be brief."]
    assert [answer["frame"]["system"] for answer in found] == systems
    told = run_here(*words, terminal=True).stdout
    assert [f"{model} (chat, “{text}”): " in told for text in systems[1:]] == [True, True]
    asked = ["score", "--model", model, *small, "--templates", str(tmp_path / "ends.csv"), *CHAT, *texts]
    runs = answer_to("score", *asked)
    assert [(run["frame"]["system"], run["scored"]) for run in runs] == [(text, 4) for text in systems]


@pytest.mark.usefixtures("own_settings")
def test_text_behind_the_word_is_refused_before_anything_is_scored(
    model: str, small: list[str], tmp_path: Path
) -> None:
    asked = ["score", "--model", model, *small, "--templates", str(tmp_path / "goes-on.csv"), *CHAT]
    words = ["words", "--model", model, *small[:2], "--text", f"{TEXT} was old.", *CHAT]
    for command in (asked, words):
        done = run_here(*command)
        assert done.returncode == 2
        assert "must end with the word at [Y]" in done.stderr
        assert done.stderr.count("\n") == 1
