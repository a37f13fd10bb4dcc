"""The parser's trainer: reading the treebanks, scoring, a training of seconds, and what was shipped."""

from __future__ import annotations

import gzip
import json
import random
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from pcf_core.mining.parser.pipeline import open_pipeline
from tools import train_pipeline as tool

SHARED = Path(__file__).parents[2].parent / "shared"
SENTENCES = Path(__file__).parents[1] / "mining" / "parser" / "schemes.tsv"
SHIPPED = Path(__file__).parents[2] / "assets" / "pipelines" / "en-mini"
NOUNS = {"N": "NOUN"}  # by the first letter of the tag
CONLLU = """# newdoc id = GUM_bio_painter
# sent_id = 1
# text = They don't paint (much).
1	They	they	PRON	PRP	Case=Nom|Number=Plur	4	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	VBP	_	4	aux	_	_
3	n't	not	PART	RB	_	4	advmod	_	_
4	paint	paint	VERB	VB	VerbForm=Inf	0	root	_	_
4.1	pictures	picture	NOUN	NNS	_	_	_	_	_
5	(	(	PUNCT	-LRB-	_	6	punct	_	SpaceAfter=No
6	much	much	ADV	RB	_	4	advmod	_	SpaceAfter=No
7	)	)	PUNCT	-RRB-	_	6	punct	_	SpaceAfter=No
8	.	.	PUNCT	.	_	4	punct	_	_

# sent_id = 2
1	She	she	PRON	PRP	_	2	nsubj	_	_
2-3	'll	_	_	_	_	_	_	_	SpaceAfter=No
2	'	will	AUX	MD	_	0	root	_	_
3	ll	will	AUX	MD	_	2	flat	_	_
4	.	.	PUNCT	.	_	2	punct	_	_

# newdoc id = GUM_fiction_dragon
# sent_id = 3
1	Dragons	dragon	NOUN	NNS	_	2	nsubj	_	_
2	fly	fly	VERB	VBP	_	0	root	_	_

# newdoc id = GUM_news_flood
# sent_id = 4
1	Rain	rain	NOUN	NN	_	0	root	_	_
"""


@pytest.fixture(scope="module")
def vocab() -> Vocab:
    return spacy.blank("en").vocab


@pytest.fixture
def conllu(tmp_path: Path) -> Path:
    path = tmp_path / "small.conllu.gz"
    path.write_bytes(gzip.compress(CONLLU.encode()))
    return path


# ---------------------------------------------------------------------------------------------- reading


def test_words_of_multiword_tokens_stand_together(conllu: Path, vocab: Vocab) -> None:
    first, second = next(tool.documents(conllu, vocab))
    assert first.text == "They don't paint (much). "
    assert second.text == "She 'll. "
    assert [token.text for token in first] == ["They", "do", "n't", "paint", "(", "much", ")", "."]
    assert [token.head.i for token in first] == [3, 3, 3, 3, 5, 3, 5, 3]
    assert [token.dep_ for token in first][:4] == ["nsubj", "aux", "advmod", "ROOT"]
    assert [token.lemma_ for token in first][2:4] == ["not", "paint"]
    assert (str(first[0].morph), str(first[1].morph), first[4].tag_) == ("Case=Nom|Number=Plur", "", "-LRB-")


def test_documents_and_genres(conllu: Path, vocab: Vocab) -> None:
    assert [len(document) for document in tool.documents(conllu, vocab)] == [2, 1, 1]
    permitted = tool.sentences(list(tool.documents(conllu, vocab, tool.GENRES)))
    assert [sentence[0].text for sentence in permitted] == ["They", "She", "Rain"]


@given(st.integers(0, 40), st.integers())
def test_groups_hold_every_sentence_once(vocab: Vocab, count: int, seed: int) -> None:
    docs = [
        Doc(vocab, words=[f"w{number}", "."], heads=[0, 0], deps=["ROOT", "punct"]) for number in range(count)
    ]
    groups = list(tool.grouped(docs, random.Random(seed)))
    assert [token.text for group in groups for token in group if token.dep_ == "ROOT"] == [
        doc[0].text for doc in docs
    ]
    assert all(1 <= len(list(group.sents)) <= 8 for group in groups)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the treebanks of ../shared are not here")
def test_the_treebanks_are_read_whole() -> None:
    """Counts of ../shared/data/MANIFEST.md, and of GUM the permitted genres alone."""
    found = tool.treebank(SHARED, "test", spacy.blank("en").vocab)
    assert len(found["EWT"]) == 316
    assert len(tool.sentences(found["EWT"])) == 2_077
    assert sum(map(len, tool.sentences(found["EWT"]))) == 25_094
    assert 0 < len(found["GUM"]) < 30


# ---------------------------------------------------------------------------------------------- scoring


class Parser:
    """Gives the documents that it was told to give."""

    def __init__(self, vocab: Vocab, answers: list[Doc]) -> None:
        self.vocab, self.answers = vocab, answers

    def pipe(self, texts: Iterable[Any]) -> Iterator[Doc]:
        return (answer for _, answer in zip(texts, self.answers, strict=True))


def doc(vocab: Vocab, heads: list[int], relations: list[str], words: str = "She slept there .") -> Doc:
    given = words.split()
    tags = ["PRP", "VBD", "RB", "."][: len(given)]
    return Doc(vocab, words=given, tags=tags, lemmas=tags, heads=heads, deps=relations)


def test_scores_on_gold_words(vocab: Vocab) -> None:
    """Of four words: one wrong head; one relation with another subtype; one other tag and lemma."""
    truth = doc(vocab, [1, 1, 1, 1], ["nsubj:pass", "ROOT", "advmod", "punct"])
    guess = doc(vocab, [1, 1, 0, 1], ["nsubj", "ROOT", "advmod", "punct"])
    guess[3].tag_ = guess[3].lemma_ = ","
    assert tool.gold_scores(Parser(vocab, [truth]), [truth]) == dict.fromkeys(
        ("uas", "las", "las_basic", "tags", "lemmas", "morphology"), 100
    )
    assert tool.gold_scores(Parser(vocab, [guess]), [truth]) == {
        "uas": 75, "las": 50, "las_basic": 75, "tags": 75, "lemmas": 75, "morphology": 100
    }  # fmt: skip


def test_scores_on_running_text(vocab: Vocab) -> None:
    """Two sentences taken for one, and two words for one: F1 of words 6 of (8 + 7) / 2, no sentence right."""
    tree = ([1, 1, 1, 1], ["nsubj", "ROOT", "advmod", "punct"])
    truth = [doc(vocab, *tree), doc(vocab, *tree)]
    words = ["She", "slept", "there .", "She", "slept", "there", "."]
    heads = [1, 1, 1, 4, 1, 4, 4]
    relations = ["nsubj", "ROOT", "advmod", "nsubj", "conj", "advmod", "punct"]
    tags = ["PRP", "VBD", "RB", "PRP", "VBD", "RB", "."]
    guess = Doc(vocab, words=words, tags=tags, lemmas=tags, heads=heads, deps=relations)
    assert guess.text == Doc.from_docs(truth).text
    scores = tool.raw_scores(Parser(vocab, [guess]), [truth])
    assert scores["words"] == scores["tags"] == round(100 * 6 / 7.5, 2)
    assert scores["sentences"] == 0
    assert scores["uas"] == scores["las"] == round(100 * 5 / 7.5, 2)
    assert tool.raw_scores(Parser(vocab, [Doc.from_docs(truth)]), [truth])["sentences"] == 100


# --------------------------------------------------------------------------------------------- training


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like ../shared whose treebanks are our own sentences, and whose corpora repeat them."""
    folder = tmp_path_factory.mktemp("shared")
    sentences, texts = [], []
    for block in SENTENCES.read_text(encoding="utf8").strip().split("\n\n"):
        text, *rows = block.split("\n")
        columns = [row.split("\t") for row in rows]
        lines = [
            f"{number}\t{word}\t{lemma}\t{NOUNS.get(tag[0], 'X')}\t{tag}\t_\t{head}\t{relation}\t_\t_"
            for number, (word, lemma, tag, head, relation, *_) in enumerate(columns, start=1)
        ]
        sentences.append("\n".join(["# newdoc id = GUM_bio_x", *lines, ""]))
        texts.append(text.removeprefix("# "))
    (folder / "data" / "treebank").mkdir(parents=True)
    (folder / "data" / "corpora").mkdir()
    for part in ("train", "dev", "test"):
        for name in ("ewt", "gum"):
            path = folder / "data" / "treebank" / f"{name}-{part}.conllu.gz"
            path.write_bytes(gzip.compress("\n".join(sentences).encode()))
    for name in tool.VECTOR_CORPORA:
        line = json.dumps({"text": "\n".join(texts)}) + "\n"
        (folder / "data" / "corpora" / f"{name}.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    return folder


def test_a_small_training_ends_in_a_parser_with_its_card(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "WORK", tmp_path / "work")
    monkeypatch.setattr(tool, "TARGET", tmp_path / "assets" / "en-small")
    (tmp_path / "work").mkdir()
    tool.prepare(small)
    tool.fit(
        6,
        {
            "training.eval_frequency": 3,
            "components.parser.min_action_freq": 1,
            "components.tok2vec.model.embed.include_static_vectors": False,
        },
    )
    monkeypatch.setattr(tool, "MOST_BYTES", 1000)
    with pytest.raises(SystemExit, match=r"bytes and may have 1,000"):
        tool.ship(small)
    assert not tool.TARGET.exists()
    monkeypatch.setattr(tool, "MOST_BYTES", 25_000_000)
    tool.ship(small)
    tool.ship(small)  # over the one before
    assert [path.name for path in tool.TARGET.parent.iterdir()] == ["en-small"]
    made = tomllib.loads((tool.TARGET / "card.toml").read_text(encoding="utf8"))
    words = sum("\t" in line for line in SENTENCES.read_text(encoding="utf8").splitlines())
    assert made["training_words"] == {"EWT": words, "GUM": words}
    assert made["steps"] == 6
    assert set(made["gold"]) == set(made["raw"]) == {"EWT", "GUM"}
    assert f"{made['gold']['EWT']['las']:.2f}" in (tool.TARGET / "README.md").read_text(encoding="utf8")
    assert "work" not in (tool.TARGET / "config.cfg").read_text(encoding="utf8").split("[system]")[0]
    [trees] = open_pipeline(str(tool.TARGET)).trees(["The nurse said that she was tired."])
    assert sum(map(len, trees)) == 8


@pytest.mark.slow
def test_vectors_give_unknown_words_a_place(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("floret", reason="floret is not installed here: make test-floret")
    monkeypatch.setattr(tool, "WORK", tmp_path)
    tool.vectors(small)
    made = spacy.load(tmp_path / "vectors").vocab
    assert made.vectors.shape == (20_000, 96)
    assert "nurses" not in {
        row[0] for row in map(str.split, SENTENCES.read_text(encoding="utf8").splitlines()) if row
    }
    assert made["nurses"].vector.any()


def test_nothing_is_shipped_before_it_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "WORK", tmp_path)
    with pytest.raises(SystemExit, match="run `train` first"):
        tool.ship(tmp_path)


# ---------------------------------------------------------------------------------------------- shipped


def test_the_shipped_parser_keeps_its_promises() -> None:
    scores = tomllib.loads((SHIPPED / "card.toml").read_text(encoding="utf8"))["gold"]["EWT"]
    assert scores["uas"] >= 84
    assert scores["las"] >= 80
    assert scores["tags"] >= 93
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) <= 25_000_000


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the treebanks of ../shared are not here")
def test_the_card_tells_the_scores_of_what_lies_beside_it() -> None:
    nlp = spacy.load(SHIPPED)
    made = tomllib.loads((SHIPPED / "card.toml").read_text(encoding="utf8"))
    found = tool.treebank(SHARED, "test", nlp.vocab)
    for name, documents in found.items():
        assert tool.gold_scores(nlp, tool.sentences(documents)) == pytest.approx(made["gold"][name], abs=0.05)
        assert tool.raw_scores(nlp, documents) == pytest.approx(made["raw"][name], abs=0.05)
