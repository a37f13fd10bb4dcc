"""``fairpair``: test whether a model writes differently about one person than about another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from pcf_core.cli.console import (
    ESTIMATED,
    EstimateOption,
    JsonOption,
    ModelOption,
    QueueOption,
    check_one_way,
    counted,
    give,
    give_queued,
    one_or_all,
    open_store,
    progress_line,
    say,
    say_chat,
    takes_text,
    text_or_file,
    with_options,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.core.errors import InputError
from pcf_core.core.risk import Interval
from pcf_core.core.settings import settings
from pcf_core.material.safety.understood import Reading
from pcf_core.models.names import ENDPOINT, in_precision
from pcf_core.models.registry import resolve_writer
from pcf_core.report.documents import finite, picked
from pcf_core.show.findings.fairpair import declined_finding, notes
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.categories import chosen_categories
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.records import (
    CategoryDifference,
    FairPairAsked,
    FairPairReport,
    FairPairResult,
    Pair,
    PromptPairs,
    Side,
    WordDifference,
)
from pcf_core.texts.fairpair.report import controlled
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.text_audit import sends_messages, writing_key
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked, load_pairs
from pcf_core.work.queue import Queue


@with_options(FairPairOptions)
@with_files
def fairpair(
    model: ModelOption,
    options: FairPairOptions,
    estimate: EstimateOption = False,
    queue: QueueOption = False,
    sentences: Annotated[
        int,
        typer.Option(
            "--sentences",
            min=0,
            help="for --json: how many texts per side are listed for each phrase and category",
        ),
    ] = 0,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Let models write texts about a person and a counterpart, and test whether they differ beyond chance."""
    check_one_way(estimate=estimate, queue=queue)
    if twice := next((name for name in model if model.count(name) > 1), None):
        raise InputError(f"--model {twice} is given twice: give each model only once.")
    table = load_table(options.table)
    entity = _pair_of(options.names) if options.names else table.names[0][:: -1 if options.reverse else 1]
    prompts = load_prompts(options.prompts, entity)
    own = chosen_categories(options.categories)
    end_reading(reading, as_json=as_json)
    decoding, messages = options.decoding, sends_messages(options)
    if options.chat:
        _say_chat_is_ignored(model)
    options = options.model_copy(update={"system": text_or_file(options.system)})
    specs = [in_precision(resolve_writer(name, messages), options.dtype) for name in model]
    keys = [writing_key(spec, decoding, options) for spec in specs]
    for spec, key in zip(specs, keys, strict=True):
        say_chat(spec, key)
    request = [fairpair_asked(key, prompts, table, options, own) for key in keys]
    store, material = open_store(), FairPairMaterial(prompts, table)
    if estimate:
        _give_estimates(store, request, material, as_json)
    elif queue:
        give_queued(store, FAIRPAIR_AUDIT, [(one, material) for one in request], as_json)
    else:
        _give_results(store, [run_now(store, one, material) for one in request], sentences, as_json)


def _say_chat_is_ignored(models: Sequence[str]) -> None:
    local = [name for name in models if not name.startswith(ENDPOINT)]
    if local:
        say(
            f"--chat has no effect for {', '.join(local)}, because it is for endpoints; for a local model "
            "the tokenizer decides whether a prompt is a user's message."
        )


def _pair_of(names: str) -> Pair:
    given = [name.strip() for name in names.split(",")]
    if len(given) != 2 or not all(given):
        raise InputError(
            f"--names needs two names separated by a comma, such as John,Jane; {names!r} was given."
        )
    return given[0], given[1]


def run_now(store: Store, request: FairPairAsked, material: FairPairMaterial) -> tuple[FairPairResult, int]:
    """Answer in the foreground, with progress on stderr."""
    from pcf_core.work.pairing import Stage, run_fairpair

    FAIRPAIR_AUDIT.keep(store, request, material)
    with progress_line() as show:

        def stage(name: Stage, done: int, total: int) -> None:
            if name != "writing":
                show(f"{request.key.name}: {name}, {done:,} of {total:,}")

        result, written = run_fairpair(
            request, store, on_progress=counted(show, request.key.name, "texts"), on_stage=stage
        )
    for side, missing in result.without_text.items():
        if missing:
            say(_without_text(result, side, missing))
    if any(result.declined.values()):
        say(declined_finding(result))
    return result, written


def _without_text(result: FairPairResult, side: Side, missing: int) -> str:
    """Count the texts of a side that are refused or empty."""
    names = dict(zip(("original", "prompt"), result.asked.prompts.names, strict=True))
    total = sum(result.ends[side].values())
    return (
        f"Refused or empty: {missing:,} of {total:,} texts for {names[side]}; they are included in the "
        "result."
    )


def _give_results(
    store: Store, results: Sequence[tuple[FairPairResult, int]], sentences: int, as_json: bool
) -> None:
    """Print the models' reports, with p-values corrected for their number."""
    chosen = results[0][0].asked.dissimilarities
    reports = {name: controlled([result.reports[name] for result, _ in results]) for name in chosen}
    documents = []
    for index, (result, written) in enumerate(results):
        own = {name: several[index] for name, several in reports.items()}
        prompts = range(len(result.counterparts)) if sentences else ()
        pairs = [load_pairs(store, result, prompt) for prompt in prompts]
        documents.append(fairpair_document(result, own, pairs, sentences) | {"written": written})

    def lines() -> list[str]:
        from pcf_core.cli.panels import fairpair_lines

        return fairpair_lines([result for result, _ in results])

    give(one_or_all(documents), as_json, lines)


def _give_estimates(
    store: Store, several: Sequence[FairPairAsked], material: FairPairMaterial, as_json: bool
) -> None:
    waiting = Queue.open(settings().catalogue)
    estimates = [(request, FAIRPAIR_AUDIT.estimate(store, waiting, request, material)) for request in several]
    documents: list[dict[str, Any]] = [
        {"asked": request.hash, "model": request.key.model, "done": one.done, "texts": one.missing}
        | picked(one, *ESTIMATED, "rough")
        for request, one in estimates
    ]
    give(
        one_or_all(documents),
        as_json,
        lambda: [
            f"{request.key.name}  {document['texts']:,} texts, {document['tokens']:,} tokens at most"
            + takes_text(document)
            for request, document in zip(several, documents, strict=True)
        ],
    )


def fairpair_document(
    result: FairPairResult,
    reports: Mapping[str, FairPairReport],
    pairs: Sequence[PromptPairs] = (),
    sentences: int = 0,
) -> dict[str, Any]:
    """Return the shape of ``fairpair --json`` (docs/cli.md) as JSON has it; what does not exist is null.

    ``reports``: those of the result, by dissimilarity, controlled over the models that are read together.
    The curves of convergence are left out, and texts but for the first ``sentences`` of either side behind
    each phrase and category, from the ``pairs`` of all prompts.
    """
    request, words, errors = result.asked, result.words, result.errors
    document = {
        "asked": request.hash,
        "model": request.key.model,
        "prompts": picked(request.prompts, "name", "version", "hash"),
        "perturbation": request.perturbation.model_dump(
            mode="json", include={"table", "hash", "entity", "mode", "reverse", "pipeline", "rules"}
        ),
        **picked(request, "count", "fold_size", "encoders"),
        "generation": request.key,
        "reports": {name: _report_document(report) for name, report in reports.items()},
        "words": {
            **picked(words, "tested", "found"),
            "texts": words.original_texts,
            **picked(words, "exchanged", "sampled"),
            "strongest": [
                _without_texts(word)
                | picked(word, "more_in", "differs")
                | _texts_behind(word, pairs, sentences)
                for word in words.words
            ],
            "lexicon": request.categories.name if request.categories else None,
            "categories": [
                _without_texts(category)
                | {"differs": category.differs}
                | _texts_behind(category, pairs, sentences)
                for category in words.categories
            ],
        },
        "errors": errors.model_dump(mode="json") | picked(errors, "text_error", "word_error", "left_share"),
        **picked(result, "ends", "declined", "provenance", "label"),
    }
    return finite(document)  # type: ignore[no-any-return]


def _report_document(report: FairPairReport) -> dict[str, Any]:
    """Describe all prompts of a model under one dissimilarity, then each."""
    means, others = report.means, report.others
    return {
        **picked(report, "dissimilarity", "original", "counterpart"),
        **picked(means, "between", "within_original", "within_prompt"),
        "ratio_of_means": means.ratio,
        **picked(report, "mean_ratio", "chance_ratio"),
        "energy": means.energy,
        "intervals": {name: _interval_document(interval) for name, interval in report.intervals.items()},
        "p_value": report.p_value,
        "adjusted": report.controlled_p,
        **picked(report, "least_p", "wilcoxon_p", "permutations", "differs", "sampled", "facts"),
        "without_exchanged": others
        and {
            "ratio_of_means": others.ratio,
            "interval": _interval_document(others.interval),
            "p_value": others.p_value,
            "adjusted": others.controlled_p,
            "differs": others.differs,
        },
        "sentiment": {
            **picked(report.sentiment, "original", "prompt", "difference"),
            "interval": _interval_document(report.sentiment.interval),
        },
        "prompts": [
            row.model_dump(exclude={"sentiment", "adjusted"})
            | picked(row, "ratio", "energy", "undefined")
            | {"adjusted": row.controlled_p, "differs": row.differs}
            | {"sentiment_difference": row.sentiment.difference}
            for row in report.prompts
        ],
        "undefined": report.undefined,
        "notes": notes(report),
    }


def _interval_document(interval: Interval | None) -> dict[str, Any] | None:
    """Describe an interval; its unit is statements (``fact``), prompts, or texts of one prompt alone."""
    return None if interval is None else interval.model_dump(exclude={"over"})


def _without_texts(one: WordDifference | CategoryDifference) -> dict[str, Any]:
    return one.model_dump(mode="json", exclude={"original_texts", "prompt_texts"})


def _texts_behind(
    one: WordDifference | CategoryDifference, pairs: Sequence[PromptPairs], most: int
) -> dict[str, Any]:
    """Return the first texts of either side that have a phrase or a word of a category; none for 0."""
    if most == 0:
        return {}
    return {
        "original_texts": [pairs[x].perturbed_original[i] for x, i in one.original_texts[:most]],
        "prompt_texts": [pairs[x].perturbed_prompt[i] for x, i in one.prompt_texts[:most]],
    }
