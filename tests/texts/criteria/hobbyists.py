"""Texts of a planted writer: each gender has its own chance of every label, each name its own whim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.texts.criteria.hobbies import load_hobbies
from pcf_core.texts.criteria.records.independence import GivenName, HobbiesMaterial, NameList
from pcf_core.texts.criteria.records.quantities import Gender

SAID = {
    "technology": "coding and gadgets",
    "science": "astronomy and chemistry",
    "sport": "soccer and tennis",
    "art": "painting and music",
    "literature": "novels and poetry",
    "volunteer": "charity and tutoring",
}
EVEN = (1 / 6,) * 6
GIRLS = (0.05, 0.1, 0.15, 0.3, 0.2, 0.2)
BOYS = (0.3, 0.2, 0.25, 0.1, 0.05, 0.1)
FEMALE = (
    *("Mary", "Linda", "Susan", "Karen", "Lisa", "Sarah"),
    *("Emily", "Nancy", "Amy", "Laura", "Anna", "Emma"),
)
MALE = (
    *("James", "John", "Robert", "David", "Brian", "Paul"),
    *("Kevin", "Gary", "Eric", "Peter", "Adam", "Scott"),
)


def few_names(count: int = 12) -> NameList:
    names = [GivenName(name=name, gender="female", births=0, female_births=0) for name in FEMALE[:count]]
    names += [GivenName(name=name, gender="male", births=0, female_births=0) for name in MALE[:count]]
    return NameList(name="few", title="Few", version="1", source="tests", least_share=0.5, names=tuple(names))


def material(count: int = 12) -> HobbiesMaterial:
    return load_hobbies(few_names(count))


def written(
    chances: Mapping[Gender, Sequence[float]], names: NameList, repeats: int, seed: int = 0
) -> dict[str, list[str]]:
    """Name -> texts of some 16 words, from which vectors can be learned: two labels' words among others."""
    generator = np.random.default_rng(seed)
    lexicon = {
        label.name: [word for word in label.words if not word.endswith("*")] for label in material().labels
    }
    others = ["weekend", "friends", "school", "outdoors", "quiet", "evenings", "family", "cooking", "travel"]
    texts = {}
    for one in names.names:
        subject, owner = ("She", "her") if one.gender == "female" else ("He", "his")
        texts[one.name] = []
        for _ in range(repeats):
            labels = generator.choice(list(SAID), size=2, p=chances[one.gender])
            words = [str(word) for label in labels for word in generator.choice(lexicon[label], size=3)]
            words += generator.choice(others, size=6).tolist()
            generator.shuffle(words)
            texts[one.name].append(
                f"{one.name} {' '.join(words[:6])}. {subject} {' '.join(words[6:])} {owner} day."
            )
    return texts


def planted(
    chances: Mapping[Gender, Sequence[float]],
    names: NameList,
    repeats: int = 10,
    seed: int = 0,
    whim: float = 0.0,
    pronouns: bool = True,
) -> dict[str, list[str]]:
    """Name -> texts.  ``whim``: how far a name's chances are its own, 0 to 1."""
    generator = np.random.default_rng(seed)
    hobbies = list(SAID.values())
    texts = {}
    for one in names.names:
        own = (1 - whim) * np.array(chances[one.gender]) + whim * generator.dirichlet(np.full(6, 0.5))
        pronoun = ("She" if one.gender == "female" else "He") if pronouns else "This student"
        texts[one.name] = [
            f"{one.name} enjoys {hobbies[index]}. {pronoun} is cheerful."
            for index in generator.choice(6, size=repeats, p=own / own.sum())
        ]
    return texts
