"""What a model predicts in training: the next token, masked ones, spans, or hidden positions.

Every objective gives the mean cross-entropy in nats over the tokens that it predicts in a batch of rows, and
the logits of the word after a text, for the probe.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tools.mini_models.text import EOS, LENGTH, MASK, SENTINELS, SPECIALS, VOCABULARY

SPAN_LENGTH = 3  # T5: tokens of a span that is cut out, on average
SINGLE = 0.2  # T5: tokens that the encoder alone is asked for
HALF = 0.5  # T5: from this share on, what is asked for is the end of the row, one span
PIECE = 256  # rows of logits at once


class Objective(Protocol):
    """A training objective; ``quantity``: the loss's unit; ``training``: what is predicted, for the card."""

    quantity: str
    training: str

    def loss(
        self, model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
    ) -> torch.Tensor:
        """Return mean nats per predicted token of [row, length] ids that begin with ``<s>``.

        Where the objective chooses positions, it takes a ``share`` of them by ``generator``.
        """

    def next_word(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, text: str
    ) -> torch.Tensor:
        """Return [vocabulary] logits of the word after ``text``."""


class NextToken:
    """GPT-2: each token from those before it."""

    quantity = "a token"
    training = "each token from those before it"

    def loss(
        self, model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
    ) -> torch.Tensor:
        hidden = model.transformer(input_ids=rows, use_cache=False).last_hidden_state[:, :-1]
        return head_loss(hidden.flatten(0, 1), model.lm_head.weight, rows[:, 1:].flatten())

    def next_word(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, text: str
    ) -> torch.Tensor:
        ids = tokenizer(text, return_tensors="pt")["input_ids"].to(model.device)
        logits: torch.Tensor = model(input_ids=ids).logits[0, -1]
        return logits


class MaskedTokens:
    """BERT: masked tokens from all others; only their positions go through the head."""

    quantity = "a masked token (15 % of the tokens masked)"
    training = "masked tokens from all others (80 % masked, 10 % another token, 10 % left)"

    def loss(
        self, model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
    ) -> torch.Tensor:
        rows = closed(rows)
        masked, chosen = mask(rows.cpu(), share, generator)
        masked, chosen = masked.to(rows.device), chosen.to(rows.device)
        hidden = model.bert(input_ids=masked).last_hidden_state[chosen]
        return torch.nn.functional.cross_entropy(model.cls(hidden).float(), rows[chosen])

    def next_word(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, text: str
    ) -> torch.Tensor:
        ids = tokenizer(f"{text} <mask>", return_tensors="pt")["input_ids"].to(model.device)
        logits: torch.Tensor = model(input_ids=ids).logits[0, (ids[0] == MASK).nonzero().item()]
        return logits


class Spans:
    """T5: spans cut out of the text, after their sentinels (Raffel et al. 2020, section 3.1.4)."""

    quantity = "a target token (spans of 15 % of the tokens, sentinels counted)"
    training = (
        f"spans of {SPAN_LENGTH} tokens on average behind their sentinels, the last at the end of a row, or "
        "the second half of a row, and of the encoder alone single tokens at sentinels in their places"
    )

    def loss(
        self, model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
    ) -> torch.Tensor:
        body = rows[:, 1:-1].cpu()
        noise = max(1, round(share * body.shape[1]))
        spans = 1 if share >= HALF else min(max(1, round(noise / SPAN_LENGTH)), body.shape[1] - noise)
        source, target = (part.to(rows.device) for part in cut_spans(body, noise, spans, generator))
        logits = model(input_ids=source, labels=target).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten())
        return loss + self.at_sentinels(model, rows, generator) if model.training else loss

    def at_sentinels(
        self, model: PreTrainedModel, rows: torch.Tensor, generator: torch.Generator
    ) -> torch.Tensor:
        """Return mean nats of single tokens, each from the encoder's state at the sentinel in its place.

        Without this the decoder finds nothing to attend to, and the encoder has no reason to encode its
        neighbours there.
        """
        chosen = (torch.rand(rows.shape, generator=generator) < SINGLE).to(rows.device)
        chosen[:, 0] = False
        sentinels = VOCABULARY + (chosen.cumsum(1) - 1).clamp(min=0) % SENTINELS
        states = model.encoder(input_ids=torch.where(chosen, sentinels, rows)).last_hidden_state[chosen]
        return torch.nn.functional.cross_entropy(model.lm_head(states).float(), rows[chosen])

    def next_word(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, text: str
    ) -> torch.Tensor:
        ids = tokenizer(f"{text} <extra_id_0>", return_tensors="pt")["input_ids"].to(model.device)
        start = torch.tensor([[model.config.decoder_start_token_id, VOCABULARY]], device=model.device)
        logits: torch.Tensor = model(input_ids=ids, decoder_input_ids=start).logits[0, -1]
        return logits


class HiddenPlaces:
    """XLNet: positions that no token sees, in a random order (Yang et al. 2019, section 2)."""

    quantity = "a hidden token (15 % of the tokens hidden)"
    training = (
        "hidden tokens one after the other in a random order, each from what is given and those before it"
    )

    def loss(
        self, model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
    ) -> torch.Tensor:
        rows = closed(rows)
        places, order = hidden_places(rows.cpu(), share, generator)
        hidden_from = (order >= 0)[:, None, :] & (order[:, :, None] <= order[:, None, :])
        wanted = torch.nn.functional.one_hot(places, rows.shape[1]).to(rows.device)
        hidden = model.transformer(
            input_ids=rows,
            perm_mask=hidden_from.to(rows.device, torch.float32),
            target_mapping=wanted.float(),
            use_mems=False,
        ).last_hidden_state
        logits = model.lm_loss(hidden).flatten(0, 1).float()
        targets = rows.gather(1, places.to(rows.device)).flatten()
        return torch.nn.functional.cross_entropy(logits, targets)

    def next_word(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, text: str
    ) -> torch.Tensor:
        ids = tokenizer(f"{text} <mask>", return_tensors="pt")["input_ids"].to(model.device)
        hidden = (ids == MASK).float()
        output = model(
            input_ids=ids,
            perm_mask=hidden[:, None].expand(-1, ids.shape[1], -1),
            target_mapping=hidden[:, None],
            use_mems=False,
        )
        logits: torch.Tensor = output.logits[0, 0]
        return logits


OBJECTIVES: dict[str, Objective] = {
    "gpt2": NextToken(),
    "bert": MaskedTokens(),
    "t5": Spans(),
    "xlnet": HiddenPlaces(),
}


def objective_of(model: PreTrainedModel) -> Objective:
    return OBJECTIVES[model.config.model_type]


def closed(rows: torch.Tensor) -> torch.Tensor:
    """Return the rows with ``</s>`` as their last token."""
    rows = rows.clone()
    rows[:, -1] = EOS
    return rows


def mask(
    rows: torch.Tensor,
    share: float,
    generator: torch.Generator,
    fixed: torch.Tensor | None = None,
    token: int = MASK,
    ordinary: tuple[int, int] = (len(SPECIALS), VOCABULARY),
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return masked ids and the boolean [rows, length] of predicted positions (80/10/10).

    Their number depends only on the shape, because kernels are compiled per shape.  ``fixed`` [rows, length]:
    never predicted, by default special tokens; ``ordinary``: range of the other tokens.  In short rows the
    last position but one is always predicted, as most templates end in the wanted word.
    """
    order = torch.rand(rows.shape, generator=generator)
    order[rows < len(SPECIALS) if fixed is None else fixed] = -1.0
    if rows.shape[1] < LENGTH:
        order[:, -2] = 2.0
    chosen = torch.zeros(rows.numel(), dtype=torch.bool)
    chosen[order.flatten().topk(round(share * rows.numel())).indices] = True
    chosen = chosen.view(rows.shape)
    dice = torch.rand(rows.shape, generator=generator)
    random_ids = torch.randint(*ordinary, rows.shape, generator=generator)
    masked = torch.where(chosen & (dice < 0.8), token, rows)
    return torch.where(chosen & (dice >= 0.9), random_ids, masked), chosen


def hidden_places(
    rows: torch.Tensor, share: float, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the [row, hidden] predicted positions, and when each of [row, length] is predicted, or -1.

    Equally many in every row; no special tokens; the last token of a short row always.
    """
    chance = torch.rand(rows.shape, generator=generator)
    chance[rows < len(SPECIALS)] = -1.0
    if rows.shape[1] < LENGTH:
        chance[:, -2] = 2.0
    places = chance.topk(max(1, round(share * rows.shape[1])), dim=1).indices
    when = torch.rand(places.shape, generator=generator)
    return places, torch.full(rows.shape, -1.0).scatter(1, places, when)


def cut_spans(
    rows: torch.Tensor, noise: int, spans: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return source [row, kept + spans + 1] and target [row, noise + spans + 2] ids of [row, length] ids.

    ``noise`` tokens a row are cut out in ``spans`` spans, the last at the end of the row, as most templates
    end in the predicted word.  Each span is its sentinel in the source, and its tokens follow it in the
    target; a last sentinel and ``</s>`` close the target, ``</s>`` the source.
    """
    count, length = rows.shape
    lengths = torch.stack(
        [parts_of(count, length - noise, spans, generator), parts_of(count, noise, spans, generator)], dim=2
    )
    cut = (
        torch.tensor([False, True])
        .repeat(count * spans)
        .repeat_interleave(lengths.flatten())
        .view(count, length)
    )
    first = cut & ~torch.nn.functional.pad(cut, (1, 0))[:, :-1]
    sentinels = VOCABULARY + first.cumsum(1) - 1
    source = torch.where(first, sentinels, rows)[~cut | first].view(count, -1)
    pairs = torch.stack([sentinels, rows], dim=2)[torch.stack([first, cut], dim=2)].view(count, -1)
    end = torch.full((count, 1), EOS)
    return torch.cat([source, end], dim=1), torch.cat([pairs, end - EOS + VOCABULARY + spans, end], dim=1)


def parts_of(count: int, total: int, parts: int, generator: torch.Generator) -> torch.Tensor:
    """Draw [count, parts] positive integers that sum to ``total`` in each row, uniformly."""
    places = torch.rand(count, total - 1, generator=generator).argsort(dim=1)[:, : parts - 1] + 1
    ends = torch.full((count, 1), total)
    return torch.cat([places.sort(dim=1).values, ends], dim=1).diff(dim=1, prepend=torch.zeros_like(ends))


class HeadLoss(torch.autograd.Function):
    """Mean cross-entropy of a tied output layer, ``PIECE`` rows at a time.

    A batch's logits (4,096 × 8,192) do not fit a core's cache; in pieces, with the gradient in the same pass,
    a small model trains 2.4 times as fast on a CPU.
    """

    @staticmethod
    def forward(
        context: Any, hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        rows, matrix = hidden.to(torch.bfloat16), weight.to(torch.bfloat16)
        to_hidden, to_weight = torch.empty_like(rows), torch.zeros_like(weight)
        total = torch.zeros((), device=hidden.device)
        for start in range(0, len(rows), PIECE):
            piece = slice(start, start + PIECE)
            part, wanted = rows[piece], targets[piece, None]
            logits = (part @ matrix.T).float()
            normaliser = logits.logsumexp(-1, keepdim=True)
            total += (normaliser - logits.gather(1, wanted)).sum()
            gradient = logits.sub_(normaliser).exp_()
            gradient.scatter_add_(1, wanted, torch.full_like(gradient[:, :1], -1.0))
            low = gradient.to(torch.bfloat16)
            to_hidden[piece] = low @ matrix
            to_weight += low.T @ part
        context.save_for_backward(to_hidden.to(hidden.dtype) / len(rows), to_weight / len(rows))
        return total / len(rows)

    @staticmethod
    def backward(context: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        to_hidden, to_weight = context.saved_tensors
        return to_hidden * upstream, to_weight * upstream, None


def head_loss(hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return mean cross-entropy in nats of [row, width] hidden states against [row] token ids."""
    loss: torch.Tensor = HeadLoss.apply(hidden, weight, targets)  # type: ignore[no-untyped-call]
    return loss
