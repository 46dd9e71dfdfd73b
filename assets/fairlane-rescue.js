// What still works when the page's program does not: after a panic, a trap, or a file that did not load. It shows a message
// in plain words, keeps the reader's work, goes on at a press, and has a report to copy.
//
// It is written into index.html (data-trunk rel="inline"), so that no file can fail to load before it, and uses nothing of
// the program: after a panic that is dead. src/browser/fatal.rs is the program's side.
globalThis.fairlaneRescue = (() => {
  // Where the work is kept until the page has started again. Of this tab alone: another tab has its own work.
  const KEPT = 'fairlane.rescue';
  // What the browser stores of the page otherwise (src/saved/session.rs).
  const STORED = 'fairlane.session';
  // Spelled out: what makes the document smaller writes an escaped one as two characters.
  const LINE = String.fromCharCode(10);
  const MAX_STEPS = 30;
  const MAX_MESSAGE = 600;
  // How long the program may load before the page says that it still does, in milliseconds.
  const PATIENCE = 15000;
  // How long after an action that shows what comes of it a fault is none of its, in milliseconds.
  const SETTLING = 1000;

  const isDemo = new URLSearchParams(location.search).has('embed');
  const steps = [];
  let version = '';
  let hasStarted = false;
  let hasStepped = false;
  let hasStopped = false;
  let settling = 0;
  let dialog = null;
  let work = () => [];

  // Text is what the page starts with; '' asks for the opening page; undefined is a start as usual.
  const kept = (() => {
    try { return sessionStorage.getItem(KEPT) ?? undefined; } catch { return undefined; }
  })();
  const isRestored = () => {
    try {
      return Boolean(kept) || location.hash.length > 1 || [sessionStorage, localStorage].some(storage => storage.getItem(STORED) !== null);
    } catch { return false; }
  };

  function keep(text) {
    if (isDemo) return false;
    try { sessionStorage.setItem(KEPT, text); return true; } catch { return false; }
  }

  function start(of, handOver) {
    version = of;
    work = handOver;
    hasStarted = true;
    // Should the page stop again, it is kept again.
    if (kept !== undefined) sessionStorage.removeItem(KEPT);
  }

  function note(step, isReaders) {
    hasStepped ||= isReaders;
    // While the program is at work on the action the timer waits.
    clearTimeout(settling);
    settling = setTimeout(() => settling = 0, SETTLING);
    const last = steps.at(-1);
    if (last?.step === step) last.times += 1;
    else steps.push({ step, times: 1 });
    if (steps.length > MAX_STEPS) steps.shift();
  }

  // ---- The report ---------------------------------------------------------------------------------------------

  const fileOf = address => address.split(/[?#]/)[0].split('/').pop();
  const programs = () => [...document.querySelectorAll('link[rel=modulepreload]')].map(link => fileOf(link.href));
  const shortened = text => text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;

  /** Files of the page that the browser asked for in vain. */
  function lostFiles() {
    const isLost = ({ responseStatus: status, decodedBodySize: size }) => status >= 400 || (status === 0 && size === 0);
    const own = performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(location.origin));
    return [...new Set(own.filter(isLost).map(({ name }) => fileOf(name)).filter(name => /\.(js|css|wasm)$/.test(name)))];
  }

  function report(place) {
    const taken = steps.map(({ step, times }) => times > 1 ? `${step} (${times} times)` : step);
    const lines = [
      ['Version', [version, ...programs()].filter(Boolean).join(', ') || 'unknown'],
      ['Place', shortened(place)],
      ['Steps', taken.join(', ') || 'none'],
      ['Files not loaded', lostFiles().join(', ')],
      ['Page', `${location.pathname}${isDemo ? ' (demo)' : ''}, ${innerWidth} × ${innerHeight}`],
      ['Browser', navigator.userAgent],
    ];
    return lines.filter(([, text]) => text).map(([name, text]) => `${name}: ${text}`).join(LINE);
  }

  async function copy(place) {
    await navigator.clipboard.writeText(report(place));
  }

  // ---- The message --------------------------------------------------------------------------------------------

  const STYLE = `
    #fairlane-fatal { box-sizing: border-box; width: min(34rem, calc(100vw - 32px)); max-height: calc(100dvh - 32px); padding: 24px;
      overflow: auto; border: 1px solid var(--line, GrayText); border-radius: 12px; color: var(--ink, CanvasText);
      background: var(--surface, Canvas); font: 1rem/1.5 var(--font, system-ui, sans-serif); box-shadow: 0 12px 40px rgb(0 0 0 / .3); }
    #fairlane-fatal::backdrop { background: rgb(0 0 0 / .45); }
    #fairlane-fatal h1 { margin: 0 0 12px; font-size: 1.25rem; line-height: 1.3; }
    #fairlane-fatal p { margin: 0 0 20px; }
    #fairlane-fatal .ways { display: flex; flex-wrap: wrap; gap: 8px; }
    #fairlane-fatal button { box-sizing: border-box; min-height: 40px; padding: 6px 16px; border: 1px solid var(--edges, ButtonBorder);
      border-radius: 6px; color: inherit; background: transparent; font: inherit; white-space: normal; cursor: pointer; }
    #fairlane-fatal .first { color: var(--on-accent, Canvas); background: var(--accent, LinkText); border-color: var(--accent, LinkText);
      font-weight: 600; }
    @media (max-width: 30rem) { #fairlane-fatal .ways button { flex: 1 0 100%; } }
    #fairlane-fatal details { margin-top: 20px; border-top: 1px solid var(--line, GrayText); padding-top: 12px; color: var(--dim, inherit);
      font-size: .875rem; }
    #fairlane-fatal summary { min-height: 24px; cursor: pointer; }
    #fairlane-fatal pre { margin: 8px 0 12px; padding: 8px; overflow: auto; max-height: 14rem; white-space: pre-wrap;
      overflow-wrap: anywhere; background: var(--row, transparent); border-radius: 6px; font: .78rem/1.45 var(--mono, monospace); }
    #fairlane-fatal :focus-visible { outline: 2px solid var(--accent, Highlight); outline-offset: 2px; }`;

  function styled() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }

  function element(name, text = '', properties = {}) {
    return Object.assign(document.createElement(name), { textContent: text }, properties);
  }

  function button(text, onclick, properties = {}) {
    return element('button', text, { type: 'button', onclick, ...properties });
  }

  function show({ title, advice, place, ways }) {
    styled();
    const text = report(place);
    console.error(`Fairlane: ${title}${LINE}${text}`);
    dialog = element('dialog', '', { id: 'fairlane-fatal' });
    dialog.setAttribute('role', 'alertdialog');
    dialog.setAttribute('aria-labelledby', 'fairlane-fatal-title');
    dialog.setAttribute('aria-describedby', 'fairlane-fatal-advice');
    const shown = element('pre', text, { tabIndex: 0 });
    const details = element('details');
    const copying = button('Copy the report', async () => {
      try {
        await navigator.clipboard.writeText(text);
        copying.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(shown);
        copying.textContent = 'Selected; copy it with the keyboard';
      }
    }, { id: 'fairlane-fatal-copy' });
    details.append(element('summary', 'What to report if it happens again'), shown, copying);
    const row = element('div', '', { className: 'ways' });
    row.append(...ways);
    dialog.append(element('h1', title, { id: 'fairlane-fatal-title' }),
      element('p', advice, { id: 'fairlane-fatal-advice' }), row, details);
    // Only the buttons lead on.
    dialog.oncancel = event => event.preventDefault();
    dialog.onclose = () => dialog.showModal();
    document.body.append(dialog);
    dialog.showModal();
    ways[0].focus();
  }

  // Nothing that the reader does reaches the dead program any more.
  for (const type of ['keydown', 'keyup', 'pointerdown', 'pointermove', 'pointerup', 'wheel', 'hashchange', 'dragover', 'drop']) {
    addEventListener(type, event => {
      if (!hasStopped) return;
      event.stopImmediatePropagation();
      if (type === 'dragover' || type === 'drop') event.preventDefault();
    }, true);
  }

  function save(name, text) {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    element('a', '', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  /** Loads the page again; a link in the address has been read. */
  function again() {
    if (!isDemo) history.replaceState(null, '', location.pathname + location.search);
    location.reload();
  }

  /** The program has stopped for good, at a place in its text. */
  function stop(place) {
    if (hasStopped) return;
    hasStopped = true;
    let [session, name, file] = [];
    // The program's memory is still there. Where it is damaged this fails, and what is stored remains.
    const isSettled = settling === 0;
    try { [session, name, file] = work(isSettled); } catch { /* The browser stores the work a moment after each change. */ }
    const saving = file ? [button('Save the work as a file', () => save(name, file), { id: 'fairlane-fatal-save' })] : [];
    const first = { id: 'fairlane-fatal-go-on', className: 'first' };
    const title = 'Fairlane has stopped because of a bug';
    if (!hasStepped && !isDemo && isRestored()) {
      return show({
        title, place,
        advice: 'It stopped while it opened what was here before, so that may be the reason. Start without it'
          + (file ? '; save it as a file first if you need it.' : '. It is kept all the same.'),
        ways: [button('Start without it', () => { keep(''); again(); }, first), ...saving,
          button('Try again', () => { if (kept) keep(kept); location.reload(); })],
      });
    }
    const isKept = session ? keep(session) : false;
    const advice = isKept ? `Your work is kept${isSettled ? '' : ' as it was before your last step'}. Go on from there.`
      : file ? 'Save the work as a file if you need it, then start again.' : 'Start again to continue.';
    show({ title, place, advice, ways: [button(isKept ? 'Go on' : 'Start again', again, first), ...saving] });
  }

  // ---- What goes wrong without a panic ------------------------------------------------------------------------

  /** A file of the page did not load, or the browser cannot run it. */
  function notLoaded(place, file = '') {
    if (hasStopped) return;
    hasStopped = true;
    const lost = file ? [file] : lostFiles();
    const [title, advice] = typeof WebAssembly === 'object'
      ? ['Fairlane did not load', `${lost.length === 1 ? `The file ${lost[0]}` : 'A file of the page'} did not load. Check your `
        + 'connection, then load the page again. Your work in this browser is safe.']
      : ['This browser does not run Fairlane', 'It has no WebAssembly, or has it switched off for this page. Allow it, or use '
        + 'another browser.'];
    const load = button('Load again', () => location.reload(), { id: 'fairlane-fatal-go-on', className: 'first' });
    whenThereIsABody(() => show({ title, advice, place, ways: [load] }));
  }

  function whenThereIsABody(then) {
    if (document.body) then();
    else addEventListener('DOMContentLoaded', then, { once: true });
  }

  const describe = error => [error?.message ?? String(error), ...(error?.stack ?? '').split(LINE).filter(line => /wasm|fairlane/.test(line))
    .slice(0, 3).map(line => line.trim())].join(' | ');
  /** Whether the program has trapped, or its stack has overflowed. */
  const isTrap = error => typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError
    || /recursion|call stack/.test(error?.message);
  /** Whether an error went through the program, which is in no sound state then. Extensions have errors of their own. */
  const isThrough = error => isTrap(error) || /\.wasm|wasm-function/.test(error?.stack);
  const isOfStart = error => isThrough(error) || /fairlane-page/.test(`${error?.stack} ${error?.message}`)
    || lostFiles().length > 0 || typeof WebAssembly !== 'object';

  function fault(event, error, isOurs) {
    if (hasStopped) event.preventDefault();
    else if (hasStarted && isOurs(error)) stop(describe(error));
    else if (!hasStarted && isOfStart(error)) notLoaded(describe(error));
  }

  addEventListener('error', event => {
    const { target } = event;
    if (target === window) return fault(event, event.error, isThrough);
    const isSheet = target instanceof HTMLLinkElement && target.relList.contains('stylesheet');
    if (isSheet || target instanceof HTMLScriptElement && !hasStarted) notLoaded('loading a script or a style sheet', fileOf(target.src || target.href || ''));
  }, true);
  // A request that nobody waits for may be refused without harm.
  addEventListener('unhandledrejection', event => fault(event, event.reason, isTrap));

  setTimeout(() => {
    const loading = document.querySelector('.loading');
    if (hasStarted || hasStopped || !loading) return;
    const load = button('Load again', () => location.reload());
    loading.append(element('br'), 'The connection is slow, or the server does not answer. ', load);
  }, PATIENCE);

  return { start, note, stop, copy, kept: () => kept };
})();
