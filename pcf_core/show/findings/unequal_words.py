"""What has to be said where the groups' words are unequal in tokens, by what they get, or in number."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.audit.token_shares import (
    TokenShares,
    are_unequal,
    largest_difference,
    mean_tokens,
    most_and_least,
)
from pcf_core.core.families import facts_of
from pcf_core.show.findings.numbers import count, words_of


def tokens_sentence(found: Mapping[str, TokenShares | None], families: Mapping[str, str]) -> str:
    """Say whose words have more tokens in the model in which groups differ most; empty where they do not.

    Parameters
    ----------
    found
        By model, in how many tokens each group's probability lies.
    families
        The family of each model.
    """
    unequal = {model: shares for model, shares in found.items() if shares is not None and are_unequal(shares)}
    if not unequal:
        return ""
    model = max(unequal, key=lambda one: largest_difference(unequal[one]))
    means, (most, least) = mean_tokens(unequal[model]), most_and_least(unequal[model])
    whose = f" in {model}" if len(found) > 1 else ""
    why = "longer words are less likely for that alone"
    if facts_of(families[model]).by_tokens:
        why = "scored under as many masks, their probabilities are no parts of one whole"
    return (
        f"{sentence_case(words_of(most))} have {tokens(means[most])}{whose}, {words_of(least)} "
        f"{means[least]:.1f}: {why}."
    )


def sentence_case(text: str) -> str:
    """Begin a sentence with a text."""
    return text[:1].upper() + text[1:]


def tokens(mean: float) -> str:
    """Write a mean number of tokens."""
    return f"{mean:.1f} token{'' if f'{mean:.1f}' == '1.0' else 's'}"


def sizes_sentence(sizes: Mapping[str, int]) -> str:
    """Say which group has the most words that are added up, and which the fewest; empty where all alike."""
    most, least = (choose(sizes, key=lambda group: sizes[group]) for choose in (max, min))
    if sizes[most] == sizes[least]:
        return ""
    return f"The sum favours “{most}” with {count(sizes[most], 'word')} over “{least}” with {sizes[least]}."
