"""Test whether the logits at a position depend on the text behind it, when a model is opened.

A model may look ahead although its class is called causal: its ``config.json`` asks for attention in both
directions (``use_bidirectional_attention``, ``is_causal: false``), its positions depend on the length of the
text (ProphetNet), or a device's attention is wrong in half precision (on Apple's GPUs a mask was applied to
four positions at a time, https://github.com/pytorch/pytorch/issues/195910).  The score of a word would then
depend on the word itself.

The test compares logits of one random text with those of the same text whose end is changed, or cut off, at
several lengths, in the dtype and on the device that are used.

- **Changed**: all these texts run in one forward pass and have one shape, so that what a causal model
  computes before the change is the same to the last bit.  In none of 175 architectures with random weights
  did it differ in float32, bfloat16 or float16.  Devices may round the rows of a pass differently: the pass
  holds the text itself twice, which shows by how much.
- **Cut off**: sums over another number of tokens are rounded in another order.  The largest difference was 11
  units of the dtype's precision at the largest logit; in the models that look ahead it was 70 and more.

Where two experts are nearly tied, rounding may choose the other one, and the logits jump: of tiny MiniMax-M2
by 195 units, in one random text of 25.  So wherever rounding differs, which is on most processors where a
text is cut off, a leak must show in ``TEXTS`` texts one after another.  A model that looks ahead does so in
every text.

**Worked example**, three tokens and logits of one entry, bfloat16 (precision 2⁻⁷), largest logit 8:

    text       a b c   2.00 5.00 8.00
    changed    a b d   2.00 5.25        a unit at the largest logit is 8 × 2⁻⁷ = 0.0625, so 0.25 is four of
                                        them: no more than rounding may make; 5.30 would be refused
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from pcf_core.models.scoring.trees import Indices

LENGTH = 40  # tokens of a text
TEXTS = 3  # of a jump in one of 25 texts, a third says so by chance once in 15,000 models
CUTS = (3, 14, 33)  # tokens that stay; each ends at another position of a group of four
# What rounding may make: so many units of the dtype's precision at the largest logit, and in any dtype LEAST.
UNITS_CHANGED, UNITS_CUT = 4, 32
SPREAD = 4  # times what two rows with the same text differ by
LEAST = 1e-3  # nats
# Logits [token, vocabulary] of the beginnings of texts [row, token], so many tokens of each.
Read = Callable[[Indices, Sequence[int]], Sequence[torch.Tensor]]


def find_leak(read: Read, vocabulary: int, context: int, precision: float) -> str:
    """Describe in words how far logits change with the text behind them; empty if only rounding differs.

    ``read`` computes logits, all texts in one forward pass.  ``vocabulary``: logits at a position.
    ``context``: tokens that the model can take, 0 for no limit.  ``precision``: the relative spacing of the
    numbers that it computes with.
    """
    length = min(LENGTH, context or LENGTH)
    cuts = [cut for cut in CUTS if cut < length] or [length - 1]
    if not cuts[0]:
        return ""
    leak = ""
    for seed in range(TEXTS):
        leak, rounded = _leak_of_text(read, seed, length, cuts, max(2, vocabulary // 2), precision)
        if not leak or not rounded:
            break
    return leak


def _leak_of_text(
    read: Read, seed: int, length: int, cuts: Sequence[int], entries: int, precision: float
) -> tuple[str, bool]:
    """Describe how far logits of a random text change, and tell whether rounding may be the cause."""
    generator = np.random.default_rng(seed)
    text = generator.integers(0, entries, length)
    other = (text + generator.integers(1, entries, length)) % entries  # another token everywhere
    altered = [np.concatenate([text[:cut], other[cut:]]) for cut in cuts]
    first, again, *changed = read(np.stack([text, text, *altered]), [cuts[-1], cuts[-1], *cuts])
    cut_off = [read(text[None, :cut], [cut])[0] for cut in cuts]
    largest = float(first.masked_fill(~first.isfinite(), 0.0).abs().amax())
    fewest, most = (max(LEAST, units * precision * largest) for units in (UNITS_CHANGED, UNITS_CUT))
    apart = _apart(first, again)
    spread = min(max(fewest, SPREAD * apart), most)
    tests = (("changes", changed, spread, apart > 0), ("is cut off", cut_off, most, True))
    for how, changes, allowed, rounded in tests:
        leak = max(_apart(first[: len(one)], one) for one in changes)
        if leak > allowed:
            return f"its logits change by up to {leak:.2g} when the text after them {how}", rounded
    return "", False


def _apart(some: torch.Tensor, others: torch.Tensor) -> float:
    """Return the largest difference; 0 between equal infinities, and for NaN, which scoring refuses."""
    gaps = (some - others).abs().masked_fill_(some == others, 0.0)
    return float(gaps.nan_to_num_(nan=0.0, posinf=float("inf")).amax())
