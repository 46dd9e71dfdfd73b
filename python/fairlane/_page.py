"""A simulation as a page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #ddd; }
td + td { text-align: right; font-variant-numeric: tabular-nums; }
"""


def page(figures: Mapping[str, Any], picture: str) -> str:
    """The picture, the figures of the schedule, and those of its users."""
    title = f"{figures.get('scenario', 'A schedule')} under {figures.get('policy', 'a policy')}"
    numbers = {name: value for name, value in figures.items()
               if isinstance(value, (int, float)) and not isinstance(value, bool)}
    users = [user for user in figures.get("users", []) if isinstance(user, Mapping)]
    columns = [name for name in (users[0] if users else {})
               if all(isinstance(user.get(name), (str, int, float)) for user in users)]
    return "\n".join([
        "<!doctype html>", '<html lang="en">', '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">', f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>", f"<h1>{escape(title)}</h1>", picture,
        _table(["figure", "value"], numbers.items()),
        _table(columns, ([user[name] for name in columns] for user in users)),
        "</html>", "",
    ])


def _table(head: list[str], rows: Any) -> str:
    cells = lambda tag, row: "".join(f"<{tag}>{escape(_text(value))}</{tag}>" for value in row)
    body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{cells('th', head)}</tr>\n{body}</table>" if head else ""


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
