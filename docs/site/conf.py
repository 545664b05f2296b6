# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the documents' site: nothing of it comes from another origin."""

from importlib.metadata import version as installed

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "Coalescope"
version = release = installed("coalescope")
extensions = ["myst_parser"]
templates_path = ["templates"]

html_theme = "furo"
html_title = f"Coalescope {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["scrolling.js"]
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = False
html_use_index = False
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}
# of high contrast, which the theme's own are not everywhere
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

# Links to headings are those of sites that show Markdown.
myst_heading_anchors = 6
myst_links_external_new_tab = False
# What a document shows may be of no language, or of a part of one.
suppress_warnings = ["misc.highlighting_failure"]


def _write_mathematics(translator: HTML5Translator, node: nodes.Element) -> None:
    block = isinstance(node, nodes.math_block)
    markup = latex2mathml.tex2mathml(node.astext(), as_block=block)
    translator.body.append(f'<div class="equation">{markup}</div>' if block else markup)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Write mathematics as MathML, which needs no script."""
    written = (_write_mathematics, None)
    app.add_html_math_renderer("mathml", inline_renderers=written, block_renderers=written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
