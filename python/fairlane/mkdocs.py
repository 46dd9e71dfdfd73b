"""Demos in MkDocs: ``plugins: [fairlane]``, and ``<fairlane-demo scenario="skew"></fairlane-demo>`` in a page. The
plugin adds the script, and puts a picture into each element that has nothing inside."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from . import LAB, FairlaneError
from ._demo import demo, element

_ELEMENT = re.compile(r"(<fairlane-demo(?:\s[^>]*)?>)(.*?)</fairlane-demo>", re.DOTALL)


class Settings(Config):
    lab = config_options.Type(str, default=LAB)
    """The address of the lab."""


class Plugin(BasePlugin[Settings]):
    """Called by MkDocs for each page."""

    def on_page_content(self, html: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        def filled(found: re.Match[str]) -> str:
            tag, inside = found.groups()
            return found[0] if inside.strip() else self._element(_attributes(tag), page, config, files)

        try:
            html, count = _ELEMENT.subn(filled, html)
        except FairlaneError as error:
            raise PluginError(f"{page.file.src_uri}: fairlane-demo: {error}") from error
        script = f'\n<script defer src="{element(self.config.lab)}"></script>'
        return html + script if count else html

    def _element(self, attributes: dict[str, str | None], page: Page, config: MkDocsConfig, files: Files) -> str:
        if not attributes.keys() & {"scenario", "src"}:
            raise FairlaneError("has neither a scenario nor src, and nothing inside; put a picture or a link into it")
        shown = demo(attributes, Path(page.file.abs_src_path or config.docs_dir).parent, self.config.lab)
        path = f"assets/fairlane/{shown.file}"
        picture = files.get_file_from_path(path)
        if picture is None:
            picture = File.generated(config, path, content=shown.picture)
            files.append(picture)
        image = f'<img src="{get_relative_url(picture.url, page.url)}" alt="{escape(shown.label)}">'
        return f'{shown.tag}<a href="{escape(shown.link)}">{image}</a></fairlane-demo>'


def _attributes(tag: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    parser = HTMLParser()
    parser.handle_starttag = lambda _tag, attributes: found.update(attributes)  # type: ignore[method-assign]
    parser.feed(tag)
    return found

