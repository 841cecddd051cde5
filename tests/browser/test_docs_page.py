"""The API page in a real browser: a reader stores a memory and reads it back, and nothing is fetched from elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import RunningNode

playwright = pytest.importorskip("playwright.sync_api", reason="the test extra brings playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def page(node: RunningNode) -> Iterator[playwright.Page]:
    """The page, open in a headless browser."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened = browser.new_page()
        opened.goto(f"{node.url}/docs")
        yield opened
        browser.close()


def test_a_reader_tries_remember_and_recall_on_the_page(node: RunningNode, page: playwright.Page) -> None:
    page.get_by_label("Token").fill(node.token)
    page.get_by_label("Scope", exact=True).fill("from a browser")
    for operation in ("memory_remember", "memory_recall"):
        card = page.locator(f"#{operation}")
        card.locator("summary").click()
        card.get_by_role("button", name="Send").click()
        playwright.expect(card.get_by_role("status")).to_contain_text("200")
    playwright.expect(page.locator("#memory_recall").get_by_role("status")).to_contain_text("Dana WORKS_AT Acme")
    with node.client() as client:
        listed = client.get("/v1/memory/status").json()["scopes"]
    assert "from a browser" in [one["scope"] for one in listed]


def test_without_a_token_the_page_shows_the_refusal(page: playwright.Page) -> None:
    card = page.locator("#memory_status")
    card.locator("summary").click()
    card.get_by_role("button", name="Send").click()
    playwright.expect(card.get_by_role("status")).to_contain_text("token_required")


def test_the_page_asks_nobody_but_the_node(node: RunningNode, page: playwright.Page) -> None:
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.reload(wait_until="networkidle")
    playwright.expect(page.locator("#memory_recall")).to_have_count(1)
    assert asked and all(url.startswith(node.url) for url in asked)
    assert not [problem for problem in problems if "favicon" not in problem]
