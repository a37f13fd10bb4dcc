"""What goes with a run that is deleted: its record, what was derived from it, and scores of its own.

Scores are kept by prompt and word, and several runs of a model may read the same: a shard goes with a run
only where that run asked for all of it and no other run asks for any of it.  Shards in a place that several
caches share stay: nobody here knows who reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pcf_core.core.run import RunSpec
from pcf_core.core.topics import whole_word_prompt
from pcf_core.store.layer import Layer
from pcf_core.store.places import Folder
from pcf_core.store.shards import file_names


@dataclass(frozen=True)
class Deletable:
    """The files that go with a run, the first one first, and the ids of the shards among them."""

    files: tuple[Path, ...]
    shards: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files)


def deletable(root: Path, layer: Layer, run: RunSpec, others: Iterable[RunSpec]) -> Deletable:
    """Return what goes with a run of a cache; nothing is deleted.

    Parameters
    ----------
    root
        The cache folder.
    layer
        Its shards.
    run
        The run.
    others
        All runs that are known; the run itself may be among them.
    """
    derived = sorted((root / "results" / run.key).glob("*"))
    # The record first, so that no run is known without its results, and manifests before what they seal.
    files = [root / "runs" / f"{run.key}.json", *derived]
    shards: tuple[str, ...] = ()
    if isinstance(layer.scores, Folder) and not layer.scores.shared:
        folder = layer.scores.path / run.scoring.hash
        shards = _of_one(layer, run, others)
        files += [folder / name for shard in shards for name in reversed(file_names(shard))]
    return Deletable(tuple(path for path in files if path.is_file()), shards)


def delete(found: Deletable, layer: Layer, run: RunSpec) -> None:
    """Delete it.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    for path in found.files:
        path.unlink(missing_ok=True)
    layer.catalogue.forget(run.scoring.hash, found.shards)


def _of_one(layer: Layer, run: RunSpec, others: Iterable[RunSpec]) -> tuple[str, ...]:
    """Return the shards that hold nothing but what a run asks for, and nothing that another run does.

    Words are compared without capitals: where ``[Y]`` begins a sentence they are kept with one.
    """
    scoring, (prompts, words) = run.scoring.hash, _stored_as(run)
    alone = {
        holding.shard
        for holding in layer.holdings(scoring, prompts)
        if _folded(holding.words) <= words and len(holding.positions) == layer.rows(scoring, holding.shard)
    }
    for other in others:
        if alone and other.key != run.key and other.scoring.hash == scoring:
            prompts, asked = _stored_as(other)
            alone -= {
                holding.shard
                for holding in layer.holdings(scoring, prompts)
                if asked & _folded(holding.words)
            }
    return tuple(sorted(alone))


def _stored_as(run: RunSpec) -> tuple[tuple[str, ...], set[str]]:
    """Return prompts and words of a run as the store has them: letters that touch ``[Y]`` in the words."""
    prompts, letters = dict[str, None](), set[tuple[str, str]]()
    for prompt in run.prompts:
        whole, left, right = whole_word_prompt(prompt)
        prompts[whole] = None
        letters.add((left, right))
    return tuple(prompts), _folded(
        f"{left}{word}{right}" for left, right in letters for word in run.topic.words
    )


def _folded(words: Iterable[str]) -> set[str]:
    return {word.casefold() for word in words}
