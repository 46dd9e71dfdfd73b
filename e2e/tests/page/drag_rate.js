// Drags a job's block on every frame and watches what follows. A function of the options
// { job, seconds, free, hand }: `free` frees the grid; `hand` leaves the moving to somebody else and only watches.
// What is measured ends with the pointer's release, or for a hand's drag when it has been still for a while.
async options => {
  const block = () => document.querySelector(`#lanes [data-job="${options.job}"]`);
  const lanes = document.querySelector('#lanes');
  const frame = () => new Promise(done => requestAnimationFrame(done));
  block().scrollIntoView({ block: 'center', behavior: 'instant' });
  await frame();

  // The panels' hashes, and the charts' drawings, each with its instant.
  const panels = Array.from(document.querySelectorAll('.panel'), panel => {
    const code = panel.querySelector('code.hash');
    return { id: panel.id, code, last: code.textContent, hashes: [], draws: [] };
  });
  const observer = new MutationObserver(() => {
    for (const panel of panels) {
      if (panel.code.textContent === panel.last) continue;
      panel.last = panel.code.textContent;
      panel.hashes.push(performance.now());
    }
  });
  for (const panel of panels) observer.observe(panel.code, { characterData: true, childList: true, subtree: true });
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...parts) {
    const id = this.canvas.closest('.panel')?.id;
    panels.find(panel => panel.id === id)?.draws.push(performance.now());
    return put.apply(this, parts);
  };
  const blocked = [];
  const tasks = new PerformanceObserver(list => blocked.push(...list.getEntries().map(entry => entry.duration)));
  tasks.observe({ entryTypes: ['longtask'] });

  const area = block().getBoundingClientRect();
  const grip = Math.min(4, area.width / 2);
  const [x, y] = [area.left + grip, area.top + area.height / 2];
  let pointer = { x, moves: 0 };
  const send = (type, target, at) => target.dispatchEvent(new PointerEvent(type, {
    bubbles: true, cancelable: true, composed: true, pointerId: 1, pointerType: 'mouse', isPrimary: true,
    button: type === 'pointermove' ? -1 : 0, buttons: type === 'pointerup' ? 0 : 1,
    clientX: at, clientY: y, altKey: options.free,
  }));
  if (options.hand) {
    addEventListener('pointermove', event => { pointer = { x: event.clientX, moves: pointer.moves + 1 }; }, true);
    window.hand_may_begin = [x, y];
    while (pointer.moves < 2) await frame();
  } else {
    send('pointerdown', block(), x);
  }

  const frames = [];
  const started = performance.now();
  let still = 0;
  let before = pointer.moves;
  while (options.hand ? still < 30 : performance.now() - started < options.seconds * 1000) {
    // Two callbacks of one frame: between them the promises that the first has left are run, and what the page has
    // drawn by the second is what this frame shows.
    let now = 0;
    requestAnimationFrame(at => {
      now = at;
      if (options.hand) return;
      // Whole pixels, as mice have them.
      pointer = { x: Math.round(x + 150 + 150 * Math.sin((at - started) / 700 - Math.PI / 2)), moves: pointer.moves + 1 };
      send('pointermove', lanes, pointer.x);
    });
    await frame();
    if (options.hand) {
      still = pointer.moves === before ? still + 1 : 0;
      before = pointer.moves;
    }
    frames.push({ now, off: block().getBoundingClientRect().left + grip - pointer.x });
  }
  const ended = performance.now();
  if (!options.hand) send('pointerup', lanes, pointer.x);
  observer.disconnect();
  tasks.disconnect();
  CanvasRenderingContext2D.prototype.putImageData = put;
  if (options.hand) frames.splice(-30);

  const seconds = (ended - started) / 1000;
  const gaps = frames.slice(1).map((frame, place) => frame.now - frames[place].now).sort((one, other) => one - other);
  const rate = list => list.filter(at => at <= ended).length / seconds;
  const gap = list => [started, ...list, ended].reduce(([longest, last], at) => [Math.max(longest, at - last), at], [0, started])[0];
  return {
    seconds,
    moves: pointer.moves,
    frames: frames.length,
    longest_frame: gaps.at(-1),
    median_frame: gaps[gaps.length >> 1],
    p95_frame: gaps[Math.floor(gaps.length * 0.95)],
    offs: frames.map(frame => frame.off),
    long_tasks: blocked.length,
    panels: panels.map(panel => ({
      id: panel.id, hashes: rate(panel.hashes), draws: rate(panel.draws), longest: gap(panel.draws),
    })),
  };
}
