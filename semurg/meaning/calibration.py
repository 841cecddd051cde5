"""The floor of a model: the cosine under which a question's best passage is as near as any stranger's would be.

Measured by asking what is stored some fifty questions that no memory answers; the floor is the value that 95% of their
best cosines stay under. Kept beside the vectors, by the model's digest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semurg.eventlog.directory import write_whole

FILE = "meaning.json"
SHARE = 0.95
STRANGE_QUESTIONS = (
    "How many moons does the ninth planet of a pulsar have?",
    "Which enzyme unwinds the double helix before replication?",
    "What was the tonnage of the third ferry to cross the strait?",
    "Who lit the lamps in the monastery on the night of the flood?",
    "At what temperature does gallium melt?",
    "Which guild set the price of candles in the old harbour?",
    "How is the tension of a drum's membrane measured?",
    "What do beekeepers call a hive without a queen?",
    "Which king minted coins with a hole in the middle?",
    "How long does light take to cross a proton?",
    "What is the sacred mountain of the island's first settlers?",
    "Which knot holds best on a wet mooring line?",
    "Who proved that there are infinitely many primes?",
    "How deep is the trench south of the archipelago?",
    "What was the motto of the seventh legion?",
    "Which fungus gives blue cheese its veins?",
    "How many strings has a theorbo?",
    "What did the surveyors name the glacier after?",
    "Which clause of the treaty forbade new fortresses?",
    "How do eels find the sea in which they spawn?",
    "What is the half-life of tritium?",
    "Who composed the anthem of the abolished province?",
    "Which gear ratio did the first tram use?",
    "How were the bells of the cathedral cast?",
    "What is the Roman name of the river at the border?",
    "Which pigment made medieval glass red?",
    "How tall must a lighthouse be to show at twenty miles?",
    "Who was the last ferryman of the upper lake?",
    "What is the genus of the tree that yields cork?",
    "Which opcode clears the carry flag?",
    "How many pages did the lost codex have?",
    "What do potters add to clay against cracking?",
    "Which comet returned in the year of the eclipse?",
    "How is saffron told from safflower?",
    "What was the password of the night watch?",
    "Which bird nests in burnt forests only?",
    "How much does a cubic metre of basalt weigh?",
    "Who drew the first map of the caves?",
    "What is the longest word in the epic's third canto?",
    "Which valve regulates the flow of steam in a calliope?",
    "How did the envoys cross the frozen lake?",
    "What is the opposite of a palindrome?",
    "Which spice was once paid as rent?",
    "How many teeth has an adult narwhal?",
    "What was the cargo of the ship that sank at the sluice?",
    "Which law of motion explains the gyroscope?",
    "How old is the oldest living sponge?",
    "Who held the lease of the salt works?",
    "What is the atomic number of hafnium?",
    "Which dialect keeps the dual number?",
)


def floor_of(best_cosines: Sequence[float]) -> float:
    """The floor that the best cosines of strange questions give."""
    return round(float(np.quantile(np.asarray(best_cosines, dtype=np.float64), SHARE)), 3)


def calibrated_floor(folder: Path, digest: str, built_in: float | None) -> float | None:
    """The floor kept for a model, else the one that it comes with, else None."""
    kept = _kept(folder).get(digest)
    return float(kept) if isinstance(kept, int | float) else built_in


def keep_floor(folder: Path, digest: str, floor: float) -> None:
    """Keep the floor of a model."""
    write_whole(folder / FILE, json.dumps(_kept(folder) | {digest: floor}, indent=1).encode())


def _kept(folder: Path) -> dict[str, object]:
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        # derived data: measured again by `semurg model calibrate`
        return {}
    return read if isinstance(read, dict) else {}
