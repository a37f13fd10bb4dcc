"""Topics, evidence, templates, weights: load, validate, say what was refused or left out and why.

Layer: reads files of the assets folder and of the user, returns records of :mod:`pcf_core.records`.
May import records, errors, settings, numpy, pydantic and the standard library; nothing else of the core.
"""

from pcf_core.topics.evidence import list_evidence, load_evidence, make_evidence
from pcf_core.topics.factors import Factor, factors
from pcf_core.topics.published import PublishedRisk, published_risks
from pcf_core.topics.templates import list_template_sets, load_templates, make_templates, template_weights
from pcf_core.topics.topics import list_topics, load_topic, make_topic
from pcf_core.topics.weights import labour_reference, make_weights, occupation_weights, womens_share

__all__ = [
    "Factor",
    "PublishedRisk",
    "factors",
    "labour_reference",
    "list_evidence",
    "list_template_sets",
    "list_topics",
    "load_evidence",
    "load_templates",
    "load_topic",
    "make_evidence",
    "make_templates",
    "make_topic",
    "make_weights",
    "occupation_weights",
    "published_risks",
    "template_weights",
    "womens_share",
]
