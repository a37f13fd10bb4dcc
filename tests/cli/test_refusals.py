"""What no command takes: one sentence on stderr, nothing on stdout, exit 2."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pcf_core.core.settings import Settings
from tests.command_line import Done, run_here, run_process
from tests.texts.inspected.small_logs import FAIRPAIR, PROMPTS

WORDS = "words --model mini-gpt"
SCORE = "score --model mini-gpt"
KNOWLEDGE = "knowledge --model mini-gpt"
MINE = "mine --corpus requirements.txt --topic gender"
CHINESE = "mine --corpus requirements.txt --topic gender-zh --out a.csv"
FILE = "FILE"  # stands for a file of prompts, or of probabilities
PAIRS = f"fairpair --prompts {FILE} --count 4 --length 8"
PAIR = f"{PAIRS} --model mini-gpt"
TASKS = "criteria --model mini-gpt --experiment tasks"
HOBBIES = "criteria --model mini-gpt --experiment hobbies"
QUESTIONS = "criteria --model mini-gpt --experiment questions"
PACK = "export abcdef --format pack --out x.pcfpack"

REFUSED = {  # a command line -> what the sentence says
    "nonsense": "nonsense",
    "words --model no-such-model --text 'The nurse said [Y]'": "no-such-model",
    f"{WORDS} --text 'The nurse said'": "[Y]",
    f"{WORDS} --topic no-such-topic --text 'A [Y]'": "no-such-topic",
    f"{WORDS} --text 'The [Y] \x07'": "control characters",
    f"{SCORE} --templates nowhere.csv": "nowhere.csv",
    f"{SCORE} --protocol guess": "--protocol",
    f"{SCORE} --dtype float8": "--dtype",
    f"{SCORE} --within 0.5": "--within",
    f"{SCORE} --engine steam": "--engine must be one of local, ray",
    f"{SCORE} --engine ray --queue": "PCF_ENGINE",
    f"{SCORE} --frame round": "--frame must be one of bare, chat",
    f"{SCORE} --system 'Be fair.'": "add --frame chat",
    f"{SCORE} --frame chat": "mini-gpt has no chat template",
    "words --model mini-bert --text 'A [Y]' --frame chat": "of the family masked",
    "score --model masked:mini-gpt": "cannot be read as masked",
    "score --model org/name@../main": "is not a revision",
    "score --model gpt2": "openai-community/gpt2",
    f"{KNOWLEDGE} --set rivers": "shipped knowledge set",
    f"{KNOWLEDGE} --score cube": "sqrt, log1p, quadratic",
    "risk": "--matrix",
    "risk 0000000000000000": "0000000000000000",
    "risk --matrix nowhere.json": "nowhere.json",
    "risk --matrix Makefile": "not valid JSON",
    "risk --scale kelvin 0000000000000000": "--scale",
    f"risk --matrix {FILE} --templates gender-nineteen": "leave out --templates and --evidence",
    "run --port 70000": "65535",
    "run --address 'no such host'": "an address of this machine",
    # mine
    "mine --corpus nowhere.txt --topic gender --out a.csv": "nowhere.txt",
    "mine --corpus '' --topic gender --out a.csv": "'' is neither a file nor a folder",
    "mine --corpus Makefile --topic gender --out a.csv": "files must end in",
    "mine --corpus requirements.txt --topic none --out a.csv": "none",
    MINE: "--out must be",
    f"{MINE} --out no/such/a.csv": "--out",
    f"{MINE} --out pyproject.csv": "is not the card",
    f"{MINE} --out a.csv --cut 0": "--cut",
    f"{MINE} --out a.csv --name 'A b'": "--name",
    f"{MINE} --out a.csv --queue": "leave out --out",
    f"{MINE} --out a.csv --pipeline no-such-parser": "no-such-parser",
    CHINESE: "No construction of Chinese is used by default",
    f"{CHINESE} --construction clause": "en-mini is for 'en'",
    # fairpair
    f"{PAIRS} --model mini-bert": "is masked, which fills gaps and cannot write a text",
    f"{PAIR} --model mini-gpt": "--model mini-gpt is given twice: give each model only once",
    f"{PAIR} --count 1": "2 to 10,000 texts per side",
    f"{PAIR} --fold 9": "a fold can have 2 to 4",
    f"{PAIR} --dissimilarity bleu": "choose from jaccard, jaccard-others, sentiment, embedding",
    f"{PAIR} --dissimilarity embedding:mini-gpt": "mini-gpt is causal, and an encoder has to read",
    f"{PAIR} --mode both": "--mode must be one of entity, whole",
    f"{PAIR} --names John": "needs two names separated by a comma, such as John,Jane; 'John' was given",
    f"{PAIR} --names A,B,C": "such as John,Jane; 'A,B,C' was given",
    f"{PAIR} --names John,": "'John,' was given",
    f"{PAIR} --names Jane,John": "'Jane' is used for the side male, but in the table",
    f"{PAIR} --names John,Jane --reverse": "'Jane' is used for the side male",
    f"{PAIR} --names john,jane": "must begin with a capital letter",
    f"{PAIR} --categories unknown": "neither a shipped set of categories",
    f"{PAIR} --table unknown": "unknown",
    f"{PAIR} --prompts unknown": "unknown",
    f"{PAIR} --temperature -1": "temperature must lie between 0",
    f"{PAIR} --estimate --queue": "give only one of them",
    # criteria
    "criteria --model mini-gpt --experiment stories": "must be one of anecdotes, hobbies, questions, tasks",
    f"{TASKS} --answering said": "--answering must be one of",
    f"{TASKS} --wording question": "--wording must be one of",
    f"{TASKS} --wording instruction --answering scored": "--wording is for written texts",
    f"{TASKS} --repeats 0 --answering written": "answered 1 to 10,000 times",
    f"{TASKS} --questions 4": "has no questions",
    f"{QUESTIONS} --questions 65": "questions-1 has only 64",
    f"{HOBBIES} --labeller lexicon --answering scored": (
        "--labeller is for written texts, but the words of mini-gpt are scored"
    ),
    "criteria --model mini-bert --experiment hobbies --labeller lexicon": "words of mini-bert",
    f"{TASKS} --labeller lexicon": "A labeller is only used for hobbies, not for tasks",
    f"{HOBBIES} --labeller mine": "There is no labeller",
    f"{TASKS} --material unknown.toml": "unknown",
    f"{TASKS} --temperature -1": "temperature must lie between 0",
    "criteria --model mini-bert --experiment tasks --answering written": "cannot write a text",
    "criteria --model nobody --experiment tasks": "There is no model named 'nobody'",
    f"{TASKS} --estimate --queue": "give only one of them",
    # export: a name that says another format
    "export a b --format csv --out rep.html": "--format csv does not match the name 'rep.html'",
    "export a --format html --out rep.csv": "--format html does not match the name 'rep.csv'",
    "export a --format json --out rep.pcfpack": "let --out end in .json",
    "export a --format json --out rep.zip": "let --out end in .json",
    "export a --format pack --out rep.zip": "let --out end in .pcfpack",
    "export a --out rep.pdf": "'rep.pdf' does not determine a format",
    "export a b --out tables.csv": "are written as one ZIP",
    "export a --sections all --format parquet --out tables.parquet": "are written as one ZIP",
    "export a --out cells.zip": "let --out end in .csv",
    "export a --format parquet --out cells.zip": "let --out end in .parquet",
    "export a --format xml --out cells.xml": "--format must be one of csv",
    # packs, and logs of Inspect
    PACK: "abcdef",
    f"{PACK} --sections all": "leave out --sections, --policy",
    f"{PACK} --policy docs/gate-policy.toml": "leave out --sections, --policy",
    f"{PACK} --criterion l2": "leave out --criterion.",
    f"{PACK} --protocol fitting": "leave out --protocol.",
    f"{PACK} --over both": "leave out --over.",
    "export abcdef --format csv --by Ann --out x.csv": "are for --format pack",
    "export --format pack --out x.pcfpack": "none is named: give the key of a run, --fairpair or --criteria",
    "export --fairpair 0123456789abcdef --format pack --out x.pcfpack": "No finished FairPair result has",
    "export --criteria 0123456789abcdef --format pack --out x.pcfpack": "No finished criteria result has",
    "import nowhere.pcfpack": "is not a file",
    "import README.md": "no pack",
    "import docs": "is not a file",
    "import pyproject.toml": "no pack",
    f"import {PROMPTS}": "no pack",
    f"import {FAIRPAIR}": "--material",
    f"import assets/presets.toml --material {PROMPTS}": "leave out --material",
    "packs verify README.md": "no pack",
}
AS_A_PROCESS = {
    "nonsense": "nonsense",
    "risk 0000000000000000": "0000000000000000",
    "score --model masked:mini-gpt": "cannot be read as masked",
    "worker --device toaster": "PCF_DEVICE",  # here the variable would stay
    f"{MINE} --out a.csv --pipeline no-such-parser": "no-such-parser",
}


def assert_refused(done: Done, says: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_one_sentence_and_exit_2(own_settings: Settings, tmp_path: Path, line: str) -> None:
    file = tmp_path / ("matrix.json" if line.startswith("risk") else "few.csv")
    file.write_text(
        '{"preferences": [[[0.6, 0.4]]]}' if line.startswith("risk") else "text\n{name} sleeps.\n"
    )
    assert_refused(
        run_here(*(str(file) if word == FILE else word for word in shlex.split(line))), REFUSED[line]
    )


@pytest.mark.slow
@pytest.mark.parametrize("line", AS_A_PROCESS)
def test_bad_input_ends_a_process_with_one_sentence_and_exit_2(own_settings: Settings, line: str) -> None:
    assert_refused(run_process(*shlex.split(line)), AS_A_PROCESS[line])
