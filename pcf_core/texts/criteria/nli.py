"""Label texts by an NLI model, as in the paper: how far a text entails "This example is Sport.".

    shares over labels = softmax of the entailment logits of all labels        (one label, not several)

Same as transformers' zero-shot pipeline with ``multi_label=False``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from pcf_core.core.errors import ScoringError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec
from pcf_core.models.family import context_of
from pcf_core.models.loading import Loaded, load_classifier
from pcf_core.models.registry import entailment_class, resolve_entailment
from pcf_core.texts.criteria.records.independence import HobbyLabel

HYPOTHESIS = "This example is {}."
BATCH = 32  # texts with one label
USUAL_LENGTH = 512  # tokens, if a model states no limit


class Nli:
    """Labels texts; ``spec``: from :func:`pcf_core.models.registry.resolve_entailment`."""

    def __init__(self, labels: Sequence[HobbyLabel], spec: ModelSpec, loaded: Loaded) -> None:
        self.name = f"nli {spec.name} {spec.identity[:12]}"
        self.label = f"the NLI model {spec.name}, each label as “{HYPOTHESIS}”, as in the paper"
        self._hypotheses = [HYPOTHESIS.format(label.title) for label in labels]
        self._loaded = loaded
        self._entails = entailment_class(loaded.model.config.to_dict(), spec.name)

    @classmethod
    def open(cls, labels: Sequence[HobbyLabel], name_or_path: str, device: str = "auto") -> Nli:
        """Load a model from a directory or the hub: safetensors only, never its own code."""
        spec = resolve_entailment(name_or_path)
        return cls(labels, spec, load_classifier(spec, device))

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """Return [text, label] shares; rows sum to 1.  Texts too long for the model are truncated."""
        logits = np.zeros((len(texts), len(self._hypotheses)))
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # little padding
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for column, hypothesis in enumerate(self._hypotheses):
                logits[batch, column] = self._entailment([texts[index] for index in batch], hypothesis)
        if not np.isfinite(logits).all():
            raise ScoringError(
                f"The labeller {self.name} returned a value that is not a number: load it as float32."
            )
        raised = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    @torch.inference_mode()
    def _entailment(self, texts: Sequence[str], hypothesis: str) -> FloatArray:
        tokenizer, model = self._loaded.tokenizer, self._loaded.model
        context = context_of(model.config.to_dict()) or USUAL_LENGTH
        encoded = tokenizer(
            list(texts),
            [hypothesis] * len(texts),
            padding=True,
            truncation="only_first",
            max_length=min(int(tokenizer.model_max_length), context),
            return_tensors="pt",
        ).to(self._loaded.device)
        return np.asarray(model(**encoded).logits[:, self._entails].double().cpu())
