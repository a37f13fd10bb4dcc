"""Prompts and categories of words of one's own, on the tab FairPair: brought in, taken out, deleted."""

from __future__ import annotations

from pcf_core.app.own import OwnPanel
from pcf_core.show.findings.numbers import count, listed
from pcf_core.texts.fairpair.categories import OWN as OWN_CATEGORIES
from pcf_core.texts.fairpair.categories import SHELF, SHIPPED, categories_toml
from pcf_core.texts.fairpair.own_prompts import OWN as OWN_PROMPTS
from pcf_core.texts.fairpair.own_prompts import load_prompts_upload, prompts_toml
from pcf_core.texts.fairpair.prompts import ENDINGS
from pcf_core.texts.fairpair.records import CategorySet, PromptSet

FIRST = "common-sents-1"
FORMS = "Each prompt names one person as {name}: text with a prompt a line, CSV or TOML, in one file."
EXAMPLES = {
    "**Text**, a prompt a line": "{name} is a nurse.\n{name}'s day begins at six.\n",
    "**CSV**; the column *category* may be left out": "text,category\n{name} is a nurse.,work\n"
    "{name} feeds the cat.,home\n",
    "**TOML**; a name, title, names, source and notes may stand above": """\
names = ["John", "Jane"]

[[prompts]]
text = "{name} is a nurse."
category = "work"
""",
}


def prompts_finding(prompts: PromptSet) -> str:
    """Say what a set is."""
    named = [category for category in prompts.categories if category]
    about = f" in {count(len(named), 'category', 'categories')}" if named else ""
    examples = listed([f"“{text}”" for text in prompts.texts[:2]])
    return f"“{prompts.title}” has {count(len(prompts.prompts), 'prompt')}{about}: {examples} …"


PROMPTS = OwnPanel(
    what="Prompts",
    own=OWN_PROMPTS,
    key="prompts",
    shown="fp_prompts",
    first=lambda: FIRST,
    forms=FORMS,
    examples=EXAMPLES,
    endings=ENDINGS,
    read=load_prompts_upload,
    said=prompts_finding,
    text=prompts_toml,
    use="what the command fairpair reads as --prompts",
    besides={"fp_category": []},
)

CATEGORY_FORMS = (
    "CSV with the columns category and word, or TOML as the download is. A word counts as it is, in small or "
    "large letters; with * at its end, whatever begins so."
)


def categories_finding(several: CategorySet) -> str:
    """Say what a set is."""
    each = [f"{category.title} ({len(category.words):,})" for category in several.categories]
    return f"{count(len(each), 'category', 'categories')} with so many words: {listed(each)}."


CATEGORIES = OwnPanel(
    what="Categories of words",
    own=OWN_CATEGORIES,
    key="categories",
    shown="fp_categories",
    first=lambda: SHIPPED,
    forms=CATEGORY_FORMS,
    examples={},
    endings=SHELF.accepts,
    read=OWN_CATEGORIES.read_upload,
    said=categories_finding,
    text=categories_toml,
    use="what the command fairpair reads as --categories",
)
