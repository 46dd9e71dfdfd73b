// <fairlane-demo>: a Fairlane demo in a page, in a sandboxed frame that loads when it nears the viewport.
//
//   <script defer src="https://…/fairlane-demo.js"></script>
//   <fairlane-demo scenario="priority-inversion" policies="ujf,uwfq" style="display: block; height: 420px">
//     <a href="https://…/#catalog:priority-inversion"><img src="picture.svg" alt="…"></a>
//   </fairlane-demo>
//
// What is inside the element is shown until the demo is there, and where there are no scripts. Attributes, methods and
// events: docs/embedding.md.
{
const LAB = new URL('./', document.currentScript.src).href;
const KEYS = ['scenario', 'src', 'policies', 'show', 'chart', 'theme', 'edit', 'predict', 'at'];
const VERSION = 1;

class FairlaneDemo extends HTMLElement {
  static observedAttributes = [...KEYS, 'session', 'lab'];
  #frame = null;
  #seen = null;
  #ready = false;
  #waiting = [];
  #hear = event => this.#receive(event);

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      :host { display: block; position: relative; overflow: hidden; contain: content; }
      :host([hidden]) { display: none; }
      iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; opacity: 0; }
      .ready iframe { opacity: 1; } .ready slot { visibility: hidden; }`);
    root.adoptedStyleSheets = [sheet];
    root.append(Object.assign(document.createElement('div'), { part: 'box' }));
    root.firstChild.append(document.createElement('slot'));
  }

  connectedCallback() {
    this.style.height ||= `${Number(this.getAttribute('height')) || 420}px`;
    addEventListener('message', this.#hear);
    this.#seen = new IntersectionObserver(entries => {
      const near = entries.some(entry => entry.isIntersecting);
      if (near) this.#load();
      else if (this.#ready) this.pause();
    }, { rootMargin: '300px' });
    this.#seen.observe(this);
    // The observer answers after the next frame only.
    const { top, width } = this.getBoundingClientRect();
    if (width && top >= 0 && top < innerHeight) this.#load();
  }

  disconnectedCallback() {
    removeEventListener('message', this.#hear);
    this.#seen?.disconnect();
    this.#unload();
  }

  attributeChangedCallback() {
    if (!this.#frame) return;
    this.#unload();
    this.#load();
  }

  /** The address of the demo. */
  get address() {
    const url = new URL(this.getAttribute('lab') ?? LAB, document.baseURI);
    const given = KEYS.filter(key => this.hasAttribute(key));
    // The address of a file is relative to this page.
    const value = key => key === 'src' ? new URL(this.getAttribute(key), document.baseURI).href : this.getAttribute(key);
    const pairs = given.map(key => [key, value(key)]);
    if (location.origin !== 'null') pairs.push(['host', location.origin]);
    url.search = ['embed', ...pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join('&');
    url.hash = this.getAttribute('session') ?? '';
    return url;
  }

  #load() {
    if (this.#frame) return;
    const url = this.address;
    if (!/^https?:$/.test(url.protocol)) return;
    this.#frame = document.createElement('iframe');
    this.#frame.title = this.getAttribute('label') ?? 'Fairlane: schedules of a shared cluster';
    // Its own origin, for its workers; nothing of this page's, unless both are served from one.
    this.#frame.sandbox = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';
    this.#frame.src = url.href;
    this.shadowRoot.firstChild.append(this.#frame);
  }

  #unload() {
    this.#frame?.remove();
    this.#frame = null;
    this.#ready = false;
    this.shadowRoot.firstChild.classList.remove('ready');
  }

  #receive({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.address.origin) return;
    if (data?.fairlane !== VERSION || !['ready', 'state', 'error'].includes(data.type)) return;
    if (data.type === 'ready') {
      this.#ready = true;
      this.shadowRoot.firstChild.classList.add('ready');
      this.#waiting.splice(0).forEach(message => this.#send(message));
    }
    this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
  }

  #send(message) {
    if (!this.#ready) return void this.#waiting.push(message);
    this.#frame.contentWindow.postMessage({ fairlane: VERSION, ...message }, this.address.origin);
  }

  seek(at) { this.#send({ type: 'seek', at }); }
  play() { this.#send({ type: 'play' }); }
  pause() { this.#send({ type: 'pause' }); }
  policies(policies) { this.#send({ type: 'policies', policies }); }
  edit(scenario) { this.#send({ type: 'edit', scenario }); }
}

if (!customElements.get('fairlane-demo')) customElements.define('fairlane-demo', FairlaneDemo);
}
