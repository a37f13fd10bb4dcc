"""Hashes of one request of each kind, from fixed inputs: what is stored is found by them."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from pcf_core.audit.knowledge import knowledge_key
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.policy import Policy
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import result_name
from pcf_core.audit.sampling import planned
from pcf_core.audit.sensitivity import sensitivity_name
from pcf_core.core.factors import OwnFactor
from pcf_core.core.frame import Frame, TextFrame
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.knowledge import Fact, KnowledgeSet
from pcf_core.core.options import declared
from pcf_core.core.run import ScoringKey, exact_name, version_name
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.suiting import swapped
from pcf_core.report.records import SECTIONS, SHORT, ReportRequest
from pcf_core.store.shards import shard_id
from pcf_core.store.store import Store
from pcf_core.store.texts import texts_id
from pcf_core.texts.benchmarks.bbq import QuestionItem
from pcf_core.texts.benchmarks.records import CoreferenceItem, PairItem, TripleItem
from pcf_core.texts.benchmarks.registry import Material
from pcf_core.texts.criteria.experiments import fitted, load_experiment, usual_decoding
from pcf_core.texts.criteria.records.quantities import ExperimentName, Wording
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import (
    CategorySet,
    EncoderKey,
    FairPairAsked,
    PerturbationAsked,
    PromptsAsked,
    WordCategory,
)
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.benchmarks import benchmark_asked
from pcf_core.work.criteria import embedding_asked, scored_asked, written_asked
from pcf_core.work.queue import Queue
from pcf_core.work.requests import (
    CheckRequest,
    MineRequest,
    ProbeRequest,
    reading_key,
    submit_mining,
    submit_words,
)
from tests.goldens.examples import CAUSAL, EVIDENCE, PROTOCOLS, SCORING, TEMPLATES, TOPIC, WRITING, run_of
from tests.goldens.recorded import assert_recorded


def test_keys_of_runs_by_protocol_precision_and_plan() -> None:
    runs = {protocol: run_of(protocol) for protocol in PROTOCOLS}
    runs |= {dtype: run_of(dtype=dtype) for dtype in ("bfloat16", "float16")}
    runs |= {"imported": run_of().as_imported, "with a plan": planned(run_of(), 0.05)}
    runs |= {"with a plan of another seed": planned(run_of(), 0.05, seed=1)}
    women, men = Group(name="female", words=("a woman",)), Group(name="male", words=("a man",))
    people = TOPIC.model_copy(update={"groups": (women, men), "aligned": False})
    topic, evidence = swapped(people, EVIDENCE)
    runs["swapped"] = build_run(CAUSAL, topic, evidence, TEMPLATES)
    assert_recorded(
        "hashes/run_requests",
        {
            name: {
                "key": run.key,
                "kept as": run.kept_as,
                "scores": run.scoring.hash,
                "preferences": {kind: result_name(run, kind) for kind in PROTOCOLS},
                "drawn": run.drawn.hash,
            }
            for name, run in runs.items()
        },
    )


def test_names_of_stored_files() -> None:
    shards = {
        "scores": shard_id(SCORING.hash, ("The nurse said that [Y]",), TOPIC.words),
        "texts": texts_id(WRITING, "The nurse", 0),
        "few texts": texts_id(WRITING, "The nurse", 0, 3),
        "later texts": texts_id(WRITING, "The nurse", 10),
    }
    names = {item.name: [version_name(item), exact_name(item)] for item in (TOPIC, EVIDENCE, TEMPLATES)}
    factor = OwnFactor("Shares", {"nurse": 0.9}, {"nurse": 2.0})
    assert_recorded("hashes/stored_files", {"shards": shards, "names": names, "factor": factor.hash})


def test_hashes_of_texts_to_write() -> None:
    decodings = {
        "usual": Decoding(),
        "greedy": Decoding(temperature=0),
        "long": Decoding(length=80),
        "narrow": Decoding(top_p=0.5),
        "another seed": Decoding(seed=1),
    }
    keys = {name: GenerationKey.of(CAUSAL, decoding) for name, decoding in decodings.items()}
    keys["system prompt"] = WRITING.with_system("You are a clerk.")
    chat = WRITING.model_copy(update={"chat_template": "0f0f"})
    keys["bare, of a model with a chat"] = chat.in_frame(TextFrame(kind="bare"))
    keys["in a chat"] = chat.in_frame(TextFrame(kind="chat", system="Be fair.", instruction="Go on."))
    keys["imported"] = WRITING.as_imported
    keys["half precision"] = GenerationKey.of(CAUSAL.with_dtype("bfloat16"), Decoding())
    assert_recorded("hashes/generation", {name: key.hash for name, key in keys.items()})


def test_keys_of_readings_of_a_run(own_settings: Settings) -> None:
    store, run = Store.open(own_settings.cache), run_of()
    ways = {"usual": ViewOptions()}
    for name, field in declared(ViewOptions).items():
        if name != "reference":  # the labour force's shares are of shipped occupations
            ways |= {
                f"{name} {value}": ViewOptions.model_validate({name: value})
                for value in field.offered
                if value != field.default
            }
    assert_recorded(
        "hashes/readings",
        {
            name: {
                "preferences": reading_key(store, run, "preferences", options),
                "sensitivity": reading_key(store, run, "sensitivity", options),
                "table": sensitivity_name(store, run, options),
            }
            for name, options in ways.items()
        },
    )


def test_hashes_of_fairpair() -> None:
    table = load_table("gender")
    prompts = selected(load_prompts("common-sents-1", table.names[0]), most=1)
    turned = selected(load_prompts("common-sents-1", table.names[0][::-1]), most=1)
    usual = FairPairAsked(
        key=WRITING,
        prompts=PromptsAsked.of(prompts),
        perturbation=PerturbationAsked.of(table, table.names[0], "whole", "en-mini"),
        count=20,
    )
    encoder = EncoderKey(model="minilm", identity="weights", tokenizer="words")
    own = CategorySet(
        name="own", title="Own", categories=(WordCategory(name="work", title="Work", words=("work*",)),)
    )
    changes: dict[str, dict[str, Any]] = {
        "usual": {},
        "count": {"count": 40},
        "fold": {"fold_size": 5},
        "entity alone": {
            "perturbation": PerturbationAsked.of(table, table.names[0], "entity", "en-mini"),
        },
        "reverse": {
            "prompts": PromptsAsked.of(turned),
            "perturbation": PerturbationAsked.of(table, table.names[0], "whole", "en-mini", reverse=True),
        },
        "embedding": {"dissimilarities": ("jaccard", encoder.choice), "encoders": (encoder,)},
        "own categories": {"categories": own},
        "greedy": {"key": GenerationKey.of(CAUSAL, Decoding(temperature=0))},
        "imported": {"key": WRITING.as_imported},
        "in a chat": {
            "key": WRITING.model_copy(update={"chat_template": "0f0f"}).in_frame(
                TextFrame(kind="chat", system="Be fair.")
            )
        },
    }
    requests = {name: usual.model_copy(update=change) for name, change in changes.items()}
    assert_recorded(
        "hashes/fairpair_requests",
        {
            name: {"asked": one.hash, "texts": one.pairs_hash, "alike": one.alike}
            for name, one in requests.items()
        },
    )


@pytest.mark.parametrize("name", get_args(ExperimentName))
def test_hashes_of_criteria(name: ExperimentName) -> None:
    whole = load_experiment(name)
    requests = {}
    for wording, repeats in product(get_args(Wording), (1, 10)):
        key = GenerationKey.of(CAUSAL, usual_decoding(name))
        asked = written_asked(fitted(whole, "written"), key, wording, repeats)
        requests[f"{wording}, {repeats} texts a prompt"] = asked
    greedy = GenerationKey.of(CAUSAL, Decoding(temperature=0))
    requests["greedy"] = written_asked(fitted(whole, "written"), greedy, "instruction", 10)
    if fitted(whole, "scored").scored_asks():
        requests["scored"] = scored_asked(fitted(whole, "scored"), SCORING)
    requests["imported"] = requests["greedy"].as_imported
    told = greedy.model_copy(update={"chat_template": "0f0f"}).in_frame(
        TextFrame(kind="chat", system="Be fair.")
    )
    requests["in a chat"] = written_asked(fitted(whole, "written"), told, "instruction", 10)
    several = {kind: {"asked": one.hash, "alike": one.alike} for kind, one in requests.items()}
    if name == "hobbies":
        key = GenerationKey.of(CAUSAL.model_copy(update={"name": "three"}), Decoding())
        other = written_asked(whole, key, "instruction", 10)
        both = embedding_asked([other, requests["instruction, 10 texts a prompt"]])
        several["embedding score of two models"] = {"asked": both.hash, "alike": str(both.alike)}
    assert_recorded(f"hashes/criteria_requests_{name}", several)


def test_hashes_of_benchmarks(own_settings: Settings) -> None:
    materials = {
        "crows-pairs": {"pairs": (PairItem(name="1", bias="age", more="Old men nap.", less="Boys nap."),)},
        "stereoset": {
            "triples": (
                TripleItem(
                    name="1",
                    bias="gender",
                    target="nurse",
                    context="The nurse is BLANK.",
                    words=("kind", "rough", "seven"),
                    sentences=("The nurse is kind.", "The nurse is rough.", "The nurse is seven."),
                ),
            )
        },
        "winobias": {
            "sentences": (
                CoreferenceItem(
                    name="1",
                    bias="type1",
                    pro=True,
                    pair="a",
                    sentence="The nurse told the cook that she is late.",
                    pronoun="she",
                    right="nurse",
                    wrong="cook",
                ),
            )
        },
        "bbq": {
            "rows": (
                QuestionItem(
                    name="1",
                    bias="Age",
                    template="Age 1",
                    ambiguous=True,
                    context="The old man met the boy.",
                    question="Who was late?",
                    answers=("The old man", "Unknown", "The boy"),
                    unknown=1,
                    biased=0,
                    right=1,
                ),
            )
        },
    }
    asked = {
        f"{name}, {key.family}": benchmark_asked(
            Material.model_validate({"benchmark": name, "title": "one", "sources": {}, **items}), key
        )
        for name, items in materials.items()
        for key in (SCORING, ScoringKey.of(CAUSAL))
    }
    requests = {name: {"asked": one.hash, "material": one.material} for name, one in asked.items()}
    causal = asked["crows-pairs, causal"]
    opened = causal.model_copy(update={"opening": "<s>"})
    frame = Frame(kind="chat", text="user: Continue the text.\n")
    scoring = causal.scoring.model_copy(update={"frame": frame})
    chat = causal.model_copy(update={"scoring": scoring})
    assert_recorded(
        "hashes/benchmark_requests", {**requests, "another opening": opened.hash, "in a chat": chat.hash}
    )


def test_keys_of_knowledge() -> None:
    facts = KnowledgeSet(
        name="capitals",
        title="Capitals",
        templates=("The capital of [X] is [Y].",),
        facts=(Fact(subject="France", right=("Paris",), wrong=("Rome", "Madrid")),),
    )
    heavier = facts.model_copy(
        update={"facts": tuple(fact.model_copy(update={"weight": 9.0}) for fact in facts.facts)}
    )
    keys = {"masked": SCORING, "causal": ScoringKey.of(CAUSAL)}
    assert knowledge_key(heavier, SCORING) == knowledge_key(facts, SCORING)
    assert_recorded("hashes/knowledge", {name: knowledge_key(facts, key) for name, key in keys.items()})


def test_keys_of_jobs_about_corpora_and_sentences(own_settings: Settings) -> None:
    queue = Queue.open(own_settings.catalogue)
    usual = MineRequest(corpus="hf:somebody/stories", topics=(TOPIC,), name="stories")
    changes: dict[str, dict[str, Any]] = {
        "usual": {},
        "sample": {"sample": 100, "seed": 1},
        "cut": {"cut": 5.0},
        "construction": {"constructions": ("that",)},
    }
    mining = {
        name: submit_mining(queue, usual.model_copy(update=change)).key for name, change in changes.items()
    }
    texts = ("The nurse said that [Y] was late.", "[Y] is the nurse.", "The nurse thought un[Y].")
    probes = {
        text: ProbeRequest(model="one", topic=TOPIC, text=text, scoring=SCORING.hash).key for text in texts
    }
    probes["another protocol"] = ProbeRequest(
        model="one", topic=TOPIC, text=texts[0], protocol="single-token", scoring=SCORING.hash
    ).key
    check = CheckRequest(model="one", topic=TOPIC, texts=texts, dtype="float32", scoring=SCORING.hash)
    words = submit_words(queue, "one", TOPIC, texts[0])
    assert_recorded(
        "hashes/jobs", {"mining": mining, "probes": probes, "check": check.key, "words": words.key}
    )


def test_hashes_of_reports() -> None:
    policy = Policy.model_validate({"contexts": ({"topic": "gender", "max": {"risk": 0.4}},)})
    requests = {
        "one run": {"runs": ("a" * 16,)},
        "two pages": {"runs": ("a" * 16,), "sections": tuple(SHORT)},
        "read otherwise": {
            "runs": ("a" * 16, "b" * 16),
            "options": ViewOptions(criterion="l2").model_dump(),
            "over": "both",
        },
        "texts": {"fairpair": ("c" * 16,), "criteria": ("d" * 16,)},
        "knowledge": {"runs": ("a" * 16,), "knowledge": ("capitals",)},
        "policy": {"runs": ("a" * 16,), "policy": policy},
    }
    requests |= {f"section {name}": {"runs": ("a" * 16,), "sections": (name,)} for name in SECTIONS}
    assert_recorded(
        "hashes/reports",
        {name: ReportRequest.model_validate(fields).hash for name, fields in requests.items()},
    )
