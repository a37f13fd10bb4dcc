"""What runs on the machines of a Ray cluster: a process with an open scorer.  Nothing of Ray is imported."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.errors import ModelError, PipelineError
from pcf_core.jobs.blocks import Block, ScoredBlock, environment, score_block
from pcf_core.mining.blocks import TextBlock
from pcf_core.mining.counting import BlockCounter, Counts
from pcf_core.mining.pool import Opened as OpenedParser
from pcf_core.mining.pool import Recipe, opened_parser
from pcf_core.models import resolve
from pcf_core.records import ModelSpec, ScoringKey, TokenTable
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import adopt


@dataclass(frozen=True)
class Opened:
    """What a scorer says of itself once its model is open."""

    key: ScoringKey
    traits: dict[str, str]
    environment: dict[str, Any]


class RayWorker:
    """A scorer in a process of its own; Ray makes an actor of it.  Scores go back, nothing is written."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Take over the settings of who asks.

        Ray has set OMP_NUM_THREADS before torch is imported; without it torch takes PCF_THREADS, or as many
        threads as it would outside of Ray, so that scores are those of a worker here, bit for bit.
        """
        os.environ.pop("OMP_NUM_THREADS", None)
        adopt(variables)

    def open(self, spec: ModelSpec, protocol: str) -> Opened:
        """Open the model, found anew on this machine.

        Raises:
            ModelError: it is not there, is not the same, or cannot be loaded.
        """
        own = resolve(spec.name).with_dtype(spec.dtype)
        if ScoringKey.of(own, protocol) != ScoringKey.of(spec, protocol):
            raise ModelError(
                f"The model {spec.name} on the machine {socket.gethostname()} is not the one that is asked "
                f"for ({own.identity} there, {spec.identity} here): give all machines the same files and the "
                "same version of PCF Audit."
            )
        self._scorer: Scorer = open_scorer(own, protocol)
        return Opened(self._scorer.key, dict(self._scorer.traits), environment(self._scorer))

    def check(self, words: Sequence[str]) -> TokenTable:
        return self._scorer.check(words)

    def alone(self, prompt: str, word: str) -> float:
        return self._scorer.alone(prompt, word)

    def score(self, block: Block) -> ScoredBlock:
        return score_block(self._scorer, block)


class RayMiner:
    """A parser and a rule in a process of its own, as :class:`RayWorker` is a model."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Take over the settings of who asks."""
        adopt(variables)

    def open(self, recipe: Recipe, identity: str | None) -> OpenedParser:
        """Open the parser, found anew on this machine; of the given identity, unless it is the first.

        Raises:
            PipelineError: it is not there, is not the same, or cannot be used.
        """
        self._counter: BlockCounter = recipe()
        own = opened_parser(self._counter)
        if identity is not None and own.identity != identity:
            raise PipelineError(
                f"The parser {own.name} on the machine {socket.gethostname()} is not the one that mining "
                f"began with ({own.identity} there, {identity} elsewhere): give all machines the same files "
                "and the same version of PCF Audit."
            )
        return own

    def score(self, block: TextBlock) -> Counts:
        return self._counter.count(block)
