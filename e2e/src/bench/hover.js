// Moves the pointer over the first chart and returns the milliseconds that each move's handlers took, on average over
// batches: a browser's clock is too coarse for a single one.
async () => {
  const chart = document.querySelector('.panel canvas');
  const area = chart.getBoundingClientRect();
  const batches = [];
  for (let batch = 0; batch < 30; batch += 1) {
    const moves = Array.from({ length: 100 }, (_, place) => new PointerEvent('pointermove', {
      bubbles: true, cancelable: true, composed: true, pointerId: 1, pointerType: 'mouse', isPrimary: true,
      clientX: area.left + ((batch * 100 + place) * 0.618034 % 1) * area.width,
      clientY: area.top + ((batch * 100 + place) * 0.414214 % 1) * area.height,
    }));
    const from = performance.now();
    for (const move of moves) chart.dispatchEvent(move);
    batches.push((performance.now() - from) / moves.length);
    await new Promise(done => requestAnimationFrame(done));
  }
  return batches;
}
