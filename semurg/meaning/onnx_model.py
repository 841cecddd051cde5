"""Sentence models in ONNX form, run on this machine by onnxruntime.

A directory is read as model hubs lay one out: the graph (`model.onnx` or `onnx/model.onnx`), `tokenizer.json`, and, if
they are there, the pooling, the longest input and the prompts of sentence-transformers. Without them: mean pooling, 512
tokens, no prompts but those that the families e5 and bge are trained with.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semurg.meaning.protocol import ModelUnavailable, Vectors, unit_rows

BATCH = 16
GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx", "model_int8.onnx")
FILE_VARIABLE = "SEMURG_MEANING_FILE"


class Recipe(NamedTuple):
    """How texts become vectors beside the graph itself. `pooling` is mean or cls."""

    pooling: str = "mean"
    max_tokens: int = 512
    query_prompt: str = ""
    passage_prompt: str = ""


class OnnxEmbedder:
    """A model whose graph is a file; `tokenizer` is a tokenizers.Tokenizer without truncation and padding."""

    def __init__(
        self, graph: Path, tokenizer: Any, recipe: Recipe, name: str, digest: str, floor: float | None = None
    ) -> None:
        try:
            import onnxruntime
        except ImportError as missing:
            raise ModelUnavailable("onnxruntime is not installed; install semurg[meaning]") from missing
        options = onnxruntime.SessionOptions()
        # The server shares the machine: one thread, and no spinning between calls.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has no class of its own for a graph that it cannot read
            raise ModelUnavailable(f"onnxruntime cannot read {graph.name}: {error}") from error
        self._inputs = [one.name for one in self._session.get_inputs()]
        outputs = [one.name for one in self._session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        tokenizer.enable_truncation(recipe.max_tokens)
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._recipe = recipe
        self.name, self.digest, self.max_tokens, self.floor = name, digest, recipe.max_tokens, floor
        self.dimensions = int(self._run(["size"]).shape[1])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, each embedded up to max_tokens; batched by length so that little is padded."""
        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for first in range(0, len(by_length), BATCH):
            places = by_length[first : first + BATCH]
            out[places] = self._run([self._recipe.passage_prompt + texts[place] for place in places])
        return out

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        vector: Vectors = self._run([self._recipe.query_prompt + text])[0]
        return vector

    def close(self) -> None:
        """Nothing is held beyond this object."""

    def _run(self, texts: Sequence[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch(list(texts))
        longest = max(1, *(len(one.ids) for one in encoded))
        ids = np.zeros((len(encoded), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run([self._output], {name: feed[name] for name in self._inputs if name in feed})[0]
        if output.ndim == 3 and self._recipe.pooling == "cls":
            output = output[:, 0]
        elif output.ndim == 3:
            output = (output * mask[..., None]).sum(axis=1) / np.maximum(1, mask.sum(axis=1, keepdims=True))
        return unit_rows(output.astype(np.float32))


def open_directory(path: Path) -> OnnxEmbedder:
    """The model in a directory. Raises ModelUnavailable when something it needs is missing or unreadable."""
    if not path.is_dir():
        raise ModelUnavailable(f"there is no model directory {path}")
    graph = _graph_in(path)
    return OnnxEmbedder(graph, _tokenizer_in(path), _recipe_in(path), path.name, digest_of_file(graph))


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _graph_in(path: Path) -> Path:
    asked = os.environ.get(FILE_VARIABLE)
    names = (asked,) if asked else GRAPHS
    for name in names:
        if (path / name).is_file():
            return path / name
    raise ModelUnavailable(f"{path} holds none of {', '.join(names)}")


def _tokenizer_in(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as missing:
        raise ModelUnavailable("tokenizers is not installed; install semurg[meaning]") from missing
    if not (path / "tokenizer.json").is_file():
        raise ModelUnavailable(f"{path} holds no tokenizer.json")
    try:
        return Tokenizer.from_file(str(path / "tokenizer.json"))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelUnavailable(f"tokenizer.json in {path} cannot be read: {error}") from error


def _recipe_in(path: Path) -> Recipe:
    pooling = _json(path / "1_Pooling" / "config.json")
    longest = _json(path / "sentence_bert_config.json").get("max_seq_length")
    prompts = _json(path / "config_sentence_transformers.json").get("prompts") or {}
    family = str(_json(path / "config.json").get("_name_or_path", "")).lower() + path.name.lower()
    query, passage = prompts.get("query", ""), prompts.get("document", prompts.get("passage", ""))
    if not prompts and "e5" in family:
        query, passage = "query: ", "passage: "
    elif not prompts and "bge" in family and "-en" in family:
        query = "Represent this sentence for searching relevant passages: "
    return Recipe("cls" if pooling.get("pooling_mode_cls_token") else "mean", int(longest or 512), query, passage)


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelUnavailable(f"{path} is not JSON: {error}") from error
    return read if isinstance(read, dict) else {}
