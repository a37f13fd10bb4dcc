"""A parser of Chinese: which are opened, which are refused, and what becomes of their labels.

spaCy's own package of Chinese is not at hand: its labels are on sentences annotated by hand, and what is
opened is a pipeline of its language, labels and parts that has learned nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from pcf_core.core.errors import PipelineError
from pcf_core.mining import chinese
from pcf_core.mining.parser.pipeline import open_pipeline, tree_of
from pcf_core.mining.parser.schemes import SHIPPED, check_language, scheme_of
from tests.mining.hand import texts, tree

# Part of the labels of zh_core_web_sm 3.8, as its card lists them.
LABELS = (
    "ROOT",
    "nsubj",
    "dobj",
    "ccomp",
    "case",
    "nmod:assmod",
    "nmod:tmod",
    "mark:clf",
    "aux:asp",
    "neg",
    "punct",
)
TEXT = "护士说她很累。医生失去了他的工作。"


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """A function that writes a pipeline of a parser with these labels, each character a word."""

    def written(*labels: str, language: str = "zh", factory: str = "parser") -> str:
        nlp = spacy.blank(language)
        part = nlp.add_pipe(factory)
        for label in labels:
            part.add_label(label)  # type: ignore[attr-defined]
        nlp.initialize()
        folder = tmp_path_factory.mktemp("chinese")
        nlp.to_disk(folder)
        return str(folder)

    return written


def test_a_parser_of_chinese_needs_no_tags_and_no_lemmas(untrained: Callable[..., str]) -> None:
    opened = open_pipeline(untrained(*LABELS), "zh")
    assert opened.scheme == "stanford"
    (trees,) = opened.trees([TEXT])
    assert "".join(word for one in trees for word in one.words) == TEXT
    for one in trees:
        assert one.relations[one.root] == "root"
        assert sorted(one.subtree(one.root)) == list(range(len(one)))
        assert TEXT.startswith("".join(one.words), one.offset)


def test_a_parser_of_another_language_is_refused_with_what_to_name(untrained: Callable[..., str]) -> None:
    with pytest.raises(
        PipelineError,
        match=r"A parser for Chinese \('zh'\) is needed, but en-mini is for 'en': .* zh_core_web_sm",
    ):
        open_pipeline(SHIPPED, "zh")
    with pytest.raises(
        PipelineError, match=r"A parser for English \('en'\) is needed, .* is for 'zh': .* en_core_web_sm"
    ):
        open_pipeline(untrained(*LABELS))


def test_it_is_refused_without_being_loaded_where_it_is_here(untrained: Callable[..., str]) -> None:
    with pytest.raises(PipelineError, match=r"Chinese \('zh'\) is needed, but en-mini is for 'en'"):
        check_language(SHIPPED, "zh")
    check_language(SHIPPED, "en")
    check_language(untrained(*LABELS), "zh")
    check_language("zh_core_web_not_here", "en")  # a worker elsewhere may have it


def test_a_pipeline_without_a_parser_is_refused(untrained: Callable[..., str]) -> None:
    with pytest.raises(
        PipelineError, match=r"has no parser \(it has tagger\), and mining Chinese needs parser"
    ):
        open_pipeline(untrained("NN", factory="tagger"), "zh")


def test_other_labels_are_refused(untrained: Callable[..., str]) -> None:
    with pytest.raises(
        PipelineError, match=r"or of Stanford's converter, .* but it has .*pobj.*choose another"
    ):
        open_pipeline(untrained("nsubj", "dobj", "pobj", "prep", "auxpass"), "zh")


def test_each_language_has_schemes_of_its_own() -> None:
    assert scheme_of(LABELS, "zh") == "stanford"
    assert scheme_of(["nsubj", "obj", "obl", "case", "cop"], "zh") == "ud"
    with pytest.raises(PipelineError, match="or of ClearNLP"):
        scheme_of(LABELS)


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("这 DT 3 det; 位 M 1 mark:clf; 护士 NN 4 nsubj; 说 VV 0 root; 她 PN 6 nsubj; 累 VA 4 ccomp",
         "这位[X]说[Y]"),
        ("医生 NN 3 nsubj; 没有 AD 3 neg; 表示 VV 0 root; 他 PN 5 nsubj; 累 VA 3 ccomp",
         "这位[X]没有表示[Y]"),
        ("去年 NT 3 nmod:tmod; 记者 NN 3 nsubj; 失去 VV 0 root; 了 AS 3 aux:asp; 他 PN 7 nmod:assmod;"
         "的 DEG 5 case; 工作 NN 3 dobj", "这位[X]失去了[Y]的工作"),
        ("护士 NN 2 compound:nn; 王芳 NR 3 nsubj; 说 VV 0 root; 她 PN 6 nsubjpass; 被 SB 6 auxpass;"
         "解雇 VV 3 ccomp", "这位[X]说[Y]"),
    ],
)  # fmt: skip
def test_stanfords_labels_are_read_as_those_of_universal_dependencies(text: str, template: str) -> None:
    one = tree(text)
    deps = ["ROOT" if relation == "root" else relation for relation in one.relations]
    doc = Doc(Vocab(), words=list(one.words), tags=list(one.tags), heads=list(one.heads), deps=deps)
    converted = tree_of(doc[:], "stanford")
    finders = (chinese.clause, chinese.possessive)
    assert [template] == [one for find in finders for one in texts(find(converted, chinese.PRONOUNS, ()))]
