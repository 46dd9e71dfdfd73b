//! A browser with the page open.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, WheelAction,
    WheelActions,
};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::driver::{Driver, Seat};
use crate::{Look, Site};

/// How long a page may take to show what a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the browser may take over one command; beyond it the page is stuck.
const COMMAND: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(40);

/// Chromium without a window, without a sandbox (it runs as root in containers) and without calls home.
const ARGUMENTS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// A box on the page in CSS pixels, measured from the top left corner of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn centre(self) -> (f64, f64) {
        self.at(0.5, 0.5)
    }

    /// The point at these fractions of the width and the height.
    pub fn at(self, across: f64, down: f64) -> (f64, f64) {
        (self.x + across * self.width, self.y + down * self.height)
    }
}

/// A browser of its own, with a fresh profile, showing one [`Site`].
///
/// A test holds one at a time: as many run at once as there are processors, and the next one waits.
/// A test that fails leaves what it saw in `e2e/shots/failed-<test>.png`.
pub struct Lab {
    console: RefCell<Vec<(String, String)>>,
    /// How many traces have been read.
    traces: Cell<u32>,
    home: String,
    client: Client,
    runtime: Runtime,
    // From here on the order matters: the browser ends first, then its profile goes, then its seat.
    _driver: Driver,
    folder: TempDir,
    _seat: Seat,
}

impl Lab {
    /// Opens the page in a laptop's window.
    #[track_caller]
    pub fn open(site: &Site) -> Self {
        Self::open_as(site, Look::DESK, "")
    }

    /// Opens a place in the page (`""`, `"?a=b"`, `"#link"`) on a screen of this look.
    #[track_caller]
    pub fn open_as(site: &Site, look: Look, suffix: &str) -> Self {
        let lab = Self::blank(site, look);
        lab.goto(suffix);
        lab
    }

    /// A browser that has not been to the page yet.
    #[track_caller]
    pub fn blank(site: &Site, look: Look) -> Self {
        match Self::start(site) {
            Ok(lab) => {
                lab.look(look);
                lab
            }
            Err(error) => panic!("no browser: {error}"),
        }
    }

    /// Loads a place in the page afresh, even when only the part behind `#` differs.
    #[track_caller]
    pub fn goto(&self, suffix: &str) {
        let url = format!("{}{}", self.home, suffix.trim_start_matches('/'));
        let gone = self.run(self.client.goto("about:blank"));
        self.expect(gone.and_then(|()| self.run(self.client.goto(&url))));
    }

    #[track_caller]
    pub fn reload(&self) {
        self.expect(self.run(self.client.refresh()));
    }

    /// The address in the browser's address bar.
    #[track_caller]
    pub fn address(&self) -> String {
        self.expect(self.run(self.client.current_url())).into()
    }

    /// Changes the screen or the reader's preferences under the open page.
    #[track_caller]
    pub fn look(&self, look: Look) {
        let motion = if look.still { "reduce" } else { "no-preference" };
        self.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": [
                { "name": "prefers-color-scheme", "value": look.scheme.name() },
                { "name": "prefers-reduced-motion", "value": motion },
            ] }),
        );
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": look.width, "height": look.height,
                "deviceScaleFactor": look.scale, "mobile": look.touch }),
        );
        self.cdp("Emulation.setTouchEmulationEnabled", json!({ "enabled": look.touch }));
    }

    /// Waits until something matches the selector and is in the page.
    #[track_caller]
    pub fn wait_for(&self, css: &str) {
        self.wait_until(&format!("document.querySelector({}) !== null", json!(css)));
    }

    /// Waits until a JavaScript expression is truthy and returns its value.
    #[track_caller]
    pub fn wait_until(&self, expression: &str) -> Value {
        self.wait_at_most(PATIENCE, expression)
    }

    /// [`Lab::wait_until`] with a patience of its own.
    #[track_caller]
    pub fn wait_at_most(&self, patience: Duration, expression: &str) -> Value {
        let started = Instant::now();
        let mut last = Err("never asked".to_owned());
        while started.elapsed() < patience {
            last = self.evaluate(expression);
            match last {
                Ok(ref value) if truthy(value) => return value.clone(),
                _ => thread::sleep(PAUSE),
            }
        }
        let seen = last.map_or_else(|error| error, |value| value.to_string());
        self.fail(format!("waited {patience:?} in vain for: {expression}\nlast value: {seen}"))
    }

    /// The value of a JavaScript expression; a promise is awaited.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        self.expect(self.evaluate(expression))
    }

    /// How many elements match now.
    #[track_caller]
    pub fn count(&self, css: &str) -> usize {
        self.texts(css).len()
    }

    /// The visible text of the first match, once there is one.
    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        self.wait_for(css);
        self.texts(css).into_iter().next().unwrap_or_default()
    }

    /// The visible texts of all that matches now.
    #[track_caller]
    pub fn texts(&self, css: &str) -> Vec<String> {
        // SVG elements have no innerText.
        let script = format!(
            "Array.from(document.querySelectorAll({}), e => (e.innerText ?? e.textContent).trim())",
            json!(css)
        );
        match self.eval(&script) {
            Value::Array(texts) => {
                texts.iter().map(|text| text.as_str().unwrap_or_default().into()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Clicks the first match as a mouse would, once it can be clicked.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.on_element(css, "click", |element| async move { element.click().await });
    }

    /// Types into the first match; [`Key`](crate::Key) holds the keys without a letter.
    #[track_caller]
    pub fn keys(&self, css: &str, keys: impl Display) {
        let keys = &keys.to_string();
        self.on_element(css, "type into", |element| async move { element.send_keys(keys).await });
    }

    /// Presses keys one after the other wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: impl Display) {
        let keys = keys.to_string();
        let strokes = keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let actions = strokes.fold(KeyActions::new("keyboard".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Presses keys together wherever the focus is, the first held while the others follow.
    #[track_caller]
    pub fn chord(&self, keys: impl Display) {
        let keys: Vec<char> = keys.to_string().chars().collect();
        let downs = keys.iter().map(|&value| KeyAction::Down { value });
        let ups = keys.iter().rev().map(|&value| KeyAction::Up { value });
        let actions = downs.chain(ups).fold(KeyActions::new("keyboard".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Chooses an option of a `<select>` by its value.
    #[track_caller]
    pub fn select(&self, css: &str, value: &str) {
        self.on_element(css, "choose in", |element| async move { element.select_by_value(value).await });
    }

    /// Gives a file to an `<input type=file>`, which may be hidden.
    #[track_caller]
    pub fn upload(&self, css: &str, file: impl AsRef<Path>) {
        let file = file.as_ref();
        let path = self.expect(file.canonicalize().map_err(|error| format!("{}: {error}", file.display())));
        self.keys(css, path.display().to_string());
    }

    /// The contents of a file the page has saved under this name, once it is complete.
    #[track_caller]
    pub fn download(&self, name: &str) -> Vec<u8> {
        let path = self.folder.path().join("downloads").join(name);
        let started = Instant::now();
        // Chromium writes to another name and renames at the end.
        while !path.exists() {
            if started.elapsed() > PATIENCE {
                self.fail(format!("the page did not save {name}"));
            }
            thread::sleep(PAUSE);
        }
        self.expect(std::fs::read(&path).map_err(|error| error.to_string()))
    }

    /// Where the first match is, scrolled into view.
    #[track_caller]
    pub fn rect(&self, css: &str) -> Rect {
        self.wait_for(css);
        let value = self.eval(&format!(
            "(() => {{ const e = document.querySelector({}); \
             e.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()",
            json!(css)
        ));
        let number = |index: usize| value[index].as_f64().unwrap_or(f64::NAN);
        Rect { x: number(0), y: number(1), width: number(2), height: number(3) }
    }

    /// Moves the mouse to a point of the viewport.
    #[track_caller]
    pub fn hover(&self, point: (f64, f64)) {
        self.mouse(vec![move_to(point)]);
    }

    /// Presses the left button at one point, moves to another on several ways and lets go.
    #[track_caller]
    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        const STEPS: u32 = 8;
        let along = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1))
        };
        let mut actions = vec![move_to(from), PointerAction::Down { button: MOUSE_BUTTON_LEFT }];
        actions.extend((1..=STEPS).map(|step| move_to(along(step))));
        actions.push(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.mouse(actions);
    }

    /// Turns the wheel over a point of the viewport, by this many pixels right and down.
    #[track_caller]
    pub fn wheel(&self, point: (f64, f64), right: i64, down: i64) {
        let (x, y) = (point.0.round() as i64, point.1.round() as i64);
        let turn = WheelAction::Scroll { duration: None, x, y, delta_x: right, delta_y: down };
        let actions = WheelActions::new("wheel".into()).then(turn);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Saves what the viewport shows as a PNG.
    #[track_caller]
    pub fn screenshot(&self, path: impl AsRef<Path>) {
        self.expect(self.save_screenshot(path.as_ref()));
    }

    /// Everything the browser has complained about since the page was first opened: uncaught errors,
    /// `console.error`, files that did not load.
    #[track_caller]
    pub fn console_errors(&self) -> Vec<String> {
        self.expect(self.read_console());
        let console = self.console.borrow();
        console.iter().filter(|(level, _)| level == "SEVERE").map(|(_, text)| text.clone()).collect()
    }

    /// Sends a command of the Chrome DevTools protocol.
    #[track_caller]
    pub fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.expect(self.try_cdp(command, parameters))
    }

    /// Has Chromium write down what its threads do.
    #[track_caller]
    pub fn start_trace(&self, categories: &[&str]) {
        let config = json!({ "includedCategories": categories, "excludedCategories": ["*"] });
        self.cdp("Tracing.start", json!({ "transferMode": "ReturnAsStream", "traceConfig": config }));
    }

    /// What has been written down since [`Lab::start_trace`]: events as Chromium's trace format has them.
    #[track_caller]
    pub fn end_trace(&self) -> Vec<Value> {
        self.cdp("Tracing.end", json!({}));
        // An event would name the stream, but a driver's commands bring no events. Streams are numbered from 1,
        // and this one can be read as soon as the browser has put it together.
        let stream = self.traces.get() + 1;
        self.traces.set(stream);
        let read = || self.try_cdp("IO.read", json!({ "handle": stream.to_string(), "size": 8 << 20 }));
        let (started, mut text) = (Instant::now(), String::new());
        loop {
            match read() {
                Ok(part) => {
                    text += part["data"].as_str().unwrap_or_default();
                    if part["eof"] == true {
                        break;
                    }
                }
                Err(error) if started.elapsed() > PATIENCE => self.fail(error),
                Err(_) => thread::sleep(PAUSE),
            }
        }
        let mut trace: Value = self.expect(serde_json::from_str(&text).map_err(|error| error.to_string()));
        match trace["traceEvents"].take() {
            Value::Array(events) => events,
            _ => Vec::new(),
        }
    }

    fn try_cdp(&self, command: &str, parameters: Value) -> Result<Value, String> {
        let body = json!({ "cmd": command, "params": parameters });
        self.run(self.client.issue_cmd(Post { path: "goog/cdp/execute", body }))
    }

    fn start(site: &Site) -> Result<Self, String> {
        let seat = Seat::take();
        let folder = TempDir::with_prefix("fairlane-e2e-").map_err(|error| error.to_string())?;
        let driver = Driver::start()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let client = runtime.block_on(async {
            ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities(folder.path()))
                .connect(&driver.url())
                .await
                .map_err(|error| error.to_string())
        })?;
        let (console, traces) = (RefCell::default(), Cell::default());
        Ok(Self {
            console,
            traces,
            home: site.url(""),
            client,
            runtime,
            _driver: driver,
            folder,
            _seat: seat,
        })
    }

    fn run<T>(&self, command: impl Future<Output = Result<T, CmdError>>) -> Result<T, String> {
        self.runtime.block_on(async {
            match tokio::time::timeout(COMMAND, command).await {
                Ok(result) => result.map_err(|error| error.to_string()),
                Err(_) => Err(format!("the browser did not answer within {COMMAND:?}")),
            }
        })
    }

    fn evaluate(&self, expression: &str) -> Result<Value, String> {
        self.run(self.client.execute(&format!("return ({expression});"), Vec::new()))
    }

    /// Finds and acts until it succeeds: the page may redraw in between, or still cover the element.
    #[track_caller]
    fn on_element<F>(&self, css: &str, verb: &str, act: impl Fn(Element) -> F)
    where
        F: Future<Output = Result<(), CmdError>>,
    {
        let started = Instant::now();
        loop {
            let done = self.run(async { act(self.client.find(Locator::Css(css)).await?).await });
            match done {
                Ok(()) => return,
                Err(_) if started.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(error) => self.fail(format!("could not {verb} {css}: {error}")),
            }
        }
    }

    #[track_caller]
    fn mouse(&self, actions: Vec<PointerAction>) {
        let mouse = actions.into_iter().fold(MouseActions::new("mouse".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(mouse)));
    }

    fn save_screenshot(&self, path: &Path) -> Result<(), String> {
        let png = self.run(self.client.screenshot())?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(path, png).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Fetches the console's new lines; the browser forgets them once asked.
    fn read_console(&self) -> Result<(), String> {
        let log =
            self.run(self.client.issue_cmd(Post { path: "se/log", body: json!({ "type": "browser" }) }))?;
        let field = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let entries = log.as_array().into_iter().flatten();
        let lines = entries.map(|entry| (field(entry, "level"), field(entry, "message")));
        self.console.borrow_mut().extend(lines);
        Ok(())
    }

    #[track_caller]
    fn expect<T>(&self, result: Result<T, String>) -> T {
        match result {
            Ok(value) => value,
            Err(error) => self.fail(error),
        }
    }

    /// Ends the test with what the page shows and says.
    #[track_caller]
    fn fail(&self, what: impl Display) -> ! {
        let text = self.evaluate("document.body ? document.body.innerText.slice(0, 3000) : ''");
        let text = text.map_or_else(|error| error, |value| value.as_str().unwrap_or_default().to_owned());
        let _ = self.read_console();
        let console: Vec<String> =
            self.console.borrow().iter().map(|(level, line)| format!("{level} {line}")).collect();
        panic!("{what}\n--- the page shows\n{text}\n--- its console\n{}\n---", console.join("\n"));
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if thread::panicking() {
            let test = thread::current().name().unwrap_or("test").replace("::", "-");
            let path: PathBuf =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("shots").join(format!("failed-{test}.png"));
            if self.save_screenshot(&path).is_ok() {
                eprintln!("what the page looked like: {}", path.display());
            }
        }
    }
}

/// A command that fantoccini has no word for.
#[derive(Debug)]
struct Post {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Post {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

fn capabilities(folder: &Path) -> Capabilities {
    let mut arguments: Vec<String> = ARGUMENTS.iter().map(|&argument| argument.into()).collect();
    arguments.push(format!("--user-data-dir={}", folder.join("profile").display()));
    let mut chrome = json!({
        "args": arguments,
        "prefs": { "download.default_directory": folder.join("downloads") },
    });
    if let Ok(program) = std::env::var("CHROME_BIN") {
        chrome["binary"] = json!(program);
    }
    let wanted = [
        ("browserName", json!("chrome")),
        ("goog:chromeOptions", chrome),
        ("goog:loggingPrefs", json!({ "browser": "ALL" })),
    ];
    wanted.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn move_to((x, y): (f64, f64)) -> PointerAction {
    PointerAction::MoveTo { duration: Some(Duration::from_millis(20)), x, y }
}

/// What JavaScript would take for true.
fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
