"""The lab in a notebook."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from . import _native
from ._input import Scenario, names, source
from ._native import LAB


def address(scenario: Scenario, policies: str | Iterable[str], lab: str = LAB) -> str:
    """The address at which the lab shows a scenario under some policies."""
    return f"{lab}#{_native.link(source(scenario), names(policies))}"


def to_html(scenario: Scenario, policies: str | Iterable[str], path: str | os.PathLike[str], *,
            page: str | os.PathLike[str]) -> None:
    """Writes one HTML file with the lab, the scenario and the policies: it opens from the disk and needs nothing else.
    ``page`` is the file ``fairlane.html`` of a lab, which lies beside its page."""
    document = _native.document(Path(page).read_bytes(), source(scenario), names(policies))
    Path(path).write_bytes(document)


def show(scenario: Scenario, policies: str | Iterable[str], *, lab: str = LAB, height: int = 640) -> Any:
    """A widget with the schedules of a scenario under some policies. Its ``scenario`` is what the reader makes of it by
    moving jobs, and can be set; its ``state`` is the instant shown and the mean response times. A saved notebook shows
    a picture of the schedules where there is no widget. Needs ``pip install fairlane[notebook]``."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("fairlane.show needs anywidget: pip install fairlane[notebook]") from error

    shown = names(policies)

    class Lab(anywidget.AnyWidget):
        _esm = files("fairlane").joinpath("widget.js").read_text(encoding="utf-8")
        address = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        scenario = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

        @traitlets.observe("scenario")
        def _follow(self, _change: object) -> None:
            # A view that opens later, such as when the page is loaded again, shows the scenario as it is by then.
            query = "?embed&edit&show=lanes,panels,transport#"
            self.address = address(self.scenario, shown, lab).replace("#", query, 1)

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            data, metadata = super()._repr_mimebundle_(**kwargs)
            return {**data, "image/svg+xml": _native.picture(source(self.scenario), shown)}, metadata

    return Lab(scenario=json.loads(_native.file(source(scenario))), height=height)
