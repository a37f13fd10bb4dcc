"""What the rules make of sentences of our own: a table of trees, random trees, and the shipped parser.

A line of ``sentences.tsv`` under the name of a construction is what it mines from the tree; ``zh`` goes
before those of Chinese.  Under other names stand the parts of the rules, listed in ``PARTS``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given

from pcf_core.core.errors import TopicError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import Group, Part, Topic
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.mining import persons
from pcf_core.mining.clauses import repaired
from pcf_core.mining.constructions import CHINESE, CONSTRUCTIONS, LOWER, PRECISION
from pcf_core.mining.coreference import judge
from pcf_core.mining.owners import Host, host_of, host_that_owns, opened, owns
from pcf_core.mining.parser.schemes import READINGS
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.predicates import general_predicate, predicate
from pcf_core.mining.rules import LANGUAGES, Rule, language_of, rule_for
from pcf_core.mining.substitutes import in_general
from pcf_core.mining.unrivalled import the_only_one
from pcf_core.mining.verb_groups import Candidate, Dropped, Refused, finite
from pcf_core.texts.criteria.rates import wilson
from tests.mining.hand import NOTHING, Case, cases, texts, tree, trees

ENGLISH_WORDS = frozenset(
    {"he", "she", "his", "her", "him", "himself", "herself", "woman", "man", "deaf", "a muslim"}
)
CHINESE_WORDS = frozenset({"他", "她", "男人", "女人"})
FITS: dict[str, Part] = {
    **dict.fromkeys([name for name in CONSTRUCTIONS if name.startswith("possessive")], "determiner"),
    **dict.fromkeys(("object", "object-alone"), "object"),
    **dict.fromkeys(("reflexive", "reflexive-elsewhere", "emphatic"), "reflexive"),
    **dict.fromkeys(("noun", "noun-elsewhere", "apposition"), "noun"),
    **dict.fromkeys(("adjective", "adjective-elsewhere"), "adjective"),
}  # fmt: skip
CASES = tuple(cases())


def host(found: Host | None, one: Tree) -> str:
    if found is None:
        return NOTHING
    passed = "".join(f", past {one.words[subject]}" for subject in found.passed)
    return f"{one.words[found.verb]} of {one.words[found.subject]}{passed}"


def owner(case: Case) -> str:
    found = host_that_owns(case.tree, case.marked[">"])
    if found is None:
        return NOTHING
    verdict = owns(case.tree, found, case.marked[">"])
    return f"{verdict.reason}: {host(found, case.tree)}" if verdict.accepted else f"- {verdict.reason}"


def judged(case: Case) -> str:
    verdict = judge(case.tree, case.marked["<"], case.marked[">"])
    return verdict.reason if verdict.accepted else f"- {verdict.reason}"


def only_one(case: Case) -> str:
    subject = the_only_one(case.tree, case.marked[">"])
    return NOTHING if subject is None else case.tree.words[subject]


def head(case: Case) -> int:
    return case.marked.get("<", case.tree.root)


PARTS: dict[str, Callable[[Case], str]] = {
    "host": lambda case: host(host_of(case.tree, case.marked[">"]), case.tree),
    "owner": owner,
    "opened": lambda case: opened(case.tree, case.tree.words.index("job"), ("[Y]", "job"), {"he", "his"}),
    "in general": lambda case: " ".join(predicate(in_general(case.tree, 0), case.tree.root)),
    "general predicate": lambda case: " ".join(general_predicate(case.tree, case.tree.root)),
    "predicate": lambda case: " ".join(predicate(case.tree, head(case))),
    "verb group": lambda case: " ".join(finite(case.tree, head(case))),
    "judge": judged,
    "only one": only_one,
    "person": lambda case: "yes" if persons.names_one_person(case.tree, case.tree.root) else NOTHING,
    "gender": lambda case: persons.gender_of(case.tree, case.tree.root) or NOTHING,
}


def mined(case: Case) -> list[Candidate | Dropped]:
    language, _, name = case.rule.rpartition(" ")
    if language:
        return list(CHINESE[name].find(case.tree, ("他", "她"), CHINESE_WORDS))
    return list(CONSTRUCTIONS[name].find(case.tree, CONSTRUCTIONS[name].taken(ENGLISH_WORDS), ENGLISH_WORDS))


def made(case: Case) -> str:
    """What comes of a case, as the table writes it."""
    if case.rule not in PARTS:
        found = [f"- {one.reason}" if isinstance(one, Dropped) else one.text for one in mined(case)]
        return " | ".join(found) or NOTHING
    try:
        return PARTS[case.rule](case)
    except Refused as reason:
        return f"- {reason}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.why or case.expected}")
def test_a_sentence_gives_what_the_table_says(case: Case) -> None:
    assert made(case) == case.expected


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.marked and case.rule not in PARTS], ids=lambda case: case.rule
)
def test_a_template_knows_what_stood_at_x_and_y_and_what_fits_there(case: Case) -> None:
    (found,) = mined(case)
    assert isinstance(found, Candidate)
    assert (found.subject, found.word) == (case.marked["<"], case.marked.get(">"))
    if "a [Y]" not in found.text and found.text == "The [X] became [Y]":
        assert found.fits == ("phrase",)
    elif case.rule == "attributive":
        assert found.fits == ("phrase", "adjective")
    else:
        assert found.fits == (FITS.get(case.rule, "pronoun"),)


def test_every_construction_has_a_sentence_and_chinese_as_many_as_the_document_says() -> None:
    mined_by = {case.rule for case in CASES if case.expected != NOTHING}
    assert mined_by >= {*CONSTRUCTIONS, *(f"zh {name}" for name in CHINESE), *PARTS}
    tried = {case.tree for case in CASES if case.rule.startswith("zh ")}
    assert f"for {len(tried)} sentences of our own" in (ROOT / "docs" / "mining.md").read_text(
        encoding="utf8"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Smith NNP 2 nsubj; said say VBD 0 root; that IN 5 mark; he PRP 5 nsubj; won win VBD 2 ccomp",
        "Smith NNP 2 nsubj; left leave VBD 0 root; when WRB 5 advmod; he PRP 5 nsubj; won win VBD 2 advcl",
        "Smith NNP 2 nsubj; saw see VBD 0 root; the DT 4 det; film NN 2 obj; that WDT 7 obj; he PRP 7 nsubj;"
        "made make VBD 4 acl:relcl",
        "Smith NNP 2 nsubj; went go VBD 0 root; if IN 5 mark; he PRP 5 nsubj; won win VBD 2 advcl",
    ],
)
def test_a_right_parse_stays_as_it_is(text: str) -> None:
    parsed = tree(text)
    assert repaired(parsed, parsed.heads[parsed.words.index("he")]) is parsed


@given(trees())
def test_whatever_the_tree_every_template_is_well_formed(parsed: Tree) -> None:
    """One [X] first, one [Y], lower-case words between, nobody named, at most so many words."""
    for name, one in CONSTRUCTIONS.items():
        for found in one.find(parsed, one.taken(ENGLISH_WORDS), ENGLISH_WORDS):
            if isinstance(found, Dropped):
                assert found.reason
                continue
            assert found.text.startswith("The [X]") or " the [X] " in found.text
            assert found.text.count("[X]") == found.text.count("[Y]") == 1
            plain = found.text[0].lower() + found.text[1:]
            inside = plain.replace("[X]", "").replace("[Y]", "").replace(",", "").split()
            assert len(inside) <= 16
            assert all(word.islower() and word.isalpha() for word in inside)
            assert not {"smith", "actress", "five", "self"} & set(inside)
            if name in ("clause", "attributive"):
                assert not {"he", "she", "his", "nurse"} & set(inside)


# Which rule a topic needs.

RACE = make_topic(
    "race",
    [Group(name="a", words=("white",)), Group(name="b", words=("Black", "African"))],
    position="predicate",
)
UNREAD = make_topic("own", [Group(name="a", words=("that one",)), Group(name="b", words=("hers",))])
NOUNS = make_topic("own", [Group(name="a", words=("man",)), Group(name="b", words=("woman",))])
FRENCH = make_topic("fr", [Group(name="a", words=("il",)), Group(name="b", words=("elle",))], language="fr")
GENDER, GENDER_ZH = load_topic("gender"), load_topic("gender-zh")


def test_the_position_of_a_topic_decides_the_rule() -> None:
    clausal, attributive = rule_for([GENDER]), rule_for([RACE])
    assert (clausal.name, clausal.wanted[:4]) == ("clausal", ("he", "she", "his", "her"))
    assert {"woman", "man"} <= set(clausal.wanted)
    assert rule_for([NOUNS]).wanted == ("man", "woman")
    assert attributive.name == "attributive"
    words = set(attributive.wanted)
    assert {"nurse", "nurses", "policeman", "policemen", "ceo", "secretary", "secretaries"} <= words
    assert not {"model", "models", "managment", "ii", "senior"} & words


@pytest.mark.parametrize(
    ("constructions", "wanted"),
    [
        (["clause"], ("he", "she")),
        (["possessive"], ("his", "her")),
        (["reflexive", "clause"], ("he", "she", "himself", "herself")),
    ],
)
def test_the_words_that_are_searched_for_are_those_of_the_constructions(
    constructions: list[str], wanted: tuple[str, ...]
) -> None:
    assert rule_for([GENDER], constructions).wanted == wanted


@pytest.mark.parametrize("rule", [rule_for([GENDER]), rule_for([RACE]), rule_for([GENDER_ZH], ("clause",))])
def test_a_rule_travels_to_a_worker(rule: Rule) -> None:
    assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301


def test_a_rule_for_chinese_says_what_it_searches_for() -> None:
    rule = rule_for([GENDER_ZH], ("clause",))
    assert (rule.language, rule.looked_for) == ("zh", "他 or 她")
    assert rule.form == "one of these forms: “护士说她累了。”"


def test_a_sentence_gives_what_each_construction_finds_in_it_without_words_of_the_topic() -> None:
    text = (
        "Smith NNP 2 nsubj; ended end VBD 0 root; his PRP$ 4 nmod:poss; career NN 2 obj; when WRB 7 advmod;"
        "he PRP 7 nsubj; fell fall VBD 2 advcl"
    )
    found = rule_for([GENDER], ["clause", "possessive"]).skeletons(tree(text))
    assert texts(found) == ["The [X] ended the career when [Y]", "The [X] ended [Y] career"]
    wore = tree("The the DT 2 det; pilot NN 3 nsubj; wore wear VBD 0 root; white NN 3 obj")
    assert texts(rule_for([RACE]).skeletons(wore)) == [Dropped("a hint at the group")]
    nurse = next(case.tree for case in CASES if case.rule == "zh possessive")
    assert texts(CHINESE["possessive"].find(nurse, ("她",), {"工作"})) == [Dropped("a hint at the group")]
    assert texts(CHINESE["possessive"].find(nurse, ("他",), ())) == []


@pytest.mark.parametrize("name", [name for name, one in CONSTRUCTIONS.items() if one.measured is not None])
def test_on_by_itself_is_what_is_known_to_be_precise(name: str) -> None:
    one = CONSTRUCTIONS[name]
    right, accepted = one.measured or (0, 0)
    assert one.lower == pytest.approx(wilson(right, accepted)[0] if accepted else 0.0, abs=1e-6)
    assert one.on == (accepted > 0 and right / accepted >= PRECISION and one.lower >= LOWER)
    assert one.standing.startswith("on" if one.on else "off")


def test_what_is_on_by_itself() -> None:
    subject, predicate = (LANGUAGES["en"].chosen(position) for position in ("subject", "predicate"))
    assert [one.name for one in subject] == [
        "clause", "where", "alone", "possessive", "possessive-elsewhere", "object-alone", "reflexive", "noun",
        "noun-elsewhere",
    ]  # fmt: skip
    assert [one.name for one in predicate] == ["attributive", "noun", "noun-elsewhere"]
    chinese = LANGUAGES["zh"]
    assert [one.name for one in chinese.chosen("subject", ["possessive"])] == ["possessive"]
    assert {one.standing for one in chinese.constructions.values()} == {"off by itself: not measured"}


def test_a_language_of_the_rules_is_one_of_the_parser_with_lists_of_its_own() -> None:
    assert {code: one.name for code, one in LANGUAGES.items()} == {
        code: reading.name for code, reading in READINGS.items()
    }
    assert LANGUAGES["en"].lists() == persons.lists_identity() != LANGUAGES["zh"].lists()


@pytest.mark.parametrize(("code", "language"), [("en-GB", "en"), ("zh", "zh"), ("zh-Hans", "zh")])
def test_the_first_part_of_the_code_decides(code: str, language: str) -> None:
    assert language_of([make_topic("own", NOUNS.groups, language=code)]) == language


@pytest.mark.parametrize(
    ("topics", "constructions", "message"),
    [
        ([], (), "one position, .* no topic was given"),
        ([GENDER, RACE], (), "one position"),
        ([UNREAD], (), "in the constructions that are used by default"),
        ([load_topic("gender-pronouns")], ["possessive"], "in the constructions that were chosen"),
        ([FRENCH], (), "mined from English or Chinese only, but the topic fr is in the language fr"),
        ([GENDER, GENDER_ZH], (), "of one language, but gender is in en and gender-zh is in zh: mine"),
        ([GENDER_ZH], (), "No construction of Chinese is used by default.*: choose from clause, poss"),
        ([make_topic("zh", NOUNS.groups, language="zh", position="predicate")], (),
         "whose words are subjects, but .* are predicates: give its"),
        ([RACE], ["possessive"], "no construction 'possessive'.*predicates: choose from attributive"),
    ],
)  # fmt: skip
def test_topics_that_no_rule_fits_are_refused(
    topics: list[Topic], constructions: list[str], message: str
) -> None:
    with pytest.raises(TopicError, match=message):
        rule_for(topics, constructions)


# The rules on sentences of our own through the shipped parser.

PARSED = {
    "Detective Smith said he would leave no stone unturned.": "The [X] said that [Y]",
    "In May 1990, Miller announced that she would leave the company.": "The [X] announced that [Y]",
    "Anna Berg has often claimed that she never met him.": "The [X] claimed that [Y]",
    "The nurse explained that she had worked all night.": "The [X] explained that [Y]",
    "Mr. Dale retired when he was seventy.": "The [X] retired when [Y]",
    "Taylor did not know that he had won.": "The [X] did not know that [Y]",
    "Three inspectors were appointed in May.": "The [X], who was appointed, is [Y]",
    "The teachers participate in the programme every year.": "The [X], who participated, is [Y]",
    "The soldiers were killed near the river.": "The [X], who was killed, was [Y]",
    "He likes the sea.": "",
    "When she arrived, the bus was late.": "",
    "The film shows that he was wrong.": "",
}


@pytest.fixture(scope="module")
def parse() -> Callable[[str], list[str]]:
    """Templates of a text by either rule, through the product's parser."""
    from pcf_core.mining.parser.pipeline import open_pipeline

    pipeline = open_pipeline("en-mini")
    rules = rule_for([GENDER]), rule_for([RACE])

    def templates(text: str) -> list[str]:
        parsed = [one for parts in pipeline.trees([text]) for one in parts]
        found = [found for one in parsed for rule in rules for found in texts(rule.skeletons(one))]
        return [template for template in found if isinstance(template, str)]

    return templates


@pytest.mark.parametrize(("text", "template"), PARSED.items())
def test_a_sentence_gives_its_template(parse: Callable[[str], list[str]], text: str, template: str) -> None:
    assert template in parse(text) if template else parse(text) == []
