"""Where a word meets its text, for four kinds of tokenizer."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.topics import whole_word_prompt
from pcf_core.models.scoring.seam import NEUTRAL, Pieces, Seam
from tests.models.scoring.conftest import load_tiny
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

KINDS = ("gpt2", "opt", "llama", "bert", "roberta")


@pytest.fixture(scope="module")
def seams() -> dict[str, Seam]:
    return {kind: Seam(load_tiny(kind).tokenizer, kind) for kind in KINDS}


def cut_whole(seam: Seam, prompt: str, word: str, *, causal: bool = False) -> Pieces:
    """Cut a prompt of which letters may touch the word, as scorers do."""
    whole, left, right = whole_word_prompt(prompt)
    return seam.cut([whole], [f"{left}{word}{right}"], causal=causal)[0]


def tokens(seam: Seam, ids: Any) -> list[str]:
    return list(seam.tokenizer.convert_ids_to_tokens(list(ids)))


def test_special_tokens_are_those_that_the_tokenizer_puts_itself(seams: dict[str, Seam]) -> None:
    around = {kind: (tokens(seam, seam.opening), tokens(seam, seam.closing)) for kind, seam in seams.items()}
    assert around == {"gpt2": ([], []), "opt": (["</s>"], []), "llama": (["<s>"], [])} | {
        "bert": (["[CLS]"], ["[SEP]"]),
        "roberta": (["<s>"], ["</s>"]),
    }


@pytest.mark.parametrize(
    ("kind", "behind_text", "first"),
    [("gpt2", "Ġhe", "he"), ("roberta", "Ġhe", "he"), ("llama", "▁he", "▁he"), ("bert", "he", "he")],
)
def test_leading_space(seams: dict[str, Seam], kind: str, behind_text: str, first: str) -> None:
    """Spec (iii) 24: the word itself, not the piece that only continues one; bare where a text begins."""
    behind, start = seams[kind].cut(["The nurse said that [Y]", "[Y] said that"], ["he"])
    assert tokens(seams[kind], behind.words[0]) == [behind_text]
    assert tokens(seams[kind], start.words[0]) == [first]
    assert start.left == ()


def test_one_space_is_the_words_and_other_white_space_the_texts(seams: dict[str, Seam]) -> None:
    line, double = seams["gpt2"].cut(["He:\n[Y]", "He  [Y]"], ["he"])
    assert (tokens(seams["gpt2"], line.left)[-1], tokens(seams["gpt2"], line.words[0])) == ("Ċ", ["he"])
    assert (tokens(seams["gpt2"], double.left)[-1], tokens(seams["gpt2"], double.words[0])) == ("Ġ", ["Ġhe"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_pieces_are_the_tokens_of_the_whole_text(kind: str, seams: dict[str, Seam]) -> None:
    seam = seams[kind]
    for prompt, pieces in zip(PROMPTS, seam.cut(PROMPTS, WORDS), strict=True):
        for word, ids, right in zip(WORDS, pieces.words, pieces.rights, strict=True):
            whole = seam.tokenizer(prompt.replace("[Y]", word), add_special_tokens=False)["input_ids"]
            assert list(pieces.left + ids + right) == whole


words_of_letters = st.text(st.sampled_from("abehimnorstwAB'é—ж"), min_size=1, max_size=8)


@given(words_of_letters, words_of_letters, st.sampled_from([".", " was old", "", ", he said"]))
def test_byte_level_pieces_spell_the_text(seams: dict[str, Seam], left: str, word: str, right: str) -> None:
    """Also where pieces would join across a seam: nothing stands between left text and word here."""
    seam = seams["gpt2"]
    for gap in ("", " "):
        pieces = cut_whole(seam, f"{left}{gap}[Y]{right}", word, causal=True)
        ids = pieces.left + pieces.words[0] + pieces.rights[0]
        assert seam.tokenizer.decode(list(ids)) == left + gap + word + right
        assert ids == seam.encode([left + gap + word + right])[0]


sentences = st.lists(words_of_letters, min_size=1, max_size=4).map(" ".join)


@given(sentences, words_of_letters, st.sampled_from([".", " was old", "", "'s", "e"]))
def test_tokens_behind_a_space_are_the_same_in_every_text(
    seams: dict[str, Seam], left: str, word: str, right: str
) -> None:
    """The short cut for tokenizers that split at spaces equals tokenising every whole text."""
    for kind in KINDS:
        short = seams[kind]
        whole = Seam(short.tokenizer, kind)
        whole.splits_at_spaces = False
        assert short.splits_at_spaces
        for causal in (False, True):
            pieces = [cut_whole(one, f"{left} [Y]{right}", word, causal=causal) for one in (short, whole)]
            assert pieces[0] == pieces[1]


def test_tokenizer_without_words_is_tokenised_whole(seams: dict[str, Seam]) -> None:
    """BPE over the whole text (Llama's first tokenizer) may join over a space: here "t▁h"."""
    vocabulary = {"t": 0, "▁": 1, "h": 2, "e": 3, "a": 4, "▁h": 5, "t▁h": 6, "a▁": 7}
    merges = [("▁", "h"), ("t", "▁h")]
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    raw.normalizer = normalizers.Replace(" ", "▁")
    seam = Seam(PreTrainedTokenizerFast(tokenizer_object=raw), "whole")
    assert not seam.splits_at_spaces
    joins, keeps = seam.cut(["at [Y]", "ta [Y]"], ["he"])
    assert seam.encode(["at he"])[0] == (4, 6, 3)
    assert (joins.left, joins.words) == ((4, 0), ((5, 3),))
    assert (keeps.left, keeps.words) == ((0, 4), ((5, 3),))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prompt", ["Then s[Y] said", "Then [Y]e said.", "Then s[Y]s.", "Then [Y]s, said"])
def test_letters_that_touch_a_word_are_read_together_with_it(
    kind: str, prompt: str, seams: dict[str, Seam]
) -> None:
    """The pieces are those of the whole text: "she" is one, and no "s" with "he" behind it."""
    seam = seams[kind]
    for word in ("he", "sh"):
        pieces = cut_whole(seam, prompt, word)
        ids = pieces.left + pieces.words[0] + pieces.rights[0]
        assert ids == seam.encode([prompt.replace("[Y]", word)])[0]
        assert pieces.left == seam.encode(["Then"])[0]
    assert seam.check(["he"], prompt).tokens == {"he": len(cut_whole(seam, prompt, "he").words[0])}


class Joining:
    """A tokenizer with pieces of a quotation mark and a word, of a Chinese word and the one beside it."""

    PIECES = (*NEUTRAL, " ", '"', "he", "she", "说", "他", "她", "的", '"he', "说他", "他的", "!", "she!")

    is_fast = False
    unk_token_id = None

    def __call__(self, texts: str | list[str], add_special_tokens: bool = True) -> dict[str, Any]:
        if isinstance(texts, str):
            return {"input_ids": self.ids(texts)}
        return {"input_ids": [self.ids(text) for text in texts]}

    def ids(self, text: str) -> list[int]:
        ids = []
        while text:
            piece = max((one for one in self.PIECES if text.startswith(one)), key=len)
            ids.append(self.PIECES.index(piece))
            text = text[len(piece) :]
        return ids

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.PIECES[one] for one in ids]


def test_a_piece_of_word_and_right_text_counts_once_with_a_causal_model() -> None:
    seam = Seam(Joining(), "joining")
    (apart,) = seam.cut(["a [Y]!"], ["he", "she"], causal=True)
    assert [tokens(seam, ids + right) for ids, right in zip(apart.words, apart.rights, strict=True)] == [
        [" ", "he", "!"],
        [" ", "she!"],
    ]


@pytest.mark.parametrize("causal", [False, True])
def test_a_piece_of_left_text_and_word_is_refused(causal: bool) -> None:
    seam = Seam(Joining(), "joining")
    assert seam.cut(["a说[Y]"], ["她"], causal=causal)
    with pytest.raises(
        TemplateError, match=r"^In 'a说\[Y\]' the tokenizer of joining joins '他' to the text"
    ):
        seam.cut(["a说[Y]"], ["她", "他"], causal=causal)


def test_a_mask_splits_punctuation_off_and_no_letters() -> None:
    """The text around a mask has tokens of its own; a causal model has read it together with the word."""
    seam = Seam(Joining(), "joining")
    (quoted,) = seam.cut(['a "[Y]'], ["he"])
    assert (tokens(seam, quoted.left), tokens(seam, quoted.words[0])) == (["a", " ", '"'], ["he"])
    with pytest.raises(TemplateError, match="joins 'he' to the text"):
        seam.cut(['a "[Y]'], ["he"], causal=True)
    (stop,) = seam.cut(["a [Y]!"], ["she"])
    assert (tokens(seam, stop.words[0]), tokens(seam, stop.rights[0])) == ([" ", "she"], ["!"])
    with pytest.raises(TemplateError, match="joins '他' to the text"):
        seam.cut(["a [Y]的"], ["他"])


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_counted_as_they_stand_in_a_text(kind: str, seams: dict[str, Seam]) -> None:
    """The words have one to four tokens and more, for every tokenizer."""
    table = seams[kind].check([*WORDS, *WORDS])
    assert not table.refused
    assert list(table.tokens) == list(WORDS)
    assert {1, 2, 3, 4} <= set(table.tokens.values())
    assert table.unspaced == set()  # without a space they have other tokens


def test_words_that_are_written_in_the_same_tokens_are_named(seams: dict[str, Seam]) -> None:
    """The tokenizer of bert here knows neither capital letters nor accents."""
    table = seams["bert"].check(["he", "she", "He", "HÉ", "she"])
    assert table.same == (("he", "He", "HÉ"),)
    table = seams["gpt2"].check(["he", "she", "He", "HÉ", "жена", "女"])  # bytes express every word
    assert (table.same, table.refused) == ((), {})


@pytest.mark.parametrize(
    ("kind", "word", "reason"),
    [
        ("bert", "жена", "unk"),
        ("llama", "жена", "unk"),
        ("bert", "he жена", "unk"),
        ("gpt2", "", "empty"),
        ("gpt2", "  ", "empty"),
        ("gpt2", " he", "white space"),
        ("gpt2", "a [Y]", "[Y]"),
        ("bert", "\u200b", "no tokens"),
        ("bert", "he[MASK]", "special token"),
        ("roberta", "<mask>", "special token"),
        ("opt", "</s>", "special token"),
    ],
)
def test_words_that_cannot_be_expressed_are_refused(
    kind: str, word: str, reason: str, seams: dict[str, Seam]
) -> None:
    table = seams[kind].check(["he", word])
    assert list(table.tokens) == ["he"]
    assert list(table.refused) == [word]
    assert reason in table.refused[word]


@pytest.mark.parametrize(
    ("kind", "special"),
    [
        ("bert", "[MASK]"),
        ("bert", "[SEP]"),
        ("roberta", "<mask>"),
        ("roberta", "<pad>"),
        ("opt", "</s>"),
        ("gpt2", "<|endoftext|>"),  # there it is the unknown token too
    ],
)
@pytest.mark.parametrize("prompt", ["The {} nurse said that [Y]", "The nurse{} [Y]", "That [Y] was {}."])
def test_prompts_with_a_special_token_are_refused(
    kind: str, special: str, prompt: str, seams: dict[str, Seam]
) -> None:
    text = prompt.format(special)
    with pytest.raises(TemplateError) as refusal:
        seams[kind].cut(["The nurse said that [Y]", text], ["he"])
    assert repr(text) in str(refusal.value)
    assert f"contains {special!r}, a special token of {kind}" in str(refusal.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prompt", ["La жена dit que [Y]", "He < 3 and [Y] > mask", "[Y] = endoftext"])
def test_prompts_with_what_is_unknown_or_looks_like_it_are_not(
    kind: str, prompt: str, seams: dict[str, Seam]
) -> None:
    (pieces,) = seams[kind].cut([prompt], ["he"])
    assert pieces.words[0]


def test_an_unknown_word_is_no_special_token_that_shares_its_id() -> None:
    """A text may not be refused for the token of another role that stands for what is unknown."""
    raw = Tokenizer(models.WordLevel(vocab={"<end>": 0, "a": 1, ".": 2, "he": 3}, unk_token="<end>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    seam = Seam(PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<end>", unk_token="<end>"), "few")
    assert seam.cut(["a nurse [Y]"], ["he"])[0].left == (1, 0)
    with pytest.raises(TemplateError, match="'<end>'"):
        seam.cut(["a <end> [Y]"], ["he"])


def test_tokens_that_are_special_without_a_role_are_found() -> None:
    """Llama 3 and its kin: what opens a turn is an added token, and no special id has its name."""
    raw = Tokenizer.from_str(load_tiny("gpt2").tokenizer.backend_tokenizer.to_str())
    raw.add_special_tokens(["<|turn|>"])
    seam = Seam(PreTrainedTokenizerFast(tokenizer_object=raw), "chat")
    with pytest.raises(TemplateError, match=r"'<\|turn\|>'"):
        seam.cut(["<|turn|>The nurse said that [Y]"], ["he"])


def test_characters_dropped_in_silence_are_found() -> None:
    """BPE without an unknown token and without bytes simply leaves characters out."""
    raw = Tokenizer(models.BPE(vocab={"a": 0, "h": 1, "e": 2, "he": 3}, merges=[("h", "e")]))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    table = Seam(PreTrainedTokenizerFast(tokenizer_object=raw), "lossy").check(["he", "heж"])
    assert dict(table.tokens) == {"he": 1}
    assert table.refused == {"heж": "the tokenizer drops 'ж' from it"}


def test_tokenizer_that_keeps_no_text_is_refused() -> None:
    class Forgetful:
        is_fast = False

        def __call__(self, texts: str | list[str], add_special_tokens: bool = True) -> dict[str, Any]:
            return {"input_ids": [] if isinstance(texts, str) else [[] for _ in texts]}

    with pytest.raises(ModelError, match="changes plain text"):
        Seam(Forgetful(), "forgetful")


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused_where_it_matters() -> None:
    """Beyond the embeddings a CPU raises and a GPU is lost; tokens that no text has do no harm (Gemma 3)."""
    tokenizer = load_tiny("gpt2").tokenizer
    highest = max(Seam(tokenizer, "gpt2").encode(["he"])[0])
    assert Seam(tokenizer, "gpt2", len(tokenizer)).encode(["he"]) == Seam(tokenizer, "gpt2").encode(["he"])
    with pytest.raises(ModelError, match=f"the token {highest}, but the model has only {highest} tokens"):
        Seam(tokenizer, "gpt2", highest).encode(["he"])


def test_truncation_and_padding_of_the_tokenizer_are_off() -> None:
    tokenizer = copy.deepcopy(load_tiny("llama").tokenizer)
    seam, text = Seam(tokenizer, "llama"), ["The nurse said that he was old"]
    whole = seam.encode(text)
    tokenizer.backend_tokenizer.enable_truncation(4)
    assert seam.encode(text) == whole
    tokenizer.backend_tokenizer.enable_padding(length=50)
    assert seam.encode(text) == whole
