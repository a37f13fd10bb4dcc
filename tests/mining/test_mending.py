"""Each repair of a parse, and that it leaves alone what is right."""

from __future__ import annotations

import pytest

from pcf_core.mining.clausal import clausal
from pcf_core.mining.mending import mended
from tests.mining.hand import tree

WRONG = {
    "Smith Smith NNP 2 nsubj; decided decide VBD 0 root; whether whether IN 5 mark; he he PRP 5 nsubj;"
    "stayed stay VBD 2 advcl": ("The [X] decided whether [Y]"),
    "Smith Smith NNP 2 nsubj; knew know VBD 0 root; what what WP 2 obj; he he PRP 5 nsubj;"
    "wanted want VBD 3 acl:relcl": ("The [X] knew what [Y]"),
    "Smith Smith NNP 2 nsubj; told tell VBD 0 root; the the DT 4 det; press press NN 2 obj;"
    "that that IN 7 mark;"
    "he he PRP 7 nsubj; won win VBD 4 acl:relcl": "The [X] told the press that [Y]",
}
RIGHT = (
    "Smith Smith NNP 2 nsubj; said say VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj;"
    "won win VBD 2 ccomp",
    "Smith Smith NNP 2 nsubj; left leave VBD 0 root; when when WRB 5 advmod; he he PRP 5 nsubj;"
    "won win VBD 2 advcl",
    "Smith Smith NNP 2 nsubj; saw see VBD 0 root; the the DT 4 det; film film NN 2 obj; that that WDT 7 obj;"
    "he he PRP 7 nsubj; made make VBD 4 acl:relcl",
    "Smith Smith NNP 2 nsubj; went go VBD 0 root; if if IN 5 mark; he he PRP 5 nsubj; won win VBD 2 advcl",
)


@pytest.mark.parametrize(("text", "template"), WRONG.items(), ids=WRONG.values())
def test_a_clause_is_put_where_it_belongs(text: str, template: str) -> None:
    parsed = tree(text)
    pronoun = parsed.words.index("he")
    better = mended(parsed, parsed.heads[pronoun])
    assert better.heads[parsed.heads[pronoun]] == parsed.root
    assert better.words == parsed.words
    assert [found.text for found in clausal(parsed, ("he",))] == [template]


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_parse_stays_as_it_is(text: str) -> None:
    parsed = tree(text)
    assert mended(parsed, parsed.heads[parsed.words.index("he")]) is parsed
