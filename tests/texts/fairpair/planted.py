"""Texts as a model might write them, with or without something planted on one side."""

from __future__ import annotations

import numpy as np

from pcf_core.texts.fairpair.records import PromptPairs

SAID = """the a and then went to town office table window street garden light water paper early late found
left took gave said about over under with project report lunch train morning evening book music walk long"""
WORDS = SAID.split()
FAMILY = ("her family", "the children", "her parents", "a wedding")


def text_list(size: int, seed: int, length: int = 8) -> list[str]:
    """Different texts of words that are drawn alike."""
    generator = np.random.default_rng([7, seed])
    return [" ".join(generator.choice(WORDS, length)) for _ in range(size)]


def identical(samples: int, seed: int = 0, texts: int = 200, prompts: int = 1) -> list[PromptPairs]:
    """p changes nothing, and both sides are drawn from one list for each prompt."""
    generator = np.random.default_rng([8, seed])
    return [
        PromptPairs(f"prompt {place}", tuple(draws[:samples]), tuple(draws[samples:]))
        for place in range(prompts)
        for draws in [generator.choice(text_list(texts, 1000 * seed + place), 2 * samples).tolist()]
    ]


def planted(samples: int, share: float = 0.5, seed: int = 0, prompts: int = 1) -> list[PromptPairs]:
    """The same, but so many of the texts for the perturbed prompt end with family words."""
    generator = np.random.default_rng([9, seed])

    def end(text: str) -> str:
        return f"{text} {generator.choice(FAMILY)}" if generator.random() < share else text

    return [
        PromptPairs(pair.prompt, pair.perturbed_original, tuple(map(end, pair.perturbed_prompt)))
        for pair in identical(samples, seed, prompts=prompts)
    ]
