// What a walk needs in the page: its controls, and what is wrong with it. It is there before the page's own scripts.
window.walk = (() => {
  const errors = [];
  addEventListener('error', event => errors.push(event.message || `${event.target?.src ?? event.target?.href} did not load`), true);
  addEventListener('unhandledrejection', event => errors.push(`rejected: ${event.reason?.stack ?? event.reason}`));
  const log = console.error;
  console.error = (...given) => { errors.push(given.join(' ')); log(...given); };
  // Windows of the browser's own would wait for a reader.
  window.print = () => {};
  const press = HTMLInputElement.prototype.click;
  HTMLInputElement.prototype.click = function () { if (this.type !== 'file') press.call(this); };

  const CONTROLS = 'button, a[href], input:not([type=file]), select, textarea, summary, [role=slider], [role=tab], [tabindex="0"]';
  // These lead out of the page.
  const OUT = 'a[target=_blank], a[href^="http"], a[href*="guide/"]';

  let styles = new Map();
  const style = element => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const parents = element => {
    const all = [];
    for (let at = element.parentElement; at; at = at.parentElement) all.push(at);
    return all;
  };
  const isShown = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const meet = (one, other) => ({ left: Math.max(one.left, other.left), top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) });
  const isLarge = ({ left, top, right, bottom }, least) => right - left > least && bottom - top > least;
  const place = ({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round).join(' ');

  /** What is seen of a box within the element's parents: those that scroll or clip hide the rest. */
  function seen(element, area) {
    let left = box(area);
    let at = element;
    for (const parent of parents(element)) {
      const position = style(at).position;
      if (position === 'fixed') break;
      const { overflowX, overflowY } = style(parent);
      const clips = overflowX !== 'visible' || overflowY !== 'visible';
      if (clips && parent !== document.documentElement && parent !== document.body) left = meet(left, box(parent.getBoundingClientRect()));
      at = parent;
    }
    return meet(left, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  }

  /** What a control lies in, together with others: what floats over the page is a layer of its own. */
  const layer = element => [element, ...parents(element)].find(at => {
    const { position, zIndex } = style(at);
    return at.matches('dialog, [popover], .transport') || position === 'fixed' || position === 'sticky' || position === 'absolute' && zIndex !== 'auto';
  });

  const modal = () => [...document.querySelectorAll('dialog')].findLast(dialog => dialog.matches(':modal'));

  function controls() {
    styles = new Map();
    const within = modal() ?? document;
    return [...within.querySelectorAll(CONTROLS)].filter(element => {
      if (element.disabled || element.matches(OUT) || element.closest('[inert]') || !isShown(element)) return false;
      const { width, height } = element.getBoundingClientRect();
      return width > 2 && height > 2;
    });
  }

  function path(element) {
    if (element.id) return `#${CSS.escape(element.id)}`;
    const parent = element.parentElement;
    return parent ? `${path(parent)} > :nth-child(${[...parent.children].indexOf(element) + 1})` : ':root';
  }

  const name = element => `${path(element)} "${(element.ariaLabel ?? element.innerText ?? element.value ?? '').trim().slice(0, 30)}"`;

  /** The point of a control that a reader would press, scrolled into sight; nothing if something lies over it. */
  function point(css, across = 0.5, down = 0.5) {
    const element = document.querySelector(css);
    if (!element) return null;
    const isInSight = () => { styles = new Map(); return isLarge(seen(element, element.getBoundingClientRect()), 4); };
    if (!isInSight()) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    if (!isInSight()) return null;
    const { left, top, right, bottom } = seen(element, element.getBoundingClientRect());
    const at = [left + across * (right - left), top + down * (bottom - top)];
    const hit = document.elementFromPoint(...at);
    const own = hit && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.control === element);
    return own ? at : null;
  }

  /** One control of those that can be pressed. Kinds have the same chance, however many there are of each. */
  function choose(kind, member, across, down) {
    const kinds = new Map();
    for (const element of controls()) {
      const within = element.closest('[id]')?.id.replace(/[0-9]+/g, '#') ?? '';
      const key = `${element.tagName} ${element.className} ${element.id ? within : element.parentElement?.className}`;
      kinds.set(key, [...kinds.get(key) ?? [], element]);
    }
    const lists = [...kinds.values()];
    const first = Math.floor(kind * lists.length);
    // The next kind, if something lies over the control.
    for (const list of [...lists.slice(first), ...lists.slice(0, first)]) {
      const element = list[Math.floor(member * list.length)];
      const css = path(element);
      const at = point(css, across, down);
      const type = element.tagName === 'INPUT' ? element.type : element.tagName.toLowerCase();
      if (at) return { css, name: name(element), type, options: element.options?.length ?? 0 };
    }
    return null;
  }

  // ---- What is wrong ------------------------------------------------------------------------------------------

  function sideways() {
    const width = document.documentElement.scrollWidth;
    if (width <= innerWidth) return [];
    const beyond = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth);
    const names = beyond.slice(0, 5).map((e) => `${e.tagName} ${e.id} ${e.className}`);
    return [`the page scrolls sideways: ${width} px in ${innerWidth}, as of ${names.join(', ')}`];
  }

  function* texts() {
    const walker = document.createTreeWalker(modal() ?? document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, element = node.parentElement;
      if (!node.data.trim() || !element || !isShown(element) || element.closest('.sr, option, [aria-hidden=true], script, noscript, title')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const area of range.getClientRects()) if (area.width > 1 && area.height > 1) yield { node, element, area };
    }
  }

  /** Texts that a box cuts off which neither scrolls nor shows an ellipsis, and those that leave the control they name. */
  function cut() {
    const faults = [];
    for (const { node, element, area } of texts()) {
      if (area.bottom < 0 || area.top > innerHeight) continue;
      const words = `"${node.data.trim().slice(0, 40)}" in ${path(element)} at ${place(area)}`;
      const control = element.closest('button, summary, [role=tab]');
      // The name of a short job stands beside its block.
      if (control && !control.matches('.block') && style(control).textOverflow !== 'ellipsis' && style(element).textOverflow !== 'ellipsis') {
        const own = control.getBoundingClientRect();
        if (area.right > own.right + 1 || area.left < own.left - 1) faults.push(`text leaves its control: ${words} of ${place(own)}`);
      }
      let at = element;
      for (const parent of [element, ...parents(element)]) {
        const { overflowX, overflowY, textOverflow } = style(parent);
        const scrolls = /auto|scroll/;
        if (scrolls.test(overflowX) || scrolls.test(overflowY) || style(at).position === 'fixed') break;
        if (/hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis') {
          const own = parent.getBoundingClientRect();
          if (own.width > 2 && own.height > 2 && (area.right > own.right + 1 || area.left < own.left - 1)) faults.push(`text is cut: ${words} by ${path(parent)} of ${place(own)}`);
        } else if (textOverflow === 'ellipsis') break;
        at = parent;
      }
    }
    return faults;
  }

  /** Controls that lie over each other, in one layer of the page, so that the middle or the text of one is hidden. */
  function overlaps() {
    const faults = [];
    const isControl = element => element.matches('button:not(.block), input, select, textarea, summary, a') && !element.closest('.plot, .axis, .sr');
    const all = controls().filter(isControl).map(element => ({ element, area: seen(element, element.getBoundingClientRect()), over: layer(element) }))
      .filter(({ area }) => isLarge(area, 2));
    const middle = ({ left, top, right, bottom }) => document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const words = element => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()];
    };
    all.sort((one, other) => one.area.left - other.area.left);
    all.forEach((one, index) => {
      for (const other of all.slice(index + 1)) {
        if (other.area.left >= one.area.right) break;
        if (one.over !== other.over || one.element.contains(other.element) || other.element.contains(one.element)) continue;
        if (!isLarge(meet(one.area, other.area), 2)) continue;
        const hides = (upper, lower) => upper.element.contains(middle(lower.area))
          || words(lower.element).some(area => isLarge(meet(meet(box(area), lower.area), upper.area), 3));
        // A label may lie under the select or the box that it names.
        if (hides(one, other) || hides(other, one)) faults.push(`controls overlap: ${name(one.element)} at ${place(one.area)} and ${name(other.element)} at ${place(other.area)}`);
      }
    });
    return faults;
  }

  const frame = () => new Promise(done => requestAnimationFrame(done));
  const pause = time => new Promise(done => setTimeout(done, time));

  /** What is wrong once the page has drawn what was done. */
  async function check() {
    await frame();
    await frame();
    styles = new Map();
    const stopped = document.querySelector('#fairlane-fatal')?.innerText;
    const found = stopped ? [`the page has stopped: ${stopped}\n${document.querySelector('#fairlane-fatal pre').textContent}`] : [...sideways(), ...cut(), ...overlaps()];
    return [...errors.splice(0).map(error => `error: ${error}`), ...found];
  }

  async function until(holds) {
    const end = performance.now() + 5000;
    while (!holds()) {
      if (performance.now() > end) return false;
      await pause(20);
    }
    return true;
  }

  /** Whether Play and Undo still work: what is dead, in words. */
  async function probe() {
    modal()?.close();
    const find = css => document.querySelector(css);
    const faults = [];
    if (!find('#play')) return [`there is no Play at ${location.href}`];
    // Predictions stop the schedule at every decision, often at once, and ask for an answer first.
    const shown = () => [find('#play')?.ariaLabel, find('#slider')?.value, find('#predict')?.innerText].join('\n');
    const asks = () => find('.toast')?.innerText.includes('Say first which job goes next');
    // What has nothing to play ends at once.
    const isOver = () => find('#slider')?.value === '1000' || find('#slider')?.max === '0';
    for (const press of find('#predict') ? ['Play'] : ['Play', 'Play again']) {
      const before = shown();
      find('#play').click();
      if (!await until(() => shown() !== before || asks() || isOver())) faults.push(`${press} does nothing`);
    }
    const tick = find('.policies input[type=checkbox]');
    if (tick && find('#undo')) {
      const before = tick.checked, { id } = tick;
      tick.click();
      await frame();
      await frame();
      if (!await until(() => find(`#${id}`)?.checked !== before && !find('#undo').disabled)) faults.push('a policy is not ticked');
      find('#undo').click();
      if (!await until(() => find(`#${id}`)?.checked === before)) faults.push('Undo does nothing');
    }
    return faults;
  }

  function fill(css, text) {
    const element = document.querySelector(css);
    element.focus();
    element.select?.();
    document.execCommand(text ? 'insertText' : 'delete', false, text);
  }

  function pick(css, index) {
    const element = document.querySelector(css);
    element.selectedIndex = index;
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  }

  return { choose, point, check, probe, fill, pick };
})();
