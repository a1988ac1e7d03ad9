"""Take the pictures of pages that the documentation shows: ``trace.png`` and ``playground.png``, in ``docs/pictures``.

::

    python docs/draw_pictures.py

Needs Chromium, and Playwright's client to drive it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import formwright as fw
from formwright.server import running

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Take both pictures."""
    model = fw.load("formwright-tiny")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        take_trace(browser, model)
        take_server_page(browser, model)
        browser.close()


def take_trace(browser: Any, model: fw.models.LocalModel) -> None:
    """The page of a trace."""
    form = fw.regex(r"Michael Jordan was Born in (\d)+\.")
    result = model.generate("When was Michael Jordan born?", form, max_tokens=20, trace=True)
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "trace.html")
        result.trace.save(page_file)
        page = browser.new_page(viewport={"width": 900, "height": 620})
        page.goto(page_file.as_uri())
        page.locator(".token").nth(7).hover()
        page.screenshot(path=FOLDER / "trace.png")


def take_server_page(browser: Any, model: fw.models.LocalModel) -> None:
    """The page of the server, after its first run."""
    with running(model) as server:
        page = browser.new_page(viewport={"width": 1200, "height": 780}, reduced_motion="reduce")
        page.goto(server.url)
        page.locator("#model option").wait_for(state="attached")
        page.get_by_role("button", name="Run").click()
        page.locator("#outcome:not([hidden])").wait_for()
        page.locator(".token.pushed").nth(0).hover()
        page.screenshot(path=FOLDER / "playground.png")


if __name__ == "__main__":
    main()
