"""How Sphinx makes the documentation site from the pages that tools/docs gathers: `make docs`."""
import os

project = "Ashlar"
author = "the Ashlar developers"
copyright = "the Ashlar developers, MIT licence"
release = os.environ["ASHLAR_VERSION"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 6
myst_enable_extensions = ["dollarmath"]
html_theme = "furo"
html_title = "Ashlar"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["ashlar.css"]
# MathJax would be fetched from elsewhere; formulas on these pages are text.
html_js_files = []
suppress_warnings = ["myst.header"]
