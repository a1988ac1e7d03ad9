"""Take the picture of a trace's page that the documentation shows: ``docs/trace.png``.

::

    python docs/pictures.py

Needs Chromium, and Playwright's client to drive it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import formwright as fw

TARGET = Path(__file__).parent / "trace.png"


def main() -> None:
    """Take the picture."""
    form = fw.regex(r"Michael Jordan was Born in (\d)+\.")
    model = fw.load("formwright-tiny")
    result = model.generate("When was Michael Jordan born?", form, max_tokens=20, trace=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page_file = Path(folder, "trace.html")
        result.trace.save(page_file)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 620})
        page.goto(page_file.as_uri())
        page.locator(".token").nth(7).hover()
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
