"""Types named in the plural: which words the name of a type has, and which singular forms a word may be a plural of.

Rules of endings for languages in Latin script, and the common English and a few further plurals that follow none. They
propose: a form that no type has finds nothing, so a wrong proposal costs one look and no mistake.
"""

from __future__ import annotations

import re
from typing import Final

from semurg.domain.names import folded, match_key, words

_CAMEL: Final = re.compile(r"(?<=[a-zß-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORTEST: Final = 3

_IRREGULAR: Final = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "oxen": "ox", "lives": "life", "wives": "wife",
    "knives": "knife", "analyses": "analysis", "crises": "crisis", "theses": "thesis", "diagnoses": "diagnosis",
    "hypotheses": "hypothesis", "criteria": "criterion", "phenomena": "phenomenon", "data": "datum",
    "media": "medium", "indices": "index", "matrices": "matrix", "vertices": "vertex", "appendices": "appendix",
    "alumni": "alumnus", "cacti": "cactus", "stimuli": "stimulus", "genera": "genus", "leute": "person",
    "manner": "mann", "hauser": "haus", "bucher": "buch", "lander": "land", "stadte": "stadt", "yeux": "oeil",
    "uomini": "uomo",
}  # fmt: skip
# an ending of a plural, and what may stand in its place in the singular
_ENDINGS: Final = (
    ("ies", ("y", "ie")), ("ves", ("f", "fe")), ("oes", ("o", "oe")), ("sses", ("ss",)), ("shes", ("sh",)),
    ("ches", ("ch",)), ("xes", ("x",)), ("zes", ("z", "ze")), ("ses", ("s", "se")), ("aux", ("al", "au")),
    ("eux", ("eu",)), ("nnen", ("n",)), ("oes", ("ao",)), ("aes", ("ao",)), ("ais", ("al",)), ("eis", ("el",)),
    ("nen", ("", "nen")), ("men", ("ma",)), ("es", ("", "e")), ("en", ("", "e", "a", "um")), ("er", ("",)),
    ("s", ("",)), ("e", ("", "a")), ("n", ("",)), ("i", ("o", "e", "us")), ("x", ("",)),
)  # fmt: skip


def type_words(name: str) -> str:
    """The words of a type's name in one form, accents and case aside, joined by spaces; `ResearchGroup` is two."""
    spaced = _CAMEL.sub(" ", name)
    key = folded(match_key(spaced))
    return " ".join(words(key)) or key


def singulars(word: str) -> list[str]:
    """Forms that a folded word may be the plural of, the word itself first, likelier ones before."""
    forms = [word]
    if word in _IRREGULAR:
        forms.append(_IRREGULAR[word])
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            forms += [stem + one for one in instead if len(stem) + len(one) >= _SHORTEST]
    return list(dict.fromkeys(forms))


def plurals(word: str) -> list[str]:
    """Plural forms by which a type may be called that a question names in the singular."""
    forms = [f"{word}s", f"{word}es"]
    if word.endswith("y"):
        forms.append(f"{word[:-1]}ies")
    forms += [many for many, one in _IRREGULAR.items() if one == word]
    return forms
