"""The parts that one scope's projection is made of, side by side: what its writer view and its readers look into."""

from __future__ import annotations

from semurg.projections.attributes import Attributes
from semurg.projections.counted import CountedTexts
from semurg.projections.derived import Derivations
from semurg.projections.documents import Assertions, Documents
from semurg.projections.facts import Facts
from semurg.projections.mentions import Mentions
from semurg.projections.names import Names
from semurg.projections.passages import Passages
from semurg.projections.rows import Counts
from semurg.projections.timeline import Timeline
from semurg.projections.vectors import Vectors
from semurg.projections.words import Words


class Parts:
    """Empty parts of one scope. Each is changed by its own methods alone, and by events alone (projections.scope)."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.labels = CountedTexts()
        self.dates = CountedTexts()
        self.names = Names()
        self.facts = Facts(self.timeline)
        self.derivations = Derivations(self.facts)
        self.attributes = Attributes()
        self.documents = Documents(self.timeline, self.labels, self.dates)
        self.assertions = Assertions(self.labels, self.dates)
        self.passages = Passages(self.timeline, self.dates)
        self.mentions = Mentions()
        self.words = Words(self.passages)
        self.vectors = Vectors()

    def live(self) -> Counts:
        """How many there are of each in the newest state."""
        return Counts(self.names.live, self.facts.live, self.documents.live, self.passages.live)

    def memory_bytes(self) -> dict[str, int]:
        """Bytes held by each part, spare room included."""
        return {name: part.nbytes for name, part in vars(self).items()}
