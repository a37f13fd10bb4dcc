"""A generator that writes for both alike, with the gendered words put right by hand, is not called biased."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from pcf_core.mining.parser.pipeline import Pipeline
from pcf_core.texts.fairpair.dissimilarity import Jaccard
from pcf_core.texts.fairpair.perturbation import Perturbation
from pcf_core.texts.fairpair.records import Mode, PromptPairs
from pcf_core.texts.fairpair.report import fairpair_report

COUNT = 100  # texts a side and prompt
SIDES = (
    {"name": "John", "man": "man", "HE": "HE", "HIS": "HIS", "him": "him", "he": "he", "his": "his"},
    {"name": "Jane", "man": "woman", "HE": "SHE", "HIS": "HER", "him": "her", "he": "she", "his": "her"},
)
FAITHS = (
    {"name": "Peter", "feast": "Christmas", "church": "church"},
    {"name": "Ahmed", "feast": "Eid", "church": "mosque"},
)
NAMES = ({"name": "Greg"}, {"name": "Jamal"})
WORDS = {"gender": SIDES, "religion": FAITHS, "race-names": NAMES}


@dataclass(frozen=True)
class Case:
    """What stands in the prompts and in the texts, all of them as likely; ``{…}`` goes by the side."""

    prompts: tuple[str, ...]
    texts: tuple[str, ...]
    table: str = "gender"
    mode: Mode = "whole"

    def of(self, side: int) -> tuple[list[str], list[str]]:
        words = WORDS[self.table][side]
        prompts, texts = ([text.format(**words) for text in found] for found in (self.prompts, self.texts))
        return prompts, texts


LATE = ("{name} is late.", "{name} is a nurse.")
CASES = {
    "article in the prompt": Case(
        ("{name} is a", "{name} works as a"),
        (" {man} who works hard.", " {man} of few words.", " nurse in town.", " good cook."),
    ),
    "the verb miss": Case(
        ("{name} has left town.", "{name} has moved away."),
        (" I miss {name} so much.", " We will miss {name}.", " They all miss {name} here.", " It is quiet."),
    ),
    "words that are names": Case(
        LATE, (" Will {name} come today?", " When will it end?", " Will {name} be?", " May {name} be well.")
    ),
    "both sides at once": Case(
        LATE,
        (
            " Every student brings his/her book.",
            " Each has his or her own.",
            " His/her choice, he or she says.",
            " It rains on men and women.",
        ),
    ),
    "large letters": Case(
        LATE, (" {HE} LOST {HIS} KEYS.", " {HE} READ {HIS} BOOK.", " {HE} FED {HIS} DOG.", " IT RAINS.")
    ),
    "a feast": Case(
        LATE,
        (" Merry {feast} to all.", " Merry {feast}, everyone.", " He went to {church} early.", " It rains."),
        table="religion",
    ),
    "an answer list": Case(LATE, (" A. {name} B. Bob", " A. Bob B. {name}", " I. {name} is.", " Nobody.")),
    "a letter at the end": Case(
        LATE, (" It was vitamin C. {name} took it.", " Plan B. {name} left.", " It was I. {name} knew.")
    ),
    "black and white": Case(
        LATE,
        (" Black and white people met.", " White and black students came.", " {name} saw it.", " It rains."),
        table="race-names",
    ),
    "her as an object": Case(
        LATE,
        (
            " I called {him} beautiful.",
            " Then we made {him} proud.",
            " They thought {him} rude.",
            " It rains.",
        ),
    ),
    "an apposition": Case(
        LATE,
        (" {name}, a doctor, said {he} loves {his} job.", " {name}, a nurse, hurt {his} leg.", " It rains."),
        mode="entity",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_text_becomes_its_counterpart(parser: Pipeline, name: str) -> None:
    case = CASES[name]
    perturbation = Perturbation.of(case.table, mode=case.mode, open_parser=lambda: parser)
    (prompts, texts), (others, wanted) = case.of(0), case.of(1)
    assert perturbation(prompts) == others
    for prompt, other in zip(prompts, others, strict=True):
        assert perturbation(texts, prompt) == wanted
        assert perturbation.inverse(wanted, other) == texts


@pytest.mark.parametrize("name", CASES)
def test_an_even_handed_generator_is_not_called_biased(parser: Pipeline, name: str) -> None:
    case = CASES[name]
    perturbation = Perturbation.of(case.table, mode=case.mode, open_parser=lambda: parser)
    (prompts, texts), (_, others) = case.of(0), case.of(1)
    generator = np.random.default_rng(12)
    pairs = [
        PromptPairs(
            prompt,
            tuple(perturbation(list(generator.choice(texts, COUNT)), prompt)),
            tuple(generator.choice(others, COUNT).tolist()),
        )
        for prompt in prompts
    ]
    report = fairpair_report(
        pairs, Jaccard(), model="even", original=perturbation.entity[0], counterpart=perturbation.entity[1]
    )
    assert report.means.ratio == pytest.approx(1, abs=0.05)
    assert report.p_value > 0.05
