// <fairlane-demo>: a Fairlane demo in a page, in a sandboxed frame that loads when it nears the viewport.
//
//   <script defer src="https://…/fairlane-demo.js"></script>
//   <fairlane-demo scenario="priority-inversion" policies="ujf,uwfq" style="display: block; height: 420px">
//     <a href="https://…/#catalog:priority-inversion"><img src="picture.svg" alt="…"></a>
//   </fairlane-demo>
//
// What is inside the element is shown until the demo is there, and where there are no scripts. Attributes, properties,
// methods and events: docs/embedding.md. `fairlane-demo.mjs` is the same as a module.
if (globalThis.customElements && !customElements.get('fairlane-demo')) {
// Where the page bundles this script, the script says nothing about the lab.
const SCRIPT = document.currentScript?.src;
const KEYS = ['scenario', 'src', 'lesson', 'policies', 'show', 'chart', 'theme', 'edit', 'predict', 'at'];
const VERSION = 1;
// How long the lab may stay silent after its page has loaded, in milliseconds.
const PATIENCE = 20_000;

class FairlaneDemo extends HTMLElement {
  static observedAttributes = [...KEYS, 'session', 'lab', 'height', 'label'];
  /** The address of the lab for elements without the attribute. */
  static lab = /\/fairlane-demo\.js$/.test(SCRIPT?.split(/[?#]/)[0]) ? new URL('./', SCRIPT).href : '';
  #frame = null;
  #sheet = new CSSStyleSheet();
  #seen = null;
  #phase = 'idle';
  #waiting = [];
  #changed = false;
  #timer = 0;
  #resolve;
  #reject;
  #hear = event => this.#receive(event);
  #print = () => this.#load();

  constructor() {
    super();
    this.#promise();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [this.#sheet];
    root.innerHTML = '<div part="box"><slot></slot><p part="fault" role="alert" hidden></p></div>';
  }

  /** Resolves with the element when it shows its first picture; rejects if there will be none. */
  ready;

  #promise() {
    this.ready = new Promise((resolve, reject) => [this.#resolve, this.#reject] = [resolve, reject]);
    this.ready.catch(() => {});
  }

  connectedCallback() {
    // Properties that were set before this script had run.
    for (const key of FairlaneDemo.observedAttributes.filter(key => Object.hasOwn(this, key))) {
      const value = this[key];
      delete this[key];
      this[key] = value;
    }
    this.#style();
    addEventListener('message', this.#hear);
    addEventListener('beforeprint', this.#print);
    this.#seen = new IntersectionObserver(entries => {
      const near = entries.some(entry => entry.isIntersecting);
      if (near) this.#load();
      else if (this.#phase === 'ready') this.pause();
    }, { rootMargin: '300px' });
    this.#seen.observe(this);
    // The observer answers after the next frame only; attributes may still follow in this task.
    queueMicrotask(() => {
      if (!this.isConnected) return;
      const { top, width } = this.getBoundingClientRect();
      if (this.getAttribute('loading') === 'eager' || (width && top >= 0 && top < innerHeight)) this.#load();
    });
  }

  disconnectedCallback() {
    removeEventListener('message', this.#hear);
    removeEventListener('beforeprint', this.#print);
    this.#seen?.disconnect();
    this.#unload();
  }

  attributeChangedCallback(key, before, now) {
    if (before === now) return;
    if (key === 'height') this.#style();
    if (key === 'label' && this.#frame) this.#frame.title = this.#title;
    if (key === 'height' || key === 'label' || this.#phase === 'idle' || this.#changed) return;
    this.#changed = true;
    // Attributes that change together are one change.
    queueMicrotask(() => {
      this.#changed = false;
      const { search, hash, origin, pathname } = this.address;
      if (this.#phase === 'idle') return;
      const same = this.#frame && this.#frame.src.startsWith(`${origin}${pathname}?`);
      if (same && this.#phase !== 'fault') return this.#send({ type: 'show', query: search, session: hash.slice(1) });
      this.#unload();
      this.#load();
    });
  }

  /** The address of the demo. */
  get address() {
    const url = new URL(this.getAttribute('lab') ?? FairlaneDemo.lab, document.baseURI);
    const given = KEYS.filter(key => key === 'edit' ? this.edit : this.hasAttribute(key));
    // The address of a file is relative to this page; a lesson of the lab has a name, such as skew or skew/3.
    const text = key => this.getAttribute(key);
    const isFile = key => key === 'src' || (key === 'lesson' && !/^[a-z0-9-]+(\/\d*)?$/.test(text(key)));
    const value = key => isFile(key) ? new URL(text(key), document.baseURI).href : text(key);
    const pairs = given.map(key => [key, key === 'edit' ? '' : value(key)]);
    if (self.origin !== 'null') pairs.push(['host', self.origin]);
    url.search = ['embed', ...pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join('&');
    url.hash = this.getAttribute('session') ?? '';
    return url;
  }

  get #title() { return this.getAttribute('label') ?? 'Fairlane: schedules of a shared cluster'; }

  #style() {
    this.#sheet.replaceSync(`
      :host { display: block; position: relative; overflow: hidden; contain: content; break-inside: avoid;
        height: ${this.height ?? 420}px; }
      :host([hidden]) { display: none; }
      [part=box] { height: 100%; }
      iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; opacity: 0; }
      .shown iframe { opacity: 1; } .shown slot { visibility: hidden; }
      [part=fault] { position: absolute; inset: auto 0 0; margin: 0; padding: .5em 1em; background: Canvas;
        color: CanvasText; font: 14px/1.4 system-ui, sans-serif; }`);
  }

  #load() {
    if (this.#phase !== 'idle') return;
    this.#phase = 'loading';
    const url = this.address;
    if (!this.hasAttribute('lab') && !FairlaneDemo.lab) {
      return this.#fault('There is no address of a lab; give the attribute lab.');
    }
    if (!/^https?:$/.test(url.protocol)) {
      return this.#fault(`The lab is at ${url.protocol}, where a page cannot load it; serve it over HTTP.`);
    }
    if (self.origin === 'null' && /^(https?|about):$/.test(location.protocol)) {
      return this.#fault('This page is in a frame with a sandbox, which the demo would inherit. Add allow-same-origin '
        + 'to the sandbox of that frame.');
    }
    const frame = this.#frame = document.createElement('iframe');
    frame.title = this.#title;
    // Its own origin, for its workers; nothing of this page's, unless both are served from one.
    frame.sandbox = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';
    // A page that is isolated embeds only what says that it may be, or what has no credentials.
    if (self.crossOriginIsolated) frame.credentialless = true;
    // Until it shows something, what is inside the element is used.
    frame.inert = true;
    frame.onload = () => this.#timer = setTimeout(() => {
      const lab = url.origin + url.pathname;
      if (this.#phase === 'loading') this.#fault(`${lab} does not answer; check the address and your connection.`);
    }, PATIENCE);
    frame.src = url.href;
    this.#box.append(frame);
  }

  #unload() {
    clearTimeout(this.#timer);
    this.#frame?.remove();
    this.#frame = null;
    this.#waiting = [];
    if (this.#phase === 'ready' || this.#phase === 'fault') this.#promise();
    this.#phase = 'idle';
    this.#box.classList.remove('shown');
    this.#note.hidden = true;
  }

  get #box() { return this.shadowRoot.firstChild; }
  get #note() { return this.shadowRoot.querySelector('[part=fault]'); }

  /** There is no demo. Text of the element's own is shown below what is inside it. */
  #fault(message, own = true) {
    this.#phase = 'fault';
    this.#note.textContent = message;
    this.#note.hidden = !own;
    console.error(`fairlane-demo: ${message}`, this);
    this.#reject(new Error(message));
    this.#dispatch('error', { message });
  }

  #show() {
    clearTimeout(this.#timer);
    this.#frame.inert = false;
    this.#note.hidden = true;
    this.#box.classList.add('shown');
  }

  #dispatch(type, detail) {
    this.dispatchEvent(new CustomEvent(`fairlane-${type}`, { detail, bubbles: true, composed: true }));
  }

  #receive({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.address.origin) return;
    if (data?.fairlane !== VERSION) return;
    const { fairlane, type, ...detail } = data;
    if (type === 'ready' && this.#phase !== 'ready') {
      if (this.#phase === 'fault') this.#promise();
      this.#phase = 'ready';
      this.#show();
      this.#waiting.splice(0).forEach(message => this.#send(message));
      this.#resolve(this);
      this.#dispatch(type, detail);
    } else if (type === 'error' && this.#phase !== 'ready') {
      this.#show();
      this.#fault(detail.message, false);
    } else if (type === 'error' || type === 'edit' || type === 'state') {
      this.#dispatch(type, detail);
      // Such as on a slide that is not shown.
      if (detail.playing && !this.checkVisibility({ opacityProperty: true, visibilityProperty: true })) this.pause();
    }
  }

  #send(message) {
    if (this.#phase !== 'ready') return void this.#waiting.push(message);
    this.#frame.contentWindow.postMessage({ fairlane: VERSION, ...message }, this.address.origin);
  }

  seek(seconds) { this.#send({ type: 'seek', at: seconds }); }
  play() { this.#send({ type: 'play' }); }
  pause() { this.#send({ type: 'pause' }); }
  /** Shows another scenario, an object as in a scenario file, in a demo that can be edited. */
  setScenario(scenario) { this.#send({ type: 'edit', scenario }); }
}

// Each attribute is a property, too, so that frameworks may set either.
const isFlag = key => key === 'edit';
const isNumber = key => key === 'at' || key === 'height';
for (const key of FairlaneDemo.observedAttributes) {
  Object.defineProperty(FairlaneDemo.prototype, key, {
    configurable: true,
    enumerable: true,
    get() {
      const text = this.getAttribute(key);
      if (isFlag(key)) return text !== null && text !== 'false';
      if (isNumber(key)) return text === null || Number.isNaN(Number(text)) ? null : Number(text);
      return text ?? '';
    },
    set(value) {
      if (value === undefined || value === null || value === false) return this.removeAttribute(key);
      const list = typeof value === 'object' && Symbol.iterator in value;
      this.setAttribute(key, value === true ? '' : list ? [...value].join() : String(value));
    },
  });
}
customElements.define('fairlane-demo', FairlaneDemo);
}
