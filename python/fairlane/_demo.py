"""A demo in documentation: the element ``<fairlane-demo>``, and in it a picture and a link for readers without scripts
and for paper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from . import _native
from ._input import FairlaneError
from ._lab import address

_DEFAULT_POLICIES = "fair,ujf,cfq,uwfq"


@dataclass(frozen=True)
class Demo:
    """A demo of a scenario: the tag that begins it, and what is inside the element."""

    tag: str
    link: str
    label: str
    picture: str

    @property
    def file(self) -> str:
        """The name of the picture's file, which is another one for another picture."""
        return f"fairlane-{sha256(self.picture.encode()).hexdigest()[:16]}.svg"


def element(lab: str) -> str:
    """The script that defines the element, at the address of the lab."""
    return f"{_folder(lab)}fairlane-demo.js"


def demo(attributes: Mapping[str, str | None], folder: Path, lab: str) -> Demo:
    """The demo with these attributes of the element, of which ``None`` has no value. A scenario's file, ``src``, lies
    in a folder of the documentation and becomes part of the page, so that no reader's browser asks for it."""
    attributes = {**{key: value for key, value in attributes.items() if key != "height"}, **_style(attributes)}
    policies = _policies(attributes)
    if (name := attributes.get("scenario")) is not None:
        scenario: str | Path = f"catalog:{name}"
    elif (file := attributes.get("src")) is not None:
        scenario = folder / file
    else:
        raise FairlaneError("there is no scenario; give the name of one in the catalog, or a file")
    try:
        text = scenario if isinstance(scenario, str) else scenario.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FairlaneError(f"{attributes['src']} cannot be read ({error}); give a file beside this one") from None
    link = address(text, policies, _folder(lab))
    if isinstance(scenario, Path):
        attributes = {key: value for key, value in attributes.items() if key not in ("src", "policies")}
        attributes["session"] = link.split("#", 1)[1]
    picture = _native.picture(text, policies)
    label = attributes.get("label") or f"Schedules of a shared cluster under {', '.join(policies)}"
    return Demo(_tag({**attributes, "label": label}), link, label, picture)


def _folder(lab: str) -> str:
    return lab if lab.endswith("/") else f"{lab}/"


def _policies(attributes: Mapping[str, str | None]) -> list[str]:
    """Those that are given, or those that the catalog suggests, as on the command line."""
    if given := attributes.get("policies"):
        return [policy.strip() for policy in given.split(",")]
    entries = {entry["name"]: entry["policies"] for entry in json.loads(_native.catalog())}
    return entries.get(attributes.get("scenario"), _DEFAULT_POLICIES.split(","))


def _style(attributes: Mapping[str, str | None]) -> dict[str, str]:
    """The style by which the element has its height before the script has run."""
    height = attributes.get("height") or "420"
    if not height.isdecimal():
        raise FairlaneError(f"the height is a number of pixels such as 420, not {height}")
    return {"style": attributes.get("style") or f"display: block; height: {height}px"}


def _tag(attributes: Mapping[str, str | None]) -> str:
    pairs = "".join(f" {key}" if value is None else f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<fairlane-demo{pairs}>"
