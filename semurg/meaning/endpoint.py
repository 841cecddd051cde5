"""A model behind an OpenAI-compatible endpoint, POST {base}/embeddings. Texts leave the node: never a default."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from semurg.meaning.protocol import ModelUnavailable, Vectors, unit_rows

BATCH = 64
TIMEOUT_S = 20.0
QUERY_TIMEOUT_S = 2.0
TRIES = 3


class EndpointEmbedder:
    """The model `model` at `base` (https://host/v1). Its answers are asked for as base64 and taken as lists too."""

    def __init__(self, base: str, model: str, key: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(base_url=base.rstrip("/") + "/", headers=headers, follow_redirects=False)
        self._model = model
        self.name = model
        self.digest = hashlib.sha256(f"{base}\0{model}".encode()).hexdigest()
        self.max_tokens = 512
        self.floor: float | None = None
        self.dimensions = int(self._ask(["size"], TIMEOUT_S, 1).shape[1])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, asked for in batches, each tried three times."""
        parts = [self._ask(texts[first : first + BATCH], TIMEOUT_S, TRIES) for first in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question; tried once, and for two seconds at most."""
        vector: Vectors = self._ask([text], QUERY_TIMEOUT_S, 1)[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, texts: Sequence[str], timeout: float, tries: int) -> Vectors:
        body = {"model": self._model, "input": list(texts), "encoding_format": "base64"}
        trying = Retrying(
            retry=retry_if_exception(_is_passing),
            stop=stop_after_attempt(tries),
            wait=wait_exponential(multiplier=0.2, max=2),
            reraise=True,
        )
        try:
            answer = trying(lambda: self._post(body, timeout))
            rows = [_row(one["embedding"]) for one in sorted(answer["data"], key=lambda one: one["index"])]
        except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
            raise ModelUnavailable(f"the embedding endpoint did not answer as it should: {error!r}") from error
        if len(rows) != len(texts) or len({len(row) for row in rows}) > 1:
            raise ModelUnavailable("the embedding endpoint answered with another number of vectors than was asked for")
        return unit_rows(np.stack(rows))

    def _post(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        response = self._client.post("embeddings", json=body, timeout=timeout)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer


def _row(given: str | list[float]) -> Vectors:
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given), dtype="<f4").astype(np.float32)
    return np.array(given, dtype=np.float32)


def _is_passing(error: BaseException) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (408, 429) or error.response.status_code >= 500
    return isinstance(error, httpx.TransportError)
