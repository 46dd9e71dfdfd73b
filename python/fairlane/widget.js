// The widget of `fairlane.show`: a demo in a frame, with which it exchanges messages (docs/embedding.md). The scenario
// is the model's: what the reader changes is saved to it, and what the kernel changes is shown.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "Fairlane";
  frame.style.cssText = "width: 100%; border: 0";
  frame.setAttribute("sandbox",
    "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox");
  // The scenario that the frame shows, as text. Its address has the one of this moment.
  const scenario = () => JSON.stringify(model.get("scenario"));
  let shown = scenario();
  let ready = false;
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.fairlane !== 1) return;
    if (data.type === "edit") {
      shown = JSON.stringify(data.scenario);
      model.set("scenario", data.scenario);
    } else if (data.type === "ready") {
      ready = true;
      return show();
    } else if (data.type === "state") model.set("state", { at: data.at, mean_response_s: data.meanResponse });
    else return;
    model.save_changes();
  };
  const show = () => {
    if (!ready || scenario() === shown) return;
    shown = scenario();
    frame.contentWindow.postMessage({ fairlane: 1, type: "edit", scenario: model.get("scenario") }, "*");
  };
  const resize = () => frame.style.height = `${model.get("height")}px`;
  addEventListener("message", receive);
  model.on("change:scenario", show);
  model.on("change:height", resize);
  resize();
  frame.src = model.get("address");
  el.append(frame);
  return () => {
    removeEventListener("message", receive);
    model.off("change:scenario", show);
    model.off("change:height", resize);
  };
}
export default { render };
