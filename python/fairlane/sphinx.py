"""Demos in Sphinx: ``extensions = ["fairlane.sphinx"]``, and ``.. fairlane:: skew`` with options. Where there is no
HTML, such as in a PDF, stands the picture."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import LAB, FairlaneError, __version__
from ._demo import demo, element


class DemoNode(nodes.General, nodes.Element):
    """The element in HTML; elsewhere only what is inside."""


class Directive(SphinxDirective):
    """Its argument is the name of a scenario in the catalog, or a scenario's file from the document on; its options are
    the attributes of the element."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Mapping[str, Any]] = {  # type: ignore[assignment]
        **{key: directives.unchanged_required for key in (
            "policies", "show", "chart", "theme", "predict", "at", "height", "label", "loading")},
        "edit": directives.flag,
        "class": directives.class_option,
        "name": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        scenario = self.arguments[0]
        attributes = {key: value for key, value in self.options.items() if key not in ("class", "name")}
        folder = Path(self.env.doc2path(self.env.docname)).parent
        if scenario.endswith(".json"):
            attributes["src"] = scenario
            self.env.note_dependency(folder / scenario)
        else:
            attributes["scenario"] = scenario
        try:
            shown = demo(attributes, folder, self.config.fairlane_lab)
        except FairlaneError as error:
            raise self.error(str(error)) from error
        file = Path(self.env.doctreedir, "fairlane", shown.file)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(shown.picture, encoding="utf-8")
        # An address of Sphinx is relative to the folder of the sources.
        uri = "/" + Path(os.path.relpath(file, self.env.srcdir)).as_posix()
        image = nodes.image(uri=uri, alt=shown.label)
        link = nodes.reference("", "", image, refuri=shown.link)
        node = DemoNode("", link, tag=shown.tag, classes=self.options.get("class", []))
        self.add_name(node)
        return [node]


def _begin(translator: Any, node: DemoNode) -> None:
    translator.body.append(translator.starttag(node, "div") + node["tag"])


def _end(translator: Any, _node: DemoNode) -> None:
    translator.body.append("</fairlane-demo></div>\n")


def _nothing(_translator: Any, _node: DemoNode) -> None:
    pass


def _only_pictures(app: Sphinx, tree: nodes.document, _page: str) -> None:
    # A book has no scripts, and would print the address of each link.
    if app.builder.name == "epub":
        for node in list(tree.findall(DemoNode)):
            node.replace_self(list(node.findall(nodes.image)))


def _add_script(app: Sphinx, _page: str, _template: str, _context: Any, tree: nodes.document | None) -> None:
    if tree is not None and next(tree.findall(DemoNode), None) is not None:
        app.add_js_file(element(app.config.fairlane_lab), loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx. ``fairlane_lab`` in ``conf.py`` is the address of the lab."""
    app.add_config_value("fairlane_lab", LAB, "env", str)
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (_nothing, _nothing))
    app.add_node(DemoNode, html=(_begin, _end), **others)
    app.add_directive("fairlane", Directive)
    app.connect("doctree-resolved", _only_pictures)
    app.connect("html-page-context", _add_script)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
