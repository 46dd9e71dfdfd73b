// Zooms and pans the charts with the events of a wheel, one turn a frame, and returns how long each frame kept the
// page busy. A function of the options { ctrl, shift, turns: [pixels of each turn], at: fraction of the width }.
async options => {
  const chart = document.querySelector('.panel canvas');
  const area = chart.getBoundingClientRect();
  const place = { clientX: area.left + options.at * area.width, clientY: area.top + area.height / 2 };
  let drawn = 0;
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...parts) {
    drawn += 1;
    return put.apply(this, parts);
  };
  const seen = { script: [], frame: [], gap: [], drawn: [] };
  let before = 0;
  for (const turn of options.turns) {
    await new Promise(done => {
      let from = 0;
      let turned = 0;
      requestAnimationFrame(at => {
        if (before) seen.gap.push(at - before);
        before = at;
        from = performance.now();
        turned = drawn;
        chart.dispatchEvent(new WheelEvent('wheel', {
          bubbles: true, cancelable: true, composed: true, ...place,
          deltaY: turn, ctrlKey: options.ctrl, shiftKey: options.shift,
        }));
      });
      // The second callback of a frame runs after the promises that the first has left: the page has drawn by then.
      requestAnimationFrame(() => {
        seen.script.push(performance.now() - from);
        seen.drawn.push(drawn - turned);
        // A message sent now arrives when the browser has laid out and painted the frame.
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          seen.frame.push(performance.now() - from);
          done();
        };
        channel.port2.postMessage(0);
      });
    });
  }
  CanvasRenderingContext2D.prototype.putImageData = put;
  return seen;
}
