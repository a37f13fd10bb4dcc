"""Measure mining from gzipped JSON lines to counts: words per second and memory, beside the least it needs.

    python -m benchmarks.mining --documents 500 --documents 2000 --workers 2

Each measurement is one run of the command ``mine`` with an empty cache.  ``seconds`` go from the first block
handed out to the last one counted; ``wall_seconds`` include starting the processes.  Memory is the sum over
processes, shared pages counted in each.  The floor is the same work without rules and counts, in one process,
each part alone and in processor time:

    reading     gunzip + JSON + sentences with a wanted word
    parsing     spaCy's pipeline over those sentences, trees unused

``ratio`` = seconds ÷ (seconds of both parts ÷ workers).  On a busy machine it is too high, so the load is
printed.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from pcf_core.core.settings import settings
from pcf_core.material.topics import load_topic
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.rules import rule_for
from pcf_core.mining.sentences import Wanted, candidates

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "corpora" / "wiki_bios-01.jsonl.gz"
BATCH = 256  # sentences, as in the pipeline
BETWEEN = 0.1  # seconds between two looks at the memory


def first_documents(corpus: Path, count: int, folder: Path) -> Path:
    """Return the first documents of the corpus, gzipped like it."""
    path = folder / f"first-{count}.jsonl.gz"
    with gzip.open(corpus, "rb") as whole, gzip.open(path, "wb") as part:
        part.writelines(islice(whole, count))
    return path


def mined(corpus: Path, topics: Sequence[str], pipeline: str, workers: int, folder: Path) -> dict[str, Any]:
    """Run the command; return its answer, wall seconds, and peak megabytes."""
    command = [sys.executable, "-m", "pcf_core", "mine", "--corpus", str(corpus), "--pipeline", pipeline]
    command += [part for topic in topics for part in ("--topic", topic)]
    command += ["--workers", str(workers), "--out", str(folder / f"{corpus.name}.csv"), "--json"]
    begun = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=os.environ | {"PCF_CACHE": str(folder / "cache" / corpus.stem)}
    ) as process:
        root, peak, most = psutil.Process(process.pid), 0, 0
        while process.poll() is None:
            held = [memory for member in family(root) if (memory := resident(member))]
            peak, most = max(peak, sum(held)), max(most, len(held))
            time.sleep(BETWEEN)
        answer = process.stdout.read() if process.stdout else b""
    if process.returncode:
        raise typer.Exit(process.returncode)
    seconds = time.perf_counter() - begun
    return {**json.loads(answer), "wall_seconds": seconds, "peak_megabytes": peak / 1e6, "processes": most}


def family(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def resident(process: psutil.Process) -> int:
    """Return resident bytes, 0 for an ended process."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def floor(corpus: Path, topics: Sequence[str], pipeline: str, parsed: int) -> dict[str, float]:
    """Return processor seconds to read and to parse, the latter extrapolated from ``parsed`` sentences."""
    wanted = Wanted(rule_for([load_topic(topic) for topic in topics]).wanted)
    sentences, begun = [], time.process_time()
    for document in open_corpus(corpus).documents():
        sentences += [sentence for _, sentence in candidates(document.text, wanted)]
    reading = time.process_time() - begun
    words = sum(len(document.text.split()) for document in open_corpus(corpus).documents())
    parser = open_pipeline(pipeline)
    some = sentences[:: max(1, len(sentences) // parsed)]
    with parser.pool.limit(limits=1, user_api="blas"):
        list(parser.nlp.pipe(some[:BATCH]))  # warm-up
        begun = time.process_time()
        for _ in parser.nlp.pipe(some, batch_size=BATCH):
            pass
        parsing = (time.process_time() - begun) * len(sentences) / len(some)
    return {
        "words": words,
        "sentences": len(sentences),
        "reading_seconds": reading,
        "parsing_seconds": parsing,
        "reading_words_per_second": words / reading,
        "parsing_sentences_per_second": len(sentences) / parsing,
    }


def main(
    corpus: Annotated[Path, typer.Option(help="gzipped JSON lines")] = CORPUS,
    documents: Annotated[list[int], typer.Option(help="the first of it; may be repeated")] = [500, 2000],  # noqa: B006
    topic: Annotated[list[str], typer.Option(help="as of `mine`; may be repeated")] = ["gender"],  # noqa: B006
    pipeline: Annotated[str, typer.Option(help="the parser")] = "",
    workers: Annotated[int, typer.Option(min=1, help="processes that parse")] = 2,
    parsed: Annotated[int, typer.Option(min=BATCH, help="sentences that the floor parses")] = 4000,
) -> None:
    """Print a JSON object a size to stdout, and a sentence on it to stderr."""
    if not corpus.is_file():
        typer.echo(f"Nothing is measured: {corpus} is not here; name another with --corpus.", err=True)
        return
    chosen = pipeline or settings().pipeline
    with tempfile.TemporaryDirectory() as folder:
        for count in documents:
            part = first_documents(corpus, count, Path(folder))
            found = mined(part, topic, chosen, workers, Path(folder))
            least = floor(part, topic, chosen, parsed)
            bound = (least["reading_seconds"] + least["parsing_seconds"]) / workers
            row = {
                "corpus": corpus.name,
                "workers": workers,
                "mining": {key: value for key, value in found.items() if key != "dropped"},
                "floor": least | {"seconds": bound},
                "ratio": found["seconds"] / bound,
                "load": os.getloadavg()[0],
                "cores": os.cpu_count(),
            }
            typer.echo(json.dumps(row))
            typer.echo(
                f"{count:,} documents, {found['words']:,} words: {found['words_per_second']:,.0f} words "
                f"a second with {workers} workers, {row['ratio']:.2f} times the floor of {bound:.1f} s; "
                f"{found['peak_megabytes']:,.0f} MB in {found['processes']} processes; load "
                f"{row['load']:.1f} on {row['cores']} cores.",
                err=True,
            )


if __name__ == "__main__":
    typer.run(main)
