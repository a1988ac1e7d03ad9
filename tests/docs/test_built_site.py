"""The site that ``docs/build_site.py`` built: nothing is lost, broken, or loaded from another host."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

SITE = Path(__file__).parents[2] / "build" / "site"
PAGES, BUILT = SITE / "pages", SITE / "html"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT.exists(), reason="the site is not built: python docs/build_site.py"),
]


class Page(HTMLParser):
    """What is counted and followed on a page of HTML."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.tags[tag] += 1
        self.ids.update(filter(None, [named.get("id"), named.get("name")]))
        if tag == "a" and (link := named.get("href")):
            self.links.append(link)
        if tag in ("script", "img", "iframe") and (source := named.get("src")):
            self.loaded.append(source)
        if tag == "link" and named.get("rel") != "canonical" and (source := named.get("href")):
            self.loaded.append(source)


def place_of(page: Path) -> Path:
    """Where the HTML of a page is."""
    inside = page.relative_to(PAGES).with_suffix("")
    return BUILT / (inside.parent if inside.name == "index" else inside) / "index.html"


@pytest.fixture(scope="module")
def built() -> dict[Path, Page]:
    return {file: Page(file) for file in BUILT.rglob("index.html")}


def test_blocks_and_rows_of_every_page_are_there(built: dict[Path, Page]) -> None:
    for page in PAGES.rglob("*.md"):
        if "api" in page.parts:
            continue
        tokens = Counter(token.type for token in MarkdownIt().enable("table").parse(page.read_text("utf-8")))
        html = built[place_of(page)].tags
        assert (html["pre"], html["tr"]) == (tokens["fence"] + tokens["code_block"], tokens["tr_open"]), page


def test_links_and_anchors_lead_somewhere(built: dict[Path, Page]) -> None:
    broken = []
    for file, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                parts.fragment and target in built and unquote(parts.fragment) not in built[target].ids
            ):
                broken.append(f"{file.relative_to(BUILT)}: {link}")
    assert broken == []


def test_nothing_comes_from_another_host(built: dict[Path, Page]) -> None:
    loaded = {source for page in built.values() for source in page.loaded}
    assert [source for source in loaded if urlsplit(source).netloc] == []
    styles = "".join(file.read_text("utf-8") for file in BUILT.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//", styles) == []


def test_the_api_describes_functions_and_inherited_methods(built: dict[Path, Page]) -> None:
    api = BUILT / "reference" / "api"
    generation = built[api / "generation" / "index.html"].ids
    verbs = ("generate", "generate_many", "stream", "stream_items", "score", "observe")
    assert {f"formwright.models.LocalModel.{verb}" for verb in verbs} <= generation
    client = built[api / "client" / "index.html"].ids
    assert not [name for name in client if name.startswith(("formwright.connect.", "formwright.client.connect."))]
    assert "formwright.tools.Offer" not in built[api / "forms" / "index.html"].ids  # only the function fw.tools


def test_the_api_has_signatures_with_types(built: dict[Path, Page]) -> None:
    ids = built[BUILT / "reference" / "api" / "masks" / "index.html"].ids
    assert {"formwright.Matcher.fill_bitmask", "formwright.Vocabulary.from_tokenizer"} <= ids
    assert "budget" in (BUILT / "reference" / "api" / "masks" / "index.html").read_text("utf-8")
