"""Template sets made by hypothesis, and one small set with origins."""

from __future__ import annotations

from hypothesis import strategies as st

from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.material.safety.text import hidden_in, normalise
from pcf_core.material.templates import make_mined

ANYTHING = st.characters(exclude_categories=("Cc", "Cf", "Cs"), exclude_characters="[]").filter(
    lambda character: hidden_in(character) is None
)
AWKWARD = st.sampled_from([*"=+-@'\",;:%", "%3B", "%25", "\t", " ", ".", "。", "e\u0301", "é"])
PROSE = st.lists(AWKWARD | ANYTHING, max_size=6).map("".join)
COUNTS = st.integers(0, 10**6).map(float) | st.floats(0, 1e12, allow_subnormal=False)
WHOLE = st.integers(0, 2**53)
REFERENCES = st.text(max_size=12)
SENTENCES = st.lists(PROSE.filter(normalise), max_size=3).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> str:
    slots = draw(st.permutations(["[X]", "[Y]"]))
    before, between, after = draw(PROSE), draw(PROSE), draw(PROSE)
    return normalise(f"{before}{slots[0]}{between}{slots[1]}{after}")


@st.composite
def templates(draw: st.DrawFn) -> MinedTemplate:
    return MinedTemplate(
        text=draw(texts()),
        count=draw(COUNTS),
        documents=draw(WHOLE),
        sources=draw(st.dictionaries(REFERENCES, WHOLE, max_size=3)),
        examples=tuple(draw(st.lists(REFERENCES, max_size=3))),
        family=draw(st.sampled_from(["", "one", "=two"]) | PROSE.map(normalise)),
    )


@st.composite
def cards(draw: st.DrawFn) -> SetCard:
    return SetCard(
        title=draw(PROSE),
        source=draw(PROSE),
        notes=draw(PROSE),
        language=draw(st.sampled_from(["en", "zh", "zh-Hant"])),
        form=draw(st.sampled_from(["", "clausal", "attributive"])),
        licence=draw(PROSE),
        documents=draw(st.integers(0, 10**9)),
        matches=draw(st.integers(0, 10**9)),
        cut=draw(COUNTS),
        kept=draw(st.floats(0, 1)),
        parents=draw(SENTENCES),
        history=draw(SENTENCES),
    )


@st.composite
def mined_sets(draw: st.DrawFn) -> MinedSet:
    """A set that has passed :func:`make_mined`, with some mass."""
    rows = draw(st.lists(templates(), min_size=1, max_size=6, unique_by=lambda item: item.text))
    rows[0] = rows[0].model_copy(update={"count": max(1.0, rows[0].count)})
    return make_mined("own", rows, draw(cards()))


def small() -> MinedSet:
    """Four templates with a mass of 20, from a corpus of 12 documents."""
    return make_mined(
        "small",
        [
            MinedTemplate(
                text="The [X] said that [Y]",
                count=10,
                documents=7,
                sources={"enwiki": 8, "simplewiki": 2},
                examples=("enwiki-1@10", "enwiki-2@0", "simplewiki-9@4"),
            ),
            MinedTemplate(
                text="The [X] wrote that [Y]", count=6, documents=6, sources={"enwiki": 6}, examples=("a@1",)
            ),
            MinedTemplate(text="The [X] was late when [Y]", count=3, documents=3),
            MinedTemplate(text="The [X] was old [Y]", count=1, documents=1),
        ],
        SetCard(
            title="Small",
            source="made for tests",
            form="clausal",
            corpus="toy",
            licence="CC0",
            documents=12,
            words=900,
            matches=20,
            history=("Mined.",),
        ),
    )
