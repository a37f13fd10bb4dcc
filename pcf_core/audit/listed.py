"""Sampled runs of a server that lists the likeliest first tokens with their probabilities.

Nothing is drawn: a word of one token that is in the list has its probability there.  What the list does not
show is a bound: all tokens beyond it, and listed ones with which a word of the topic may begin, such as part
of it, white space or a quotation mark.  The tokens beyond the list have what it leaves of the probability: as
a word has several spellings (*They*, *they*), no single token bounds it.

**Worked example.**  Of the words she, he and they, a list has " she" .5, " He" .3, " th" .1 and " it" .06.
The preference is .625 for *she* and .375 for the others, and coverage is .8.  At most .14 is unseen: .04 is
beyond the list, and " th" may begin "they".
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.topics import Topic

MARKS = " \t\n\"'“”‘’«»(*_"  # before a word, also of a sampled text


def listed_shares(texts: Iterable[str], topic: Topic) -> FloatArray:
    """Return [cell, group and two more] probabilities: of each group, of other tokens, and unseen at most.

    Examples
    --------
    >>> from pcf_core.core.topics import Group
    >>> groups = Group(name="women", words=("she",)), Group(name="men", words=("he", "they"))
    >>> listed = {" she": 0.5, " He": 0.3, " th": 0.1, " it": 0.06}
    >>> text = json.dumps([(token, math.log(share)) for token, share in listed.items()])
    >>> listed_shares([text], Topic(name="", title="", groups=groups)).round(3).tolist()
    [[0.5, 0.3, 0.06, 0.14]]
    """
    words = {word.casefold(): index for index, group in enumerate(topic.groups) for word in group.words}
    rows = []
    for text in texts:
        row, groups = np.zeros(len(topic.groups) + 2), len(topic.groups)
        for token, nats in json.loads(text):
            word = token.strip(MARKS).casefold()
            begins = any(one.startswith(word) for one in words)
            row[words.get(word, groups + 1 if begins else groups)] += math.exp(nats)
        row[-1] += max(0.0, 1 - row.sum())
        rows.append(row)
    return np.array(rows)


def unseen_note(shares: FloatArray, listed: int) -> str:
    """State the bound of what [cell, group and two more] shares leave open, on average and at most."""
    unseen = shares[:, -1]
    return (
        f"The server lists the {listed} likeliest first tokens, so nothing is drawn. Words that the list may "
        f"hide have at most {100 * unseen.mean():.1f} % of the probability on average, and at most "
        f"{100 * unseen.max():.1f} % in one test sentence."
    )
