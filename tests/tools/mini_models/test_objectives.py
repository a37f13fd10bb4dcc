"""What is asked for in training: losses against their plain forms, spans and hidden places by hand."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quick import scaled
from tools.mini_models.architectures import SLOPES, build, distances
from tools.mini_models.objectives import (
    OBJECTIVES,
    PIECE,
    HiddenPlaces,
    Spans,
    cut_spans,
    head_loss,
    mask,
    objective_of,
    parts_of,
)
from tools.mini_models.text import BOS, EOS, MASK, SPECIALS, VOCABULARY


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_loss_in_pieces_is_the_cross_entropy_with_its_gradients() -> None:
    random = seeded()
    hidden = torch.randn(PIECE + 44, 16, generator=random).bfloat16().float().requires_grad_()
    weight = (torch.randn(97, 16, generator=random) / 4).bfloat16().float().requires_grad_()
    targets = torch.randint(97, (PIECE + 44,), generator=random)
    expected = torch.nn.functional.cross_entropy(hidden @ weight.T, targets)
    wanted = torch.autograd.grad(expected, (hidden, weight))
    found = head_loss(hidden, weight, targets)
    torch.autograd.backward(2 * found)
    assert found.item() == pytest.approx(expected.item(), rel=2e-3)
    for one, other in zip((hidden.grad, weight.grad), wanted, strict=True):
        assert one is not None
        assert ((one - 2 * other).norm() / (2 * other).norm()).item() < 0.01


def test_as_many_positions_are_masked_as_the_shape_says_and_never_a_special_one() -> None:
    rows = torch.randint(len(SPECIALS), 200, (8, 24), generator=seeded())
    rows[:, 0], rows[:, -1] = BOS, EOS
    masked, chosen = mask(rows, 0.25, seeded())
    assert int(chosen.sum()) == 48
    assert chosen[:, -2].all(), "a short row always asks for its last token"
    assert not chosen[:, 0].any()
    assert not chosen[:, -1].any()
    assert torch.equal(masked[~chosen], rows[~chosen])


@given(st.integers(1, 5), st.integers(1, 30), st.integers(1, 12), st.integers(0, 99))
def test_parts_are_positive_and_sum_to_the_whole(count: int, total: int, parts: int, seed: int) -> None:
    parts = min(parts, total)
    found = parts_of(count, total, parts, seeded(seed))
    assert found.shape == (count, parts)
    assert (found >= 1).all()
    assert (found.sum(dim=1) == total).all()


def test_parts_are_drawn_alike() -> None:
    """Three in two parts: 1 + 2 and 2 + 1, each about half of the time."""
    found = parts_of(4000, 3, 2, seeded())
    assert abs((found[:, 0] == 1).float().mean().item() - 0.5) < 0.03


@settings(max_examples=scaled(50))
@given(st.integers(1, 4), st.integers(12, 40), st.integers(1, 4), st.integers(0, 3), st.integers(0, 99))
def test_source_and_target_together_are_the_text(
    count: int, length: int, asked: int, more: int, seed: int
) -> None:
    """Each sentinel of the source, replaced by what stands behind it in the target, gives the row again."""
    rows = torch.randint(len(SPECIALS), VOCABULARY, (count, length), generator=seeded(seed))
    noise = asked + more
    source, target = cut_spans(rows, noise, asked, seeded(seed))
    for row, kept, cut in zip(rows.tolist(), source.tolist(), target.tolist(), strict=True):
        assert kept[-1] == cut[-1] == EOS
        spans: dict[int, list[int]] = {}
        for token in cut[:-1]:
            if token >= VOCABULARY:
                spans[token] = []
            else:
                spans[list(spans)[-1]].append(token)
        assert list(spans) == list(range(VOCABULARY, VOCABULARY + asked + 1))
        assert spans.pop(VOCABULARY + len(spans) - 1) == [], "the last sentinel only closes"
        assert sum(map(len, spans.values())) == noise
        again = [part for token in kept[:-1] for part in spans.get(token, [token])]
        assert again == row
        assert kept[-2] >= VOCABULARY, "the row ends in a span"


def test_one_span_of_one_token_is_the_word_of_a_template() -> None:
    source, target = cut_spans(torch.tensor([[10, 11, 12]]), 1, 1, seeded())
    assert source.tolist() == [[10, 11, VOCABULARY, EOS]]
    assert target.tolist() == [[VOCABULARY, 12, VOCABULARY + 1, EOS]]


def test_of_a_half_that_is_asked_for_the_span_is_one() -> None:
    rows = torch.randint(len(SPECIALS), VOCABULARY, (2, 10), generator=seeded())
    seen: dict[str, torch.Tensor] = {}
    model = build("mini-t5")
    model.register_forward_pre_hook(lambda module, arguments, options: seen.update(options), with_kwargs=True)
    Spans().loss(model, rows, 0.5, seeded())
    end = [VOCABULARY + 1, EOS]
    assert seen["labels"].tolist() == [[VOCABULARY, *row[5:9], *end] for row in rows.tolist()]
    Spans().loss(model, rows, 0.4, seeded())
    assert seen["labels"].shape == (2, 3 + 1 + 2), "of 8 tokens 3 are asked for, a span on average"


def test_the_encoder_alone_is_asked_for_single_tokens_at_sentinels() -> None:
    """What it reads has a sentinel in the place of each token that it is asked for, and no other change."""
    rows = torch.randint(len(SPECIALS), VOCABULARY, (4, 40), generator=seeded())
    seen: dict[str, torch.Tensor] = {}
    model = build("mini-t5")
    model.encoder.register_forward_pre_hook(
        lambda module, arguments, options: seen.update(options), with_kwargs=True
    )
    loss = Spans().at_sentinels(model, rows, seeded())
    read = seen["input_ids"]
    changed = read >= VOCABULARY
    assert torch.equal(read[~changed], rows[~changed])
    assert 0.1 < changed.float().mean() < 0.3
    assert not changed[:, 0].any()
    for row, places in zip(read, changed, strict=True):
        assert row[places].tolist() == [VOCABULARY + place % 16 for place in range(int(places.sum()))]
    states = model.encoder(input_ids=read).last_hidden_state[changed]
    again = torch.nn.functional.cross_entropy(states @ model.shared.weight.T, rows[changed])
    assert loss.item() == pytest.approx(again.item(), rel=1e-5)


def test_what_is_held_out_is_judged_by_the_spans_alone() -> None:
    rows = torch.randint(len(SPECIALS), VOCABULARY, (2, 24), generator=seeded())
    model = build("mini-t5")
    training = Spans().loss(model, rows, 0.2, seeded()).item()
    judged = Spans().loss(model.eval(), rows, 0.2, seeded()).item()
    assert training > judged + 5, "a new model's encoder knows nothing of 8,192 tokens"


def test_attention_begins_near_and_each_head_loses_by_the_distance() -> None:
    attention = build("mini-t5").decoder.block[0].layer[0].SelfAttention
    found = distances(attention)
    assert found[:17].tolist() == list(range(17)), "one bucket a distance at first"
    assert (found.diff() > 0).all()
    lost = -attention.relative_attention_bias.weight / torch.tensor(SLOPES)
    assert torch.allclose(lost, found[:, None].expand_as(lost))


def test_a_hidden_place_moves_nothing_that_is_asked_before_it() -> None:
    """XLNet: of the places of a row, one alone is asked first, and it answers to no other hidden token."""
    torch.manual_seed(0)
    model = build("mini-xlnet").eval()
    rows = torch.randint(len(SPECIALS), VOCABULARY, (1, 12), generator=seeded())
    rows[:, 0], rows[:, -1] = BOS, EOS
    asked: dict[str, torch.Tensor] = {}
    model.transformer.register_forward_pre_hook(
        lambda module, arguments, options: asked.update(options), with_kwargs=True
    )
    HiddenPlaces().loss(model, rows, 0.25, seeded())
    hidden, wanted = asked["perm_mask"][0].bool(), asked["target_mapping"][0].argmax(dim=1)
    assert len(wanted) == 3
    places = set(wanted.tolist())
    for place in range(12):
        seen = {other for other in places if not hidden[place, other]}
        assert place not in seen
        assert place in places or not seen, "what is given sees nothing that is hidden"
    counts = sorted(sum(not hidden[place, other] for other in places) for place in places)
    assert counts == [0, 1, 2], "asked one after the other, each sees those before it"


@pytest.mark.parametrize("name", ["mini-gpt-s", "mini-bert", "mini-t5", "mini-xlnet"])
def test_every_architecture_learns_a_row_by_heart(name: str) -> None:
    torch.manual_seed(0)
    model = build(name)
    objective = objective_of(model)
    assert objective is OBJECTIVES[model.config.model_type]
    rows = torch.randint(len(SPECIALS), VOCABULARY, (2, 16), generator=seeded())
    rows[:, 0] = BOS
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(6):
        loss = objective.loss(model, rows, 0.2, seeded(1))
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]
    assert MASK not in rows
