"""A topic in sentences: what it compares, what a model makes of its words, which it cannot tell apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import median

from pcf_core.core.probe import TopicCheck
from pcf_core.core.records import LeftOut
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.core.topics import Evidence, Topic
from pcf_core.show.findings.notes import words_with
from pcf_core.show.findings.numbers import chance, count, listed, odds

MOST_GROUPS = 4  # named with their words; more are counted
MOST_NAMED = 8
MOST_TERMS = 3
POSITIONS = {
    "subject": "Its words begin a clause, as in “The nurse said that …”",
    "predicate": "Its words end a clause, as in “The nurse, who came, is …”",
}


def list_finding(evidence: Evidence) -> str:
    """Count the terms of an evidence list, name the first, and say whether they have weights."""
    weighed = "each with a weight of the list's own" if evidence.weights else "without weights of its own"
    first = ", ".join(evidence.terms[:MOST_TERMS])
    end = ", …" if len(evidence.terms) > MOST_TERMS else "."
    return f"It has {count(len(evidence.terms), 'term')}, {weighed}: {first}{end}"


def topic_finding(topic: Topic) -> str:
    """Say what the topic compares: "It compares male (39 words) with female (39 words) …"."""
    sizes = [len(group.words) for group in topic.groups]
    if len(sizes) > MOST_GROUPS:
        least, most = min(sizes), max(sizes)
        words = count(most, "word") if least == most else f"{least:,} to {most:,} words"
        compared = f"It compares {len(sizes):,} groups of {words} each"
    else:
        groups = [f"{group.name} ({count(len(group.words), 'word')})" for group in topic.groups]
        compared = f"It compares {listed(groups)}"
    return f"{compared}. {POSITIONS[topic.position]}."


def words_finding(
    model: str,
    topic: Topic,
    check: TopicCheck,
    left_out: Collection[LeftOut],
    single_left_out: Collection[LeftOut],
) -> str:
    """Say how many words a model can score, and how many of them single-token would leave out.

    Parameters
    ----------
    model
        Its name.
    topic
        The words.
    check
        What the model's tokenizer made of them.
    left_out
        All that does not count whatever the protocol, what cannot be scored among it.
    single_left_out
        All that single-token leaves out, ``left_out`` among it.
    """
    scored, words = len(check.tokens), len(topic.words)
    if not scored:
        return f"{model} can score none of the {count(words, 'word')}."
    all_of = f"all {words:,} words" if scored == words else f"{scored:,} of {count(words, 'word')}"
    never = {item.name for item in left_out}
    empty = [group.name for group in topic.groups if never.issuperset(group.words)]
    lost = f" No word of {listed(empty)} is left, so that nothing can be compared." if empty else ""
    out = [check.tokens[item.name] for item in single_left_out if item.name not in never]
    if not out:
        each = (
            ", each of one token"
            if set(check.tokens.values()) == {1}
            else "; those that count have one token"
        )
        return f"{model} can score {all_of}{each}.{lost}"
    single = {item.name for item in single_left_out}
    bare = [group.name for group in topic.groups if single.issuperset(group.words)]
    if bare and not empty:
        lost = f" No word of {listed(bare)} would be left, so that nothing could be compared under it."
    with_others = out.count(1)  # words of one token go because a counterpart does
    why = f", {with_others:,} of them for their counterparts" if with_others else ""
    return (
        f"{model} can score {all_of}. Single-token scoring would leave out {len(out):,} of these{why}.{lost}"
    )


def probes_finding(model: str, check: TopicCheck) -> str:
    """Say how much probability the words get together, over the probes; empty if none can be scored.

    Of words of different numbers of tokens, which are no shares of one whole, those that get most are named.
    """
    found = check.coverage_by_tokens
    if not found and None not in check.coverage:  # no word counts
        return ""
    if not found:
        return f"Coverage by {model} is not defined here: it scores the rest of the sentence with the word."
    key, shares = max(found.items(), key=lambda item: median(item[1]))
    words = "the words" if key == "all" else f"the {words_with(key).removesuffix(': ')}"
    others = " Words of other numbers of tokens get less, each kind by itself." if len(found) > 1 else ""
    return (
        f"On {count(len(check.texts), 'sentence')}, {model} gives {words} together a median probability of "
        f"{chance(median(shares))}. The least is {chance(min(shares))}, the most "
        f"{chance(max(shares))}.{others}"
    )


def low_probes_caution(model: str, check: TopicCheck) -> str:
    """Warn where on most probes no kind of words gets much; empty elsewhere."""
    defined = [shares for shares in check.coverage if shares]
    low = sum(max(shares.values()) < LOW_COVERAGE for shares in defined)
    if 2 * low <= len(defined):
        return ""
    return (
        f"{model} hardly expects these words. On {low:,} of {count(len(defined), 'sentence')} all of them "
        f"together get a probability below {odds(LOW_COVERAGE)}. Check that the templates suit the topic, "
        "and that the model suits its language."
    )


def same_tokens_cautions(model: str, topic: Topic, check: TopicCheck) -> list[str]:
    """Name words that the model cannot tell apart.

    Those of one group count once, of several groups for none.
    """
    owner = {word: group.name for group in topic.groups for word in group.words}
    within = [words for words in check.same if len({owner[word] for word in words}) == 1]
    across = [words for words in check.same if len({owner[word] for word in words}) > 1]
    sentences = []
    if across:
        sentences.append(
            f"{model} reads words of different groups as the same: {_families(across)}. They are left out "
            "for all of these groups."
        )
    if within:
        sentences.append(
            f"{model} reads these as the same word: {_families(within)}. The first of each counts, once."
        )
    return sentences


def forms_note(families: Sequence[Sequence[str]]) -> str:
    """Name inflections by simple rules, which all count; empty where there are none."""
    if not families:
        return ""
    return (
        f"Forms of one word, by simple rules of English: {_families(families)}. Each counts as a word of its "
        "own. The template decides which of them fits."
    )


def _families(families: Sequence[Sequence[str]]) -> str:
    some = [" = ".join(family) for family in families[:MOST_NAMED]]
    more = len(families) - MOST_NAMED
    return "; ".join([*some, f"and {more:,} more"] if more > 0 else some)
