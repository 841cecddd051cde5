"""The page at /docs: reads /openapi.json and lets a reader try every operation. Complete in itself, nothing is fetched
from elsewhere, and its content security policy allows no script but its own.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files


def docs_page() -> tuple[bytes, dict[str, str]]:
    """The page and the headers that go with it."""
    here = files("semurg.api")
    style = here.joinpath("docs.css").read_text("utf-8")
    script = here.joinpath("docs.js").read_text("utf-8")
    page = here.joinpath("docs.html").read_text("utf-8").replace("/*style*/", style).replace("/*script*/", script)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {"content-security-policy": policy, "cache-control": "no-cache", "referrer-policy": "no-referrer"}
    return page.encode(), headers


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
