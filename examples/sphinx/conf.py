"""Documentation with demos, by Sphinx: make HTML with `sphinx-build . html`, and what LaTeX reads with
`sphinx-build -b latex . latex`."""

project = "A handbook with demos"
extensions = [
    "fairlane.sphinx",
    # LaTeX reads no SVG: this makes PDFs of the pictures.
    "sphinxcontrib.cairosvgconverter",
]
# The address of the lab.
fairlane_lab = "https://lab.example/"
