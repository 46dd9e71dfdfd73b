"""Renders a document as Quarto would, in its folder: ``quarto.py index.qmd index.html``. Quarto is not in a registry of
packages; pandoc, which does its work, is."""

import subprocess
import sys
from pathlib import Path

import pypandoc


def render(document: str, output: str) -> None:
    subprocess.run(
        [pypandoc.get_pandoc_path(), document, "--standalone", "--from=markdown-smart", f"--output={output}",
         "--metadata=shortcode:_extensions/fairlane/fairlane.lua", "--metadata-file=_quarto.yml",
         f"--lua-filter={Path(__file__).with_name('quarto.lua')}"], check=True)


if __name__ == "__main__":
    render(*sys.argv[1:])
