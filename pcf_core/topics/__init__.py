"""Topics, evidence, templates, weights: load, validate, say what was refused or left out and why.

``topic_files``, ``groups`` and ``products``: what a topic's file says, and intersections; ``suiting``: the
template sets that fit a topic; ``previewing``: the sentences they make; ``forms``: words that are forms of
one; ``swapping``: X and Y in each other's place.  ``factors`` and ``own_factors``:
figures of the occupations, shipped and the user's.  ``templates`` and ``template_files``: sets and their
files, ``editing``: sets changed by hand, ``comparing``: two of them side by side.  ``own_topics``,
``own_sets``, ``own_knowledge`` and ``own_evidence``: what users keep.

Layer: reads files of the assets folder and of the user, writes the user's own, returns records of
:mod:`pcf_core.records`.  May import records, errors, settings, numpy, pydantic, pyarrow (where it is used)
and the standard library; nothing else of the core.
"""

from pcf_core.topics.comparing import SetComparison, compare_sets
from pcf_core.topics.evidence import left_out_evidence, list_evidence, load_evidence, make_evidence
from pcf_core.topics.factors import Factor, factors
from pcf_core.topics.own_factors import load_own_factor, read_own_factor
from pcf_core.topics.own_sets import check_new_name, delete_set, load_upload, save_set
from pcf_core.topics.own_topics import (
    check_new_topic_name,
    copied,
    delete_topic,
    free_topic_name,
    load_topic_upload,
    own_topics,
    save_topic,
    topic_toml,
)
from pcf_core.topics.published import PublishedRisk, published_risks
from pcf_core.topics.published_names import (
    PublishedModel,
    published_models,
    published_name,
    published_of_topic,
    speaks_of,
)
from pcf_core.topics.read import read_counts
from pcf_core.topics.suiting import suiting_sets, template_cards
from pcf_core.topics.swapping import swapped
from pcf_core.topics.template_card import card_text, make_card
from pcf_core.topics.template_files import csv_bytes
from pcf_core.topics.template_parquet import parquet_bytes
from pcf_core.topics.templates import (
    left_out_template_sets,
    list_template_sets,
    load_card,
    load_mined,
    load_templates,
    make_mined,
    make_templates,
    own_template_sets,
    template_weights,
)
from pcf_core.topics.topics import left_out_topics, list_topics, load_topic, make_topic
from pcf_core.topics.weights import labour_reference, make_weights, occupation_weights, womens_share

__all__ = [
    "Factor",
    "PublishedModel",
    "PublishedRisk",
    "SetComparison",
    "card_text",
    "check_new_name",
    "check_new_topic_name",
    "compare_sets",
    "copied",
    "csv_bytes",
    "delete_set",
    "delete_topic",
    "factors",
    "free_topic_name",
    "labour_reference",
    "left_out_evidence",
    "left_out_template_sets",
    "left_out_topics",
    "list_evidence",
    "list_template_sets",
    "list_topics",
    "load_card",
    "load_evidence",
    "load_mined",
    "load_own_factor",
    "load_templates",
    "load_topic",
    "load_topic_upload",
    "load_upload",
    "make_card",
    "make_evidence",
    "make_mined",
    "make_templates",
    "make_topic",
    "make_weights",
    "occupation_weights",
    "own_template_sets",
    "own_topics",
    "parquet_bytes",
    "published_models",
    "published_name",
    "published_of_topic",
    "published_risks",
    "read_counts",
    "read_own_factor",
    "save_set",
    "save_topic",
    "speaks_of",
    "suiting_sets",
    "swapped",
    "template_cards",
    "template_weights",
    "topic_toml",
    "womens_share",
]
