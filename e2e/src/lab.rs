//! A browser with the page open.

mod act;
mod devtools;
mod see;

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WindowHandle};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub use see::Rect;

use crate::driver::{Browser, Driver, Permit};
use crate::{Look, Site};

/// How long a test waits for the page to show something.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the browser may take over one command; beyond it the page is stuck.
const COMMAND: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(40);
/// How often a browser is started before a test gives up: on a loaded machine Chromium now and then ends before its
/// driver has reached it.
const STARTS: u32 = 3;
const PAUSE_BETWEEN_STARTS: Duration = Duration::from_secs(2);

/// Chromium without a window, without a sandbox (it runs as root in containers), without background connections and
/// without toolbars, which are pages themselves and would take a third of the processor.
const ARGUMENTS: [&str; 11] = [
    "--headless",
    "--app=data:,",
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

/// A browser of its own, with a fresh profile, showing one [`Site`].
///
/// A test holds one at a time: three run at once on two processors, and the next one waits.
/// A test that fails leaves a screenshot in `e2e/shots/failed-<test>.png`.
pub struct Lab {
    console: RefCell<Vec<(String, String)>>,
    /// How many traces have been read.
    traces: Cell<u32>,
    home: String,
    client: Client,
    runtime: Runtime,
    // Dropped in this order: the browser ends, its profile is deleted, the next browser may start.
    _driver: Driver,
    folder: TempDir,
    _permit: Permit,
}

impl Lab {
    /// Opens the page in a laptop's window.
    #[track_caller]
    pub fn open(site: &Site) -> Self {
        Self::open_as(site, Look::DESK, "")
    }

    /// Opens an address within the page (`""`, `"?a=b"`, `"#link"`) on a screen of this look.
    #[track_caller]
    pub fn open_as(site: &Site, look: Look, suffix: &str) -> Self {
        let lab = Self::blank(site, look);
        lab.goto(suffix);
        lab
    }

    /// A browser that has not opened the page yet.
    #[track_caller]
    pub fn blank(site: &Site, look: Look) -> Self {
        let lab = Self::start(site, Browser::Chromium);
        lab.look(look);
        lab
    }

    /// Opens an address within the page in Firefox, in a laptop's window.
    ///
    /// Firefox has no DevTools protocol: [`Lab::look`], [`Lab::cdp`], traces and the console work in Chromium only.
    #[track_caller]
    pub fn firefox(site: &Site, suffix: &str) -> Self {
        let lab = Self::start(site, Browser::Firefox);
        lab.expect(lab.run(lab.client.set_window_size(Look::DESK.width, Look::DESK.height)));
        lab.goto(suffix);
        lab
    }

    /// Loads an address within the page from scratch, even if only the part after `#` differs.
    #[track_caller]
    pub fn goto(&self, suffix: &str) {
        let url = format!("{}{}", self.home, suffix.trim_start_matches('/'));
        let gone = self.run(self.client.goto("about:blank"));
        self.expect(gone.and_then(|()| self.run(self.client.goto(&url))));
    }

    /// Opens a file of this machine, without any server.
    #[track_caller]
    pub fn goto_file(&self, path: &Path) {
        self.expect(self.run(self.client.goto(&format!("file://{}", path.display()))));
    }

    #[track_caller]
    pub fn reload(&self) {
        self.expect(self.run(self.client.refresh()));
    }

    /// Opens an address within the page in another tab of the same browser, which is the one that is used from now on;
    /// returns the tab before.
    #[track_caller]
    pub fn other_tab(&self, suffix: &str) -> WindowHandle {
        let before = self.expect(self.run(self.client.window()));
        let tab = self.expect(self.run(self.client.new_window(true)));
        self.switch_to(tab.handle);
        self.goto(suffix);
        before
    }

    /// Uses another tab from now on; returns the one before.
    #[track_caller]
    pub fn switch_to(&self, tab: WindowHandle) -> WindowHandle {
        let before = self.expect(self.run(self.client.window()));
        self.expect(self.run(self.client.switch_to_window(tab)));
        before
    }

    /// The address in the browser's address bar.
    #[track_caller]
    pub fn address(&self) -> String {
        self.expect(self.run(self.client.current_url())).into()
    }

    /// Changes the screen or the reader's preferences while the page is open.
    #[track_caller]
    pub fn look(&self, look: Look) {
        let motion = if look.still { "reduce" } else { "no-preference" };
        let forced = if look.forced { "active" } else { "none" };
        self.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": [
                { "name": "prefers-color-scheme", "value": look.scheme.name() },
                { "name": "prefers-reduced-motion", "value": motion },
                { "name": "forced-colors", "value": forced },
            ] }),
        );
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": look.width, "height": look.height,
                "deviceScaleFactor": look.scale, "mobile": look.touch }),
        );
        self.cdp("Emulation.setTouchEmulationEnabled", json!({ "enabled": look.touch }));
    }

    #[track_caller]
    fn start(site: &Site, browser: Browser) -> Self {
        let mut errors = Vec::new();
        for _ in 0..STARTS {
            match Self::try_start(site, browser) {
                Ok(lab) => return lab,
                Err(error) => errors.push(error),
            }
            thread::sleep(PAUSE_BETWEEN_STARTS);
        }
        panic!("{browser:?} does not start: {}", errors.join("; "))
    }

    fn try_start(site: &Site, browser: Browser) -> Result<Self, String> {
        let permit = Permit::acquire();
        let folder = TempDir::with_prefix("fairlane-e2e-").map_err(|error| error.to_string())?;
        let driver = Driver::start(browser)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let client = runtime.block_on(async {
            ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities(browser, folder.path()))
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
            _permit: permit,
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

    /// Saves what the page looks like once no tasks move any more, which takes a fifth of a second.
    fn save_screenshot(&self, path: &Path) -> Result<(), String> {
        for _ in 0..25 {
            match self.evaluate("document.querySelector('.moving:not([hidden])') === null") {
                Ok(Value::Bool(false)) => thread::sleep(PAUSE),
                _ => break,
            }
        }
        let png = self.run(self.client.screenshot())?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(path, png).map_err(|error| format!("{}: {error}", path.display()))
    }

    #[track_caller]
    fn expect<T>(&self, result: Result<T, String>) -> T {
        match result {
            Ok(value) => value,
            Err(error) => self.fail(error),
        }
    }

    /// Fails the test and reports the text of the page and its console.
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
        // Ends Firefox, which geckodriver would leave running.
        let _ = self.run(self.client.clone().close());
    }
}

fn capabilities(browser: Browser, folder: &Path) -> Capabilities {
    match browser {
        Browser::Chromium => chromium(folder),
        Browser::Firefox => firefox(),
    }
}

fn firefox() -> Capabilities {
    let mut options = json!({ "args": ["-headless"] });
    if let Ok(program) = std::env::var("FIREFOX_BIN") {
        options["binary"] = json!(program);
    }
    let wanted = [("browserName", json!("firefox")), ("moz:firefoxOptions", options)];
    wanted.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn chromium(folder: &Path) -> Capabilities {
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
