"""The lab in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._simulator import Scenario, ask, names, source

LAB = "http://127.0.0.1:8080/"
"""The address of the lab that :func:`show` opens unless it is given another: that of ``./fairlane-dev serve``."""

# A demo that can be edited: it reports what the reader changes (docs/embedding.md).
_SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "Fairlane";
  frame.style.cssText = "width: 100%; border: 0";
  frame.setAttribute("sandbox",
    "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox");
  const update = () => {
    frame.style.height = `${model.get("height")}px`;
    frame.src = model.get("address");
  };
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.fairlane !== 1) return;
    if (data.type === "edit") model.set("scenario", data.scenario);
    else if (data.type === "state") model.set("state", { at: data.at, mean_response_s: data.meanResponse });
    else return;
    model.save_changes();
  };
  addEventListener("message", receive);
  model.on("change:address", update);
  model.on("change:height", update);
  update();
  el.append(frame);
  return () => removeEventListener("message", receive);
}
export default { render };
"""


def address(scenario: Scenario, policies: str | Iterable[str], lab: str = LAB) -> str:
    """The address at which the lab shows a scenario under some policies."""
    return f"{lab}#{ask('link', scenario=source(scenario), policies=names(policies)).value}"


def show(scenario: Scenario, policies: str | Iterable[str], *, lab: str = LAB, height: int = 640) -> Any:
    """A widget with the schedules of a scenario under some policies. Its ``scenario`` is what the reader makes of it by
    moving jobs, its ``state`` the instant shown and the mean response times. Needs
    ``pip install fairlane[notebook]``."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("fairlane.show needs anywidget: pip install fairlane[notebook]") from error

    class Lab(anywidget.AnyWidget):
        _esm = _SCRIPT
        address = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        scenario = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

    shown = address(scenario, policies, lab).replace("#", "?embed&edit&show=lanes,panels,transport#", 1)
    start = ask("file", scenario=source(scenario)).value
    return Lab(address=shown, height=height, scenario=start)
