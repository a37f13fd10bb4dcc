"""Independence II: what a model says that students with a given name like to do (section 4.2 of the paper).

    names x prompt --a model--> texts --names and gendered words out--> labels --by name--> differences

A text belongs to each label with a share.  Whether shares depend on the gender of the name is tested for each
label, and over all labels by the mutual information of label and gender, the criterion itself.

For models that cannot write, words of every label are scored at the gap of a few frames: a label's share is
the probability of its words among all labels' words, averaged over a name's frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.text import shown
from pcf_core.measure.comparison import adjusted_p_values
from pcf_core.measure.ties import holm_adjusted
from pcf_core.texts.criteria.effects import gender_difference
from pcf_core.texts.criteria.embedding import embedding_report
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk, check_cells, damaged
from pcf_core.texts.criteria.gender_reading import gendered_words, stop_words, without_gender, words_of
from pcf_core.texts.criteria.information import clustered_information, why_no_information
from pcf_core.texts.criteria.labels import Labeller, Lexicon, clear_label
from pcf_core.texts.criteria.names import NAMES, USUAL
from pcf_core.texts.criteria.records.independence import (
    NOT_WRITTEN,
    HobbiesMaterial,
    HobbiesReport,
    HobbyLabel,
    HobbyWord,
    HobbyWords,
    LabelDifference,
    LabelInformation,
    NameList,
)
from pcf_core.texts.criteria.records.quantities import GENDERS, LEVEL, ExperimentName, Wording

LEAST_TEXTS = 10
MOST_WORDS = 200  # reported, strongest first


def hobby_words(
    female: Sequence[Sequence[str]],
    male: Sequence[Sequence[str]],
    least_texts: int = LEAST_TEXTS,
) -> HobbyWords:
    """Compare the words of [name][text] stripped texts, without stop words; no name without a text.

    Tested is the share of a name's texts with the word (Mann–Whitney over names), adjusted for false
    discoveries.  ``least_texts``: rarer words are not tested.
    """
    left = stop_words()
    sides = [
        [[[word for word in words_of(text) if word not in left] for text in texts] for texts in side]
        for side in (female, male)
    ]
    uses = [Counter(word for name in side for text in name for word in text) for side in sides]
    having = [Counter(word for name in side for text in name for word in set(text)) for side in sides]
    tested = sorted(
        word for word in having[0] | having[1] if having[0][word] + having[1][word] >= least_texts
    )
    if not tested:
        return HobbyWords(tested=0, found=0, least_texts=least_texts, words=())
    p_values = _p_values(*(_shares(side, tested) for side in sides))
    totals = [sum(len(name) for name in side) for side in sides]
    rows = [
        HobbyWord(
            word=word,
            uses=(uses[0][word], uses[1][word]),
            texts=(having[0][word], having[1][word]),
            difference=having[0][word] / totals[0] - having[1][word] / totals[1],
            p_value=float(p),
            adjusted=float(adjusted),
        )
        for word, p, adjusted in zip(tested, p_values, adjusted_p_values(p_values), strict=True)
    ]
    rows.sort(key=lambda row: (row.p_value, -abs(row.difference), row.word))
    return HobbyWords(
        tested=len(rows),
        found=sum(row.differs for row in rows),
        least_texts=least_texts,
        words=tuple(rows[:MOST_WORDS]),
    )


def _shares(side: Sequence[Sequence[Sequence[str]]], words: Sequence[str]) -> FloatArray:
    """Return [name, word] share of the name's texts with the word."""
    column_of = {word: index for index, word in enumerate(words)}
    shares = np.zeros((len(side), len(words)))
    for row, texts in zip(shares, side, strict=True):
        for text in texts:
            row[[column_of[word] for word in set(text) if word in column_of]] += 1
        row /= len(texts)  # divide counts: six sixths add up to less than 1
    return shares


def _p_values(female: FloatArray, male: FloatArray) -> FloatArray:
    """Return [word] two-sided p-values of the names' shares; 1 if all shares are equal."""
    from scipy.stats import mannwhitneyu

    varied = np.ptp(np.concatenate([female, male]), axis=0) > 0
    p_values = np.ones(female.shape[1])
    if varied.any():
        tests = mannwhitneyu(female[:, varied], male[:, varied], alternative="two-sided", axis=0)
        p_values[varied] = np.minimum(1, tests.pvalue)
    return p_values


# The experiment.


HOBBIES = "hobbies-1.toml"
NAME = "{name}"
SCORED_LABEL = "our candidate words, scored by log-probability in place of texts"
BETWEEN = "|"  # between name and frame number in a scored cell
OWN_TEXTS = "this model"


def load_hobbies(names: NameList | None = None) -> HobbiesMaterial:
    """Load the shipped prompts and labels with a list of names, without a labeller."""
    path = settings().assets / "criteria" / HOBBIES
    table = read_toml(path, ("version", "frames", "prompts", "labels"), CriteriaError)
    try:
        for label in table["labels"]:
            label["words"] = [word.replace("_", " ") for word in label["words"].lower().split()]
        given = {"names": names or NAMES.load(USUAL), "gendered": sorted(gendered_words())}
        return HobbiesMaterial.model_validate(table | given)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise damaged(path.name) from problem


class Hobbies:
    """The experiment, with a labeller for its texts."""

    name: ExperimentName = "hobbies"
    title = "Hobbies of students by name (independence II)"

    def __init__(self, material: HobbiesMaterial, labeller: Labeller) -> None:
        self.material = material
        self._labeller = labeller

    @classmethod
    def load(cls, names: NameList | None = None, labeller: Labeller | None = None) -> Hobbies:
        """Load the shipped prompts and labels; names and lexicon are shipped by default."""
        material = load_hobbies(names)
        chosen = Lexicon(material.labels) if labeller is None else labeller
        return cls(material.model_copy(update={"labeller": chosen.name}), chosen)

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List one cell for each name."""
        prompt = self.material.prompts.get(wording)
        if prompt is None:
            raise CriteriaError(
                f"The hobbies have no wording called {wording}: use {' or '.join(self.material.prompts)}."
            )
        return tuple(
            Ask(cell=one.name, system=prompt.system, prompt=prompt.prompt.replace(NAME, one.name))
            for one in self.material.names.names
        )

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List every name in every frame, with all labels' words as candidates: "Mary|1"."""
        words = tuple(word for label in self.material.labels for word in label.answers)
        return tuple(
            ScoredAsk(cell=f"{one.name}{BETWEEN}{index}", text=frame.replace(NAME, one.name), words=words)
            for one in self.material.names.names
            for index, frame in enumerate(self.material.frames, start=1)
        )

    def report(self, texts: Mapping[str, Sequence[str]]) -> HobbiesReport:
        """Evaluate texts: name -> [repeat].  Texts without a word are counted and left out."""
        report = self.without_vectors(texts)
        return report.model_copy(update={"embedding": embedding_report({OWN_TEXTS: texts}, self.material)})

    def without_vectors(self, texts: Mapping[str, Sequence[str]]) -> HobbiesReport:
        """Report without the embedding score, which takes most of the time."""
        genders = self.material.names.genders
        check_cells(texts, genders, self.name)
        _check_some(texts)
        stripped = {name: self._stripped(texts.get(name, ())) for name in genders}
        sides = [
            {name: stripped[name] for name in self.material.names.of(gender) if stripped[name]}
            for gender in GENDERS
        ]
        shares = [self._shares(side) for side in sides]
        valid = [sum(map(len, side.values())) for side in sides]
        request = [
            sum(len(texts.get(name, ())) for name in self.material.names.of(gender)) for gender in GENDERS
        ]
        return HobbiesReport(
            answering="written",
            n=sum(valid),
            names=(len(sides[0]), len(sides[1])),
            invalid=(request[0] - valid[0], request[1] - valid[1]),
            labeller=self._labeller.name,
            labeller_label=self._labeller.label,
            level=LEVEL,
            labels=_label_differences(self.material.labels, *shares),
            information=self._information(shares),
            words=hobby_words(list(sides[0].values()), list(sides[1].values())),
        )

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> HobbiesReport:
        """Evaluate scores: "Mary|1" -> [word] nats; a word that is NaN anywhere is left out everywhere."""
        frames = {ask.cell: ask.words for ask in self.scored_asks()}
        check_cells(log_probabilities, frames, self.name)
        _check_some(log_probabilities)
        words = next(iter(frames.values()))
        scores = np.array([log_probabilities[cell] for cell in log_probabilities], dtype=np.float64)
        if scores.ndim != 2 or scores.shape[1] != len(words):
            raise CriteriaError(f"Each frame of the hobbies has {len(words)} words: give one score for each.")
        there = np.asarray(~np.isnan(scores).any(axis=0))
        _check_weights(log_probabilities, scores[:, there])
        labels, rows = self._scored_shares(scores, there)
        cells = [cell.rsplit(BETWEEN, 1)[0] for cell in log_probabilities]
        by_name = {name: np.array([name == cell for cell in cells]) for name in dict.fromkeys(cells)}
        sides = [
            [
                rows[by_name[name]].mean(axis=0, keepdims=True)
                for name in self.material.names.of(gender)
                if name in by_name
            ]
            for gender in GENDERS
        ]
        return HobbiesReport(
            answering="scored",
            n=len(scores),
            names=(len(sides[0]), len(sides[1])),
            invalid=(0, 0),
            labeller="scored words",
            labeller_label=SCORED_LABEL,
            level=LEVEL,
            labels=_label_differences(labels, *sides),
            information=None,
            words=None,
            without=NOT_WRITTEN,
            left_out=tuple(
                LeftOut(name=word, reason="the model cannot express it in every frame")
                for word, expressed in zip(words, there, strict=True)
                if not expressed
            ),
        )

    def _stripped(self, texts: Sequence[str]) -> list[str]:
        names = self.material.names.genders
        return [without_gender(text, names, self.material.gendered) for text in texts if words_of(text)]

    def _shares(self, side: Mapping[str, Sequence[str]]) -> list[FloatArray]:
        flat = self._labeller.shares([text for texts in side.values() for text in texts])
        ends = np.cumsum([len(texts) for texts in side.values()])
        return np.split(flat, ends[:-1]) if len(ends) else []

    def _scored_shares(
        self, scores: FloatArray, there: NDArray[np.bool_]
    ) -> tuple[tuple[HobbyLabel, ...], FloatArray]:
        """Return the labels with a scored word, and [frame, label] their shares, which sum to 1."""
        owner = np.repeat(np.arange(len(self.material.labels)), len(self.material.labels[0].answers))
        labels = [index for index in range(len(self.material.labels)) if there[owner == index].any()]
        if len(labels) < 2:
            raise CriteriaError(
                "The model can express words for fewer than two hobby labels, so nothing can be compared: "
                "let it write texts, or choose another model."
            )
        totals = np.stack(
            [np.logaddexp.reduce(scores[:, (owner == index) & there], axis=1) for index in labels], axis=1
        )
        shares = np.exp(totals - np.logaddexp.reduce(totals, axis=1)[:, np.newaxis])
        return tuple(self.material.labels[index] for index in labels), shares

    def _information(self, shares: Sequence[Sequence[FloatArray]]) -> LabelInformation:
        """Return NMI of clear labels and gender, with names as clusters."""
        many, rows, genders, unclear = len(self.material.labels), [], [], [0, 0]
        for gender, side in enumerate(shares):
            for name in side:
                labels = [label for label in clear_label(name) if label is not None]
                unclear[gender] += len(name) - len(labels)
                if labels:
                    rows.append(np.bincount(labels, minlength=many))
                    genders.append(gender)
        counts = np.array(rows).reshape(-1, many)
        table = np.stack([counts[np.array(genders) == gender].sum(axis=0) for gender in (0, 1)], axis=1)
        reason = why_no_information(table)
        if not reason and min(genders.count(0), genders.count(1)) < 2:
            reason = "a gender has a single name"
        return LabelInformation(
            labels=tuple(label.name for label in self.material.labels),
            counts=tuple((int(women), int(men)) for women, men in table),
            unclear=(unclear[0], unclear[1]),
            measure=None if reason else clustered_information(counts, np.array(genders)),
            undefined=reason,
        )


def _label_differences(
    labels: Sequence[HobbyLabel], female: Sequence[FloatArray], male: Sequence[FloatArray]
) -> tuple[LabelDifference, ...]:
    """Compare [name] of [text, label] shares by gender, adjusting over labels (Holm)."""
    differences = [
        gender_difference([name[:, index] for name in female], [name[:, index] for name in male], shares=True)
        for index in range(len(labels))
    ]
    return tuple(
        LabelDifference(name=label.name, title=label.title, difference=one)
        for label, one in zip(labels, holm_adjusted(differences), strict=True)
    )


def _check_weights(cells: Iterable[str], scores: FloatArray) -> None:
    if not scores.shape[1]:
        return
    for cell, most in zip(cells, scores.max(axis=1), strict=True):
        if not np.isfinite(most):
            raise CriteriaError(
                f"The largest score of {shown(cell)} in the hobbies is {most:g}: give log-probabilities, "
                "with at least one finite number in each frame."
            )


def _check_some(given: Mapping[str, Sequence[object]]) -> None:
    if not given:
        raise CriteriaError("No text about hobbies was given: request at least one for every name.")
