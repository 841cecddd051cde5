"""Embedding behind the reply: loads the model, gives every published text its vector, and answers for questions.

Works in batches, in a thread: reads and writes go on. What was embedded is kept on disk (meaning/store.py), so that a
restart, a crash or a scope that is read again costs no second computation. A forget takes the vectors away before it
is answered; a batch in flight looks again, under the same lock, whether what it embedded is still there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.errors import Refusal
from semurg.meaning.calibration import STRANGE_QUESTIONS, calibrated_floor, floor_of, keep_floor
from semurg.meaning.choice import VARIABLE, open_model
from semurg.meaning.protocol import Embedder, ModelUnavailable
from semurg.meaning.store import StoredVector, VectorStore
from semurg.projections.embedding_texts import text_of, waiting, without_vector
from semurg.projections.projector import Projector
from semurg.projections.scope import ScopeProjection
from semurg.projections.vectors import Embedded, quantise

logger = logging.getLogger("semurg.embedding")

BATCH = 16
LOOK_UP = 512
"""Texts looked for on disk at once; those that are not there are embedded in batches."""
RETRY_S = 10.0
QUERY_TIMEOUT_S = 5.0


class QueryVector(NamedTuple):
    """The vector of a question, or None with the state of the stage and why: not_armed, or could_not_judge."""

    vector: NDArray[np.float32] | None
    state: str
    reason: str | None
    floor: float | None = None
    model: str | None = None


class _Found(NamedTuple):
    """A thing to embed: what it is, its text, the key of its vector."""

    kind: Embedded
    number: int
    text: str
    key: bytes


class Embedding:
    """The model of one node and the work it has."""

    def __init__(self, folder: Path, projector: Projector, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._projector = projector
        self._environment = environment
        self._store: VectorStore | None = None
        self._model: Embedder | None = None
        self._floor: float | None = None
        self._off = environment.get(VARIABLE, "").strip() == "off"
        self._reason = f"{VARIABLE} is off" if self._off else "the model is being loaded"
        self._arming = False
        self._failed: str | None = None
        self._wake = asyncio.Event()
        self._lock = asyncio.Lock()
        self._using = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._todo: dict[str, None] = {}
        self._begun: dict[str, ScopeProjection] = {}

    # life

    async def start(self, unfinished: Sequence[str]) -> None:
        """Open the file of vectors, finish what a crash left of erasures, begin to load the model."""
        self._store = await asyncio.to_thread(VectorStore, self._folder)
        open_scopes = [entry.stream for entry in self._projector.catalogue.all_scopes()]
        await asyncio.to_thread(self._store.keep_streams, set(open_scopes).difference(unfinished))
        if self._off:
            return
        self._arming = True
        self._task = asyncio.get_running_loop().create_task(self._run(), name="semurg-embedding")

    async def stop(self) -> None:
        """End the work; what is not embedded yet is, after the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        async with self._lock, self._using:
            if self._model is not None:
                await asyncio.to_thread(self._model.close)
                self._model = None
            if self._store is not None:
                self._store.close()
                self._store = None

    def wake(self) -> None:
        """Something was published."""
        self._wake.set()

    # what others ask

    @property
    def expected(self) -> bool:
        """Whether what is stored now will be embedded."""
        return self._arming or self._model is not None

    @property
    def floor(self) -> float | None:
        """The model's floor, None when it has none."""
        return self._floor

    def status(self, streams: Sequence[str]) -> dict[str, object]:
        """The `meaning` of memory_status over these scopes."""
        if self._model is None:
            return {"state": "not_armed", "model": None, "waiting": 0, "reason": self._reason}
        loaded = [scope for stream in streams if (scope := self._projector.loaded(stream)) is not None]
        answer: dict[str, object] = {
            "state": "armed",
            "model": self._model.name,
            "waiting": sum(self._waiting(scope) for scope in loaded),
        }
        return answer | {"reason": self._failed} if self._failed else answer

    def described(self) -> list[dict[str, object]]:
        """The models of /v1/status."""
        if self._model is None:
            return []
        model = self._model
        return [
            {"name": model.name, "digest": model.digest, "dimensions": model.dimensions, "floor": self._floor}
            | {"state": "armed"}
        ]

    async def query(self, text: str) -> QueryVector:
        """The vector of a question; a model that fails, or takes too long, leaves that stage out and no other."""
        model = self._model
        if model is None:
            return QueryVector(None, "not_armed", self._reason)
        try:
            async with asyncio.timeout(QUERY_TIMEOUT_S):
                vector = await asyncio.to_thread(model.embed_query, text)
        except (ModelUnavailable, TimeoutError) as error:
            reason = str(error) or "the model took too long"
            return QueryVector(None, "could_not_judge", reason, None, model.name)
        return QueryVector(vector, "ran", None, self._floor, model.name)

    async def calibrate(self) -> dict[str, object]:
        """Measure the model's floor on what is in memory and keep it. Raises Refusal when there is nothing to ask."""
        model = self._model
        if model is None:
            raise Refusal("model_unavailable", f"No model is armed: {self._reason}.", "Install semurg[meaning].")
        try:
            async with self._using:
                questions = [await asyncio.to_thread(model.embed_query, one) for one in STRANGE_QUESTIONS]
        except ModelUnavailable as unavailable:
            raise Refusal("model_unavailable", f"The model failed: {unavailable}.", "Look at its endpoint.") from None
        best, asked = [], 0
        for stream in list(self._begun):
            scope = self._projector.loaded(stream)
            if scope is None or not scope.parts.vectors.count(Embedded.PASSAGE):
                continue
            asked += 1
            for question in questions:
                nearest = scope.parts.vectors.nearest(Embedded.PASSAGE, question, 1, lambda passages: passages)
                best += [cosine for _, cosine in nearest]
        if not best:
            raise Refusal("model_unavailable", "No passage has a vector yet.", "Store some texts first.")
        self._floor = floor_of(best)
        await asyncio.to_thread(keep_floor, self._folder, model.digest, self._floor)
        return {"ok": True, "model": model.name, "floor": self._floor, "scopes": asked}

    async def forgotten(self, streams: Sequence[str]) -> None:
        """Overwrite on disk the vectors of what these scopes have forgotten; a scope that is gone loses all."""
        async with self._lock:
            for stream in streams:
                store, scope = self._store, self._projector.loaded(stream)
                begun = self._begun.get(stream)
                if begun is not None and begun is not scope:
                    del self._begun[stream]
                if store is None:
                    continue
                if scope is None:
                    await asyncio.to_thread(store.delete_stream, stream)
                    continue
                keys, scope.parts.vectors.gone = scope.parts.vectors.gone, []
                if keys:
                    await asyncio.to_thread(store.delete, stream, keys)

    # the work

    async def _run(self) -> None:
        try:
            await self._arm()
        except ModelUnavailable as unavailable:
            self._reason = str(unavailable)
            logger.warning("no model for meaning: %s", unavailable)
        except Exception:
            self._reason = "the model could not be loaded; the node's log says why"
            logger.exception("the model for meaning could not be loaded")
        self._arming = False
        if self._model is None:
            return
        self._todo.update(dict.fromkeys(entry.stream for entry in self._projector.catalogue.all_scopes()))
        while True:
            self._todo.update(dict.fromkeys(self._projector.changed))
            self._projector.changed.clear()
            if not self._todo:
                self._wake.clear()
                await self._wake.wait()
                continue
            stream = next(iter(self._todo))
            # the next scope's turn comes after one batch of this one
            del self._todo[stream]
            scope = self._projector.loaded(stream)
            if scope is None:
                continue
            try:
                if await self._embed_some(scope):
                    self._todo[stream] = None
                self._failed = None
            except ModelUnavailable as unavailable:
                self._failed = str(unavailable)
                logger.warning("texts could not be embedded, they wait: %s", unavailable)
                self._restart(scope)
                self._todo[stream] = None
                await asyncio.sleep(RETRY_S)

    async def _arm(self) -> None:
        model = await asyncio.to_thread(open_model, self._environment)
        if model is None:
            self._reason = "no embedding model is installed"
            return
        assert self._store is not None
        async with self._lock:
            await asyncio.to_thread(self._store.keep_only, model.digest)
        self._floor = calibrated_floor(self._folder, model.digest, model.floor)
        self._model = model

    def _waiting(self, scope: ScopeProjection) -> int:
        return waiting(scope.parts)

    def _restart(self, scope: ScopeProjection) -> None:
        for kind in Embedded:
            scope.parts.vectors.reach(kind, 0)

    async def _embed_some(self, scope: ScopeProjection) -> bool:
        """Give vectors to the next texts of a scope; whether there may be more."""
        assert self._model is not None and self._store is not None
        vectors = scope.parts.vectors
        if self._begun.get(scope.stream) is not scope:
            vectors.begin(self._model.dimensions)
            self._begun[scope.stream] = scope
            self._restart(scope)
        found = self._next(scope)
        if not found:
            return False
        stored = await asyncio.to_thread(self._store.find, scope.stream, [one.key for one in found])
        missing = []
        for one in found:
            vector = stored.get(one.key)
            if vector is None:
                missing.append(one)
            elif text_of(scope.parts, one.kind, one.number) == one.text:
                vectors.put(one.kind, one.number, np.frombuffer(vector.cells, dtype=np.int8), vector.scale)
        for first in range(0, len(missing), BATCH):
            await self._embed(scope, missing[first : first + BATCH])
        return True

    def _next(self, scope: ScopeProjection) -> list[_Found]:
        horizon = scope.parts.timeline.horizon(self._projector.published_at)
        for kind in Embedded:
            numbers = list(without_vector(scope.parts, kind, LOOK_UP, horizon))
            if numbers:
                texts = [(number, text_of(scope.parts, kind, number)) for number in numbers]
                return [_Found(kind, number, text, scope.text_key(text)) for number, text in texts if text is not None]
        return []

    async def _embed(self, scope: ScopeProjection, batch: Sequence[_Found]) -> None:
        model = self._model
        assert model is not None
        async with self._using:
            rows = await asyncio.to_thread(model.embed_passages, [one.text for one in batch])
        cells, scales = quantise(rows)
        async with self._lock:
            if self._store is None or self._projector.loaded(scope.stream) is not scope:
                return
            # what was forgotten meanwhile gets no vector, in memory or on disk
            kept = [place for place, one in enumerate(batch) if text_of(scope.parts, one.kind, one.number) == one.text]
            rows_kept = [StoredVector(batch[i].key, float(scales[i]), cells[i].tobytes()) for i in kept]
            await asyncio.to_thread(partial(self._store.add, scope.stream, rows_kept))
            for place in kept:
                one = batch[place]
                if text_of(scope.parts, one.kind, one.number) == one.text:
                    scope.parts.vectors.put(one.kind, one.number, cells[place], float(scales[place]))
