"""The perturber's own error rate: what does not come back, p⁻¹(p(t)) ≠ t, and what was left as it was.

Any of its errors makes the perturbed texts differ from those that a model wrote itself, and so looks like
bias.  Both measures are from the perturbation's own point of view, and neither is the whole error: a word
that is wrongly exchanged on both ways comes back, what no table knows is not missed, and in the mode
``entity`` only the entity's name is looked for, since other words may rightly stay.  Nor is all that is left
an error: *Stephen King* is, since nothing tells surely a surname from a word that is taken for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from pcf_core.texts.fairpair.matching import Change
from pcf_core.texts.fairpair.perturbation import Perturbation, Perturbed
from pcf_core.texts.fairpair.records import Cause, NotReturned, PerturbationErrors

AROUND = 60  # characters of context on either side
EXAMPLES = 20


def own_errors(
    perturbation: Perturbation, texts: Sequence[str], prompt: str = "", examples: int = EXAMPLES
) -> PerturbationErrors:
    """Count over texts as they are before p.  ``prompt``: what stands before each; ``examples``: at most."""
    return errors_of(perturbation, perturbation.perturbed(texts, prompt), prompt, examples)


def errors_of(
    perturbation: Perturbation, there: Sequence[Perturbed], prompt: str = "", examples: int = EXAMPLES
) -> PerturbationErrors:
    """Find the errors in texts that it has perturbed already, behind this prompt."""
    (behind,) = perturbation([prompt]) if prompt else ("",)
    back = perturbation.inverse.perturbed([one.text for one in there], behind)
    failed = [list(not_returned(perturbation, one, two)) for one, two in zip(there, back, strict=True)]
    left = [one.left for one in there]
    causes: dict[Cause, int] = dict(Counter(one.cause for one in chain.from_iterable(failed)))
    return PerturbationErrors(
        table=perturbation.table.name,
        mode=perturbation.mode,
        texts=len(there),
        changed_texts=sum(bool(one.changes) for one in there),
        changed=sum(len(one.changes) for one in there),
        returned_texts=sum(two.text == one.before for one, two in zip(there, back, strict=True)),
        not_returned=causes,
        left=dict(Counter(chain.from_iterable(left)).most_common()),
        left_texts=sum(map(bool, left)),
        examples=_in_turn(failed, examples),
    )


def together(parts: Sequence[PerturbationErrors], examples: int = EXAMPLES) -> PerturbationErrors:
    """Unite the errors of one perturbation over the texts of several prompts, at least one."""
    if not parts:
        raise ValueError("no errors to add up")
    causes: Counter[Cause] = Counter()
    left: Counter[str] = Counter()
    for part in parts:
        causes.update(part.not_returned)
        left.update(part.left)
    return PerturbationErrors(
        table=parts[0].table,
        mode=parts[0].mode,
        texts=sum(part.texts for part in parts),
        changed_texts=sum(part.changed_texts for part in parts),
        changed=sum(part.changed for part in parts),
        returned_texts=sum(part.returned_texts for part in parts),
        not_returned=dict(causes),
        left=dict(left.most_common()),
        left_texts=sum(part.left_texts for part in parts),
        examples=_in_turn([part.examples for part in parts], examples),
    )


def _in_turn(several: Sequence[Sequence[NotReturned]], most: int) -> tuple[NotReturned, ...]:
    """Take the first of every list before the second of any: one long text does not fill the examples."""
    rounds = chain.from_iterable(zip_longest(*several))
    return tuple(islice((one for one in rounds if one is not None), most))


def not_returned(perturbation: Perturbation, there: Perturbed, back: Perturbed) -> Iterator[NotReturned]:
    """Yield changes that the way back did not undo, then those that it made beside them."""
    undoing = {change.start: change for change in back.changes}
    moved = 0
    for change in there.changes:
        start = change.start + moved
        moved += len(change.new) - (change.end - change.start)
        other = undoing.pop(start, None)
        word = there.before[change.start : change.end]
        if other is not None and other.end == start + len(change.new) and other.new == word:
            continue
        yield NotReturned(
            word=word,
            counterpart=change.new,
            back=other.new if other else "",
            cause=cause_of(perturbation, change, other),
            context=context(there.before, change),
        )
    for other in undoing.values():
        yield NotReturned(
            word="",
            counterpart=back.before[other.start : other.end],
            back=other.new,
            cause="another reading",
            context=context(back.before, other),
        )


def cause_of(perturbation: Perturbation, change: Change, other: Change | None) -> Cause:
    """Say why a change was not undone, from what the table says of the two words."""
    ways = perturbation.matcher.entries.get(change.entry.becomes.casefold(), ())
    if not any(way.becomes == change.entry.word for way in ways):
        return "one way"
    if other is not None and any(way.tags for way in ways):
        return "part of speech"
    return "another reading"


def context(text: str, change: Change) -> str:
    """Return a stretch of the text around a change."""
    return " ".join(text[max(0, change.start - AROUND) : change.end + AROUND].split())
