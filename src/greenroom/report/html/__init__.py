"""The report as one HTML file that needs nothing else: no script, style, font or picture from outside.

`views` says what the page shows, `talk` how a transcript reads, `page` fills the templates. Everything that a model, a
caller or a tool said reaches the page through the templates' escaping alone.
"""

from greenroom.report.html.page import html_page, write_html

__all__ = ["html_page", "write_html"]
