"""The search of the built site, in a browser: what people look up is among the first three pages that it shows."""

from __future__ import annotations

import functools
import shutil
import threading
import tomllib
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "site" / "html"
QUESTIONS: dict[str, str] = tomllib.loads((Path(__file__).parent / "search_questions.toml").read_text("utf-8"))
SHOWN = (
    """() => [...document.querySelector('.focus-visible').shadowRoot.querySelectorAll('a')].map(link => link.href)"""
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT.exists(), reason="the site is not built: python docs/build_site.py"),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium"),
]


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[tuple[Any, str]]:
    """A browser, and the address of the site."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(BUILT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield chromium, f"http://127.0.0.1:{server.server_port}/"
        chromium.close()
    server.shutdown()
    server.server_close()


def open_search(page: Any) -> None:
    """Open the dialog of the search."""
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Control+k")
    page.wait_for_function("() => document.querySelector('.focus-visible')?.shadowRoot")


def search(page: Any, question: str) -> list[str]:
    """The pages of the site that the search shows, the first one first."""
    page.keyboard.press("Control+a")
    page.keyboard.type(question)
    seen: list[str] = []
    for _ in range(20):  # the index is searched in a worker, as one types
        page.wait_for_timeout(100)
        links = [urlsplit(link).path.strip("/") for link in page.evaluate(SHOWN)]
        if links and links == seen:
            break
        seen = links
    return list(dict.fromkeys(seen))


def test_questions_are_answered_by_the_first_three_pages(browser: tuple[Any, str]) -> None:
    chromium, address = browser
    page, asked = chromium.new_page(), set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    page.goto(address)
    open_search(page)
    found = {question: search(page, question)[:3] for question in QUESTIONS}
    assert {question: pages for question, pages in found.items() if QUESTIONS[question] not in pages} == {}
    assert asked == {urlsplit(address).netloc}
