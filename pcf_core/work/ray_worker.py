"""Processes on the machines of a Ray cluster, and their resources; Ray itself is not imported."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.core.errors import ModelError, PipelineError, ScoringError
from pcf_core.core.run import ModelSpec, ScoringKey, TokenTable
from pcf_core.core.settings import Settings, adopt
from pcf_core.mining.counting import BlockCounter, Counts, TextBlock
from pcf_core.mining.pool import Opened as OpenedParser
from pcf_core.mining.pool import Recipe, opened_parser
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Scorer, open_scorer
from pcf_core.work.blocks import Block, ScoredBlock, environment, score_block


@dataclass(frozen=True)
class Opened:
    """Properties of a scorer with an open model."""

    key: ScoringKey
    traits: dict[str, str]
    environment: dict[str, Any]
    parameters: int


class RayWorker:
    """A scorer in a process of its own, as a Ray actor; it returns scores and writes nothing."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Adopt the settings of the calling process.

        Without the OMP_NUM_THREADS that Ray sets, torch uses PCF_THREADS or its default, so that scores equal
        those of a local worker bit for bit.
        """
        os.environ.pop("OMP_NUM_THREADS", None)
        adopt(variables)

    def open(self, spec: ModelSpec, protocol: str, first: ScoringKey | None = None) -> Opened:
        """Open the model of this machine; raises ModelError if it is missing or another one.

        ``first``: the key with which another machine has opened it, which must be the same here.
        """
        own = resolve(spec.name).scored_like(spec)
        if ScoringKey.of(own, protocol) != ScoringKey.of(spec, protocol):
            raise ModelError(
                f"The model {spec.name} on the machine {socket.gethostname()} differs from the one requested "
                f"({own.identity} there, {spec.identity} here): give all machines the same files and the "
                "same version of PCF Audit."
            )
        self._scorer: Scorer = open_scorer(own, protocol)
        scorer = self._scorer
        if first is not None and scorer.key != first:
            raise ModelError(
                f"The model {spec.name} on the machine {socket.gethostname()} expects other tokens before a "
                "text than on the machine that opened it first, so their scores would differ: use machines "
                "with the same devices and the same versions of PCF Audit, torch and transformers."
            )
        return Opened(scorer.key, dict(scorer.traits), environment(scorer), scorer.parameters)

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Return the tokens of words in a text, and the words that cannot be scored with the reason."""
        return self._scorer.check(words, text)

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, with nothing batched or shared."""
        return self._scorer.alone(prompt, word)

    def score(self, block: Block) -> ScoredBlock:
        """Score one block."""
        return score_block(self._scorer, block)


class RayMiner:
    """A parser and a rule in a process of its own, like the model of a :class:`RayWorker`."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        adopt(variables)

    def open(self, recipe: Recipe, identity: str | None) -> OpenedParser:
        """Open the parser of this machine, which must have ``identity`` unless it is the first."""
        self._counter: BlockCounter = recipe()
        own = opened_parser(self._counter)
        if identity is not None and own.identity != identity:
            raise PipelineError(
                f"The parser {own.name} on the machine {socket.gethostname()} differs from the one with "
                f"which mining began ({own.identity} there, {identity} elsewhere): give all machines the "
                "same files and the same version of PCF Audit."
            )
        return own

    def score(self, block: TextBlock) -> Counts:
        """Count one block."""
        return self._counter.count(block)


# Resources.


@dataclass(frozen=True)
class Machine:
    """CPUs and GPUs that a machine of the cluster offers."""

    cpus: int
    gpus: int = 0


@dataclass(frozen=True)
class Needs:
    """CPUs and GPUs that one process needs."""

    cpus: int
    gpus: int

    def room(self, machines: Sequence[Machine]) -> int:
        """Return how many such processes fit on the machines."""
        return sum(
            min(machine.cpus // self.cpus, machine.gpus // self.gpus if self.gpus else machine.cpus)
            for machine in machines
        )


def needs_of(settings: Settings, machines: Sequence[Machine]) -> Needs:
    """Return one GPU, or with PCF_DEVICE=split all of the smallest machine, or PCF_THREADS CPUs.

    Raises ScoringError if no machine has that much.
    """
    cards = [machine.gpus for machine in machines if machine.gpus]
    cores = [machine.cpus for machine in machines if machine.cpus]
    kind = settings.device.partition(":")[0]
    if kind == "cuda" or (cards and kind in ("auto", "split")):
        needs = Needs(cpus=1, gpus=min(cards, default=1) if kind == "split" else 1)
    else:
        needs = Needs(cpus=settings.threads or min(cores, default=1), gpus=0)
    if not needs.room(machines):
        offered = "; ".join(f"{machine.cpus} and {machine.gpus}" for machine in machines) or "no machine"
        raise ScoringError(
            f"No machine of the Ray cluster has enough room for a process (needed: {needs.cpus} CPUs, "
            f"{needs.gpus} GPUs; available: {offered}): change PCF_DEVICE or PCF_THREADS, or add machines."
        )
    return needs
