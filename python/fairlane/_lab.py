"""The lab in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._simulator import call

LAB = "http://127.0.0.1:8080/"
"""The address of the lab that :func:`show` opens unless it is given another: that of ``./fairlane-dev serve``."""

_SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "Fairlane";
  frame.style.cssText = "width: 100%; border: 0";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-downloads allow-popups");
  const update = () => {
    frame.style.height = `${model.get("height")}px`;
    frame.src = model.get("address");
  };
  model.on("change:address", update);
  model.on("change:height", update);
  update();
  el.append(frame);
}
export default { render };
"""


def address(scenario: dict[str, Any] | str, policies: Iterable[str], lab: str = LAB) -> str:
    """The address at which the lab shows a scenario under some policies."""
    return f"{lab}#{call({'link': {'scenario': scenario, 'policies': list(policies)}})}"


def show(scenario: dict[str, Any] | str, policies: Iterable[str], *, lab: str = LAB, height: int = 640) -> Any:
    """A widget with the lab, which shows a scenario under some policies. Needs ``pip install fairlane[notebook]``."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("fairlane.show needs anywidget: pip install fairlane[notebook]") from error

    class Lab(anywidget.AnyWidget):
        _esm = _SCRIPT
        address = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    return Lab(address=address(scenario, policies, lab), height=height)
