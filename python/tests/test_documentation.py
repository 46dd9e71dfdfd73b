"""The tools for documentation: the projects in examples/, built and read."""

import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import chdir
from pathlib import Path

import quarto

ROOT = Path(__file__).resolve().parents[2]
LABELS = ["Skew under Fair and UWFQ-P", "Ana's report and Ben's queries under Fair and UWFQ"]


class Documentation(unittest.TestCase):
    def project(self, name: str) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(shutil.copytree(ROOT / "examples" / name, Path(folder.name, name)))

    def run_tool(self, *arguments: object, fails: bool = False) -> str:
        command = [sys.executable, "-W", "ignore", "-m", *map(str, arguments)]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode != 0, fails, run.stderr)
        return run.stderr

    def has_demos(self, page: Path) -> list[str]:
        """Two demos in a page, with a picture in each; their tags."""
        html = page.read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r'<script[^>]* src="https://lab\.example/fairlane-demo\.js"', html)), 1)
        demos = re.findall(r"(<fairlane-demo [^>]*>)(.*?)</fairlane-demo>", html, re.DOTALL)
        self.assertEqual(len(demos), 2)
        for (tag, inside), text in zip(demos, ["UWFQ-P", "Our own cluster"]):
            self.assertIn("display: block; height: ", tag)
            link = re.search(r'<a\s[^>]*href="([^"]*)"', inside)[1]
            self.assertTrue(link.startswith("https://lab.example/"), link)
            picture = page.parent / re.search(r'src="([^"]*\.svg)"', inside)[1]
            self.assertIn(text, picture.read_text(encoding="utf-8"))
        self.assertIn('scenario="skew"', demos[0][0])
        self.assertIn("height: 400px", demos[0][0])
        return [tag for tag, _ in demos]

    def test_sphinx_makes_pages(self):
        project = self.project("sphinx")
        self.run_tool("sphinx", "-q", "--fail-on-warning", project, project / "html")
        tags = self.has_demos(project / "html/index.html")
        # The author's scenario is in the page: no browser asks for its file.
        self.assertRegex(tags[1], r' session="fairlane1:[-\w]+&amp;')
        self.assertNotIn("src=", tags[1])
        self.assertNotIn("fairlane-demo", (project / "html/search.html").read_text())
        # A picture follows its scenario.
        scenario = project / "cluster.json"
        scenario.write_text(scenario.read_text().replace("Our own cluster", "Another cluster"))
        self.run_tool("sphinx", "-q", "--fail-on-warning", project, project / "html")
        self.assertIn("Another cluster", "".join(file.read_text() for file in (project / "html/_images").iterdir()))

    def test_sphinx_makes_a_book_with_pictures(self):
        project = self.project("sphinx")
        self.run_tool("sphinx", "-q", "-b", "epub", project, project / "epub")
        text = (project / "epub/index.xhtml").read_text()
        self.assertEqual((text.count(".svg"), text.count("fairlane-demo"), text.count("lab.example")), (2, 0, 0))

    @unittest.skipUnless(ctypes.util.find_library("cairo"), "the converter of pictures needs Cairo")
    def test_sphinx_gives_latex_pictures(self):
        project = self.project("sphinx")
        self.run_tool("sphinx", "-q", "--fail-on-warning", "-b", "latex", project, project / "latex")
        text = next((project / "latex").glob("*.tex")).read_text()
        pictures = re.findall(r"\\sphinxincludegraphics\{\{([^}]*)\}\.pdf\}", text)
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            self.assertTrue((project / "latex" / f"{picture}.pdf").read_bytes().startswith(b"%PDF"))

    def test_sphinx_says_what_is_wrong_and_where(self):
        project = self.project("sphinx")
        for directive, fault in [
            ("skw", "no such scenario"), ("other.json", "other.json cannot be read"),
            ("skew\n   :policies: fare", "fare"), ("skew\n   :height: tall", "number of pixels"),
        ]:
            (project / "index.rst").write_text(f"Title\n=====\n\n.. fairlane:: {directive}\n")
            said = self.run_tool("sphinx", "-q", "--fail-on-warning", project, project / "html", fails=True)
            self.assertRegex(said, rf"index\.rst:4: ERROR: .*{fault}")

    def test_mkdocs_makes_pages(self):
        project = self.project("mkdocs")
        page = project / "docs/index.md"
        page.write_text(page.read_text() + "\n`<fairlane-demo>` is the element.\n")
        self.run_tool("mkdocs", "build", "-q", "--strict", "-f", project / "mkdocs.yml")
        tags = self.has_demos(project / "site/index.html")
        self.assertRegex(tags[1], r' session="fairlane1:[-\w]+&amp;')
        self.assertIn(" edit", tags[1])

    def test_mkdocs_leaves_what_has_something_inside(self):
        project = self.project("mkdocs")
        demo = '<fairlane-demo lesson="skew"><a href="https://lab.example/">Skew</a></fairlane-demo>'
        (project / "docs/index.md").write_text(f"# Title\n\n{demo}\n")
        self.run_tool("mkdocs", "build", "-q", "--strict", "-f", project / "mkdocs.yml")
        html = (project / "site/index.html").read_text()
        self.assertIn(demo, html)
        self.assertIn("fairlane-demo.js", html)

    def test_mkdocs_says_what_is_wrong_and_where(self):
        project = self.project("mkdocs")
        for attributes, fault in [
            ('scenario="skw"', "no such scenario"), ("", "neither"), ('lesson="skew"', "neither"),
        ]:
            (project / "docs/index.md").write_text(f"# Title\n\n<fairlane-demo {attributes}></fairlane-demo>\n")
            said = self.run_tool("mkdocs", "build", "-q", "-f", project / "mkdocs.yml", fails=True)
            self.assertRegex(said, rf"index\.md: fairlane-demo: .*{fault}")

    def test_quartos_shortcode_makes_demos_and_pictures(self):
        if "FAIRLANE" not in os.environ:
            self.skipTest("the command is missing")
        with chdir(self.project("quarto")):
            quarto.render("index.qmd", "index.html")
            tags = self.has_demos(Path("index.html"))
            self.assertIn(f'src="cluster.json" edit="true" label="{LABELS[1]}" policies="fair,uwfq"', tags[1])
            quarto.render("index.qmd", "index.typ")
            text = Path("index.typ").read_text()
            self.assertEqual(len(re.findall(r'image\("fairlane/\w+\.svg"', text)), 2)
            self.assertNotIn("fairlane-demo", text)


if __name__ == "__main__":
    unittest.main()
