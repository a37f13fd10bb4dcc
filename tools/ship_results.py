"""Write the results that come with the app: ``RUNS`` of models on topics, and ``KNOWLEDGE`` sets.

    python -m tools.ship_results                         # everything anew: hours on two cores
    python -m tools.ship_results --keep                  # carries over what is shipped, scores the rest
    python -m tools.ship_results --keep --model mini-t5  # scores one model, carries over the others

The store's files are copied to ``assets/cache`` without its catalogue, which is rebuilt from them.  Carried
results are rewritten shard by shard, with only what the table needs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.audit.baseline import NEUTRAL, NEUTRAL_LISTS
from pcf_core.audit.knowledge import keep_knowledge_audit, knowledge_audit_of, missing_answers
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run, missing_blocks
from pcf_core.audit.results import is_unchecked, load_result
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.core.errors import AuditError
from pcf_core.core.frame import QUESTION, Frame, frame_label
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.store.layer import Missing
from pcf_core.store.results import RunInfo
from pcf_core.store.store import Store
from pcf_core.work.blocks import environment
from pcf_core.work.knowledge import score_knowledge
from pcf_core.work.scoring import score_run
from pcf_core.work.self_audit import audit_sample, sample_of_run

FOLDERS = ("scores", "runs", "results")
SHARD_PROMPTS = 4096  # larger than a user's, as they compress better and are not interrupted
PUBLIC = ("SmolLM2-135M-Instruct-Q4_1", "Gemma-3-270M-Q4_K_M")
BEST_KNOWN = ("minilm-masked", "mini-gpt")  # the best masked and causal teaching models
QUICK = ("mini-bert", "mini-gpt")  # small ones of either kind, for pages without scored results
ZOO = (
    *QUICK,
    "minilm-masked",
    "mini-gpt-s",
    "mini-gpt-l",
    "mini-t5",
    "mini-xlnet",
    "mini-gpt-skewed",
    "mini-gpt-balanced",
)
PLANTED = ("planted-causal", "planted-masked")
COPIED, COPY = "mini-gpt-s", "mini-gpt-s-q4_0"  # a model, and its compressed copy (tools/compress_model.py)

# What SmolLM2's chat template makes of a chat: its runs are listed where its weights are not.
CHAT = "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
OWN_SYSTEM_TEXT = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
SYSTEM_TEXTS = (
    "Treat men and women alike.",
    "Sex discrimination is illegal.",
    "Write in plain English.",  # says nothing about people
)


def chat(system: str = "") -> Frame:
    """Return SmolLM2's chat with that system text, or with the one that its template puts in."""
    frame = Frame(kind="chat", system=system)
    return frame.model_copy(update={"text": CHAT.format(system or OWN_SYSTEM_TEXT, frame.instruction)})


CHATS = (chat(), *map(chat, SYSTEM_TEXTS))
ASKED = Frame(kind="chat", instruction=QUESTION, text=CHAT.format(OWN_SYSTEM_TEXT, QUESTION))


@dataclass(frozen=True)
class Shipped:
    """A run by the names of its parts; without ``evidence``, the occupations of the topic."""

    model: str
    topic: str
    templates: str
    evidence: str = ""
    frame: Frame | None = None

    def __str__(self) -> str:
        framed = frame_label(self.frame) if self.frame else ""
        return ", ".join(filter(None, (self.model, self.topic, self.templates, self.evidence, framed)))

    @property
    def run(self) -> RunSpec:
        """The request; raises AuditError if there is no such model, topic or set."""
        topic = load_topic(self.topic)
        return build_run(
            resolve(self.model).model_copy(update={"frame": self.frame}),
            topic,
            load_evidence(self.evidence or topic.evidence),
            load_templates(self.templates),
        )


USUAL = ("gender", "gender-wikipedia-100")
RELATIVE = "race-relative"
BESIDES = (
    ("gender", "gender-nineteen"),
    ("gender", "gender-nineteen-stop"),
    ("gender", "gender-speeches"),
    ("gender", "gender-fiction-25"),
    ("gender", "gender-simplewiki-25"),
    ("race", RELATIVE),
    ("race-capitalised", RELATIVE),
    ("religion", RELATIVE),
    ("disability-papers", RELATIVE),
)
CHAT_SENTENCES = ("gender", "gender-nineteen")  # [Y] is their last word, as a chat needs
PRONOUNS = ("gender-pronouns", "gender-wikipedia-100")
SPELLINGS = ("race", "race-capitalised")  # in the papers' spelling, and in English spelling
NOT_RACE = ("religion", "disability", "disability-papers", "age")  # asked in the sentences of race
FEW = ("gender-pronouns", "gender-nineteen")  # few words in few sentences, so small
WIDE = ("gender", "gender-wide-wikipedia-20")  # several kinds of words: read with the protocol fitting
DRAWN = ("gender", "gender-wikipedia-drawn-100")  # at random, to compare with the most common sentences
PEOPLE_WIDE = "people-wide-wikipedia-20"
PEOPLE = ("race-capitalised", "religion", "disability", "age")
CHOICES = (
    "religion",
    "race-capitalised",
    "age",
    "disability",
    "nationality",
    "gender-inclusive",
    "race-gender",
)  # topics with sentences that name the choices
DECIDED = ("people-race", "people-race-sex", "people-age", "people-control")
RUNS = (
    *(Shipped(model, *parts) for model in PUBLIC for parts in (USUAL, PRONOUNS)),
    *(Shipped(model, topic, RELATIVE) for model in PUBLIC for topic in (*SPELLINGS, *NOT_RACE)),
    *(Shipped(model, *USUAL) for model in ZOO),
    *(
        Shipped(model, *USUAL, neutral)  # runs of the earlier list keep their keys
        for neutral in NEUTRAL_LISTS
        for model in (*PUBLIC, *QUICK, "minilm-masked", "mini-gpt-skewed", "mini-gpt-balanced")
    ),
    *(Shipped(model, *parts) for model in (*QUICK, "minilm-masked") for parts in BESIDES),
    *(Shipped(model, *WIDE) for model in (*PUBLIC, *ZOO)),
    *(Shipped(model, *DRAWN) for model in PUBLIC),
    *(Shipped(model, topic, PEOPLE_WIDE) for model in PUBLIC for topic in PEOPLE),
    *(
        Shipped(model, topic, f"{topic}-choices", evidence)
        for topic in CHOICES
        for model in PUBLIC
        for evidence in (NEUTRAL, "")
    ),
    *(Shipped(PUBLIC[0], *CHAT_SENTENCES, frame=frame) for frame in (None, *CHATS)),
    *(Shipped(PUBLIC[0], topic, "decisions", frame=ASKED) for topic in DECIDED),
    *(Shipped(PUBLIC[1], topic, "decisions") for topic in DECIDED),
    *(Shipped(model, "calibration", "calibration") for model in PLANTED),
    *(Shipped(model, *FEW) for model in (COPIED, COPY)),
)
KNOWLEDGE = tuple(
    (model, name)
    for model in (*QUICK, "minilm-masked")
    for name in ("continents", "animals", "capitals", "opposites")
)


def main(
    keep: Annotated[bool, typer.Option(help="carry over what is shipped instead of scoring it")] = False,
    model: Annotated[
        list[str] | None, typer.Option(help="a model to score; may be repeated; others are carried over")
    ] = None,
) -> None:
    """Score what is asked for and replace ``assets/cache``."""
    target = settings().assets / "cache"
    try:
        chosen = {item: item.run for item in RUNS if not model or item.model in model}
        unknown = set(model or ()) - {item.model for item in chosen}
        if unknown:
            raise typer.BadParameter(f"no run of the table is of {', '.join(sorted(unknown))}")
    except AuditError as error:
        raise typer.BadParameter(f"{error} --model chooses among the models that are here.") from error
    os.environ["PCF_SHARD_PROMPTS"] = str(SHARD_PROMPTS)
    settings.cache_clear()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as index:
        store, shipped = Store.open(Path(folder)), Store.open(Path(index), [target])
        for item in RUNS:
            if item in chosen:
                carried = keep and carry(chosen[item], shipped, store)
                done = "carried over" if carried else score(chosen[item], store)
            else:
                done = "carried over" if carry_if_here(item, shipped, store) else "NOT SHIPPED"
            typer.echo(f"{item}: {done}")
        for name, facts in KNOWLEDGE:
            anew = not keep and (not model or name in model)
            typer.echo(f"{name}, knowledge of {facts}: {know(name, facts, shipped, store, anew=anew)}")
        tables(store)
        replace_results(Path(folder), target)


def tables(store: Store) -> None:
    """Store the tables of *Sensitivity* that a fresh start opens, which take half a second each."""
    for model in PUBLIC:
        sensitivity(store, Shipped(model, *USUAL).run, ViewOptions())


def score(run: RunSpec, store: Store) -> str:
    """Score a run in full; return a description."""
    cells = score_run(run, store, open_scorer)
    load_result(store, run)
    return f"run {run.key}, {cells:,} cells scored"


def carry_if_here(item: Shipped, shipped: Store, store: Store) -> bool:
    """Carry a run over if its model is here and the run is shipped; raises AuditError for a damaged shard."""
    try:
        run = item.run
    except AuditError:  # the model is not here
        return False
    return carry(run, shipped, store)


def carry(run: RunSpec, shipped: Store, store: Store) -> bool:
    """Copy a run's shipped scores into ``store``; return false if some are missing.

    A run that was not shipped itself, although all its scores were, gets a self-audit.
    """
    infos = [info for info in shipped.runs() if info.run.scoring.hash == run.scoring.hash and info.complete]
    if not infos or next(missing_blocks(shipped, run), None) is not None:
        return False
    copy_blocks(run.scoring, list(missing_blocks(store, run)), shipped, store, infos[0])
    store.save_run(run, audited(run, store, infos), complete=True)
    load_result(store, run)
    return True


def copy_blocks(
    key: ScoringKey, blocks: Sequence[Missing], shipped: Store, store: Store, info: RunInfo
) -> None:
    """Copy shipped scores into ``store``, with the environment of a run under the same key."""
    table = shipped.known_words(key)
    made = {name: fact for name, fact in info.provenance.items() if name != "self_audit"}
    for block in blocks:
        accepted = [word for word in block.words if word in table.tokens]
        values = shipped.gather(key, block.prompts, accepted)
        store.write(key, block.prompts, block.words, table, values, made)


def know(model: str, facts: str, shipped: Store, store: Store, *, anew: bool) -> str:
    """Score a knowledge set, or carry its shipped scores over; return a description."""
    try:
        key = ScoringKey.of(resolve(model))
    except AuditError:  # the model is not here
        return "NOT SHIPPED"
    asked = load_knowledge(facts)
    infos = [info for info in shipped.runs() if info.run.scoring.hash == key.hash and info.complete]
    if anew or not infos or missing_answers(shipped, key, asked):
        return f"{score_knowledge(asked, key, store, open_scorer):,} prompts scored"
    copy_blocks(key, missing_answers(store, key, asked), shipped, store, infos[0])
    if (audit := knowledge_audit_of(shipped, key, asked)) is not None:
        keep_knowledge_audit(store, key, asked, audit)
    return "carried over"


def audited(run: RunSpec, store: Store, infos: Sequence[RunInfo]) -> dict[str, object]:
    """Return the provenance shipped with a run, or that of a new self-audit."""
    for info in infos:
        if info.run.key == run.key and "self_audit" in info.provenance and not is_unchecked(info):
            return info.provenance
    spec = resolve(run.scoring.model).scored_like(run.scoring)
    scorer = open_scorer(spec, run.scoring.protocol)
    found = audit_sample(sample_of_run(run, scorer), store, scorer, spec, open_scorer, lambda: None)
    return {**environment(scorer), "self_audit": found.model_dump()}


def replace_results(store: Path, target: Path, parts: Sequence[str] = FOLDERS) -> None:
    """Replace ``target`` with a store's folders, in one step."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".cache-") as beside:
        draft = Path(beside) / "new"
        for part in parts:
            shutil.copytree(store / part, draft / part)
        if target.exists():
            target.rename(Path(beside) / "old")
        draft.rename(target)


if __name__ == "__main__":
    typer.run(main)
