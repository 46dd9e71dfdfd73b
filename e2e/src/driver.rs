//! The processes behind a browser: a WebDriver program of our own, and how many may run at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A browser that the tests drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    Chromium,
    Firefox,
}

impl Browser {
    /// The WebDriver program: the value of this variable, or this name on the path.
    fn program(self) -> String {
        let (variable, name) = match self {
            Self::Chromium => ("CHROMEDRIVER", "chromedriver"),
            Self::Firefox => ("GECKODRIVER", "geckodriver"),
        };
        std::env::var(variable).unwrap_or_else(|_| name.into())
    }

    /// The port in a line of the driver's output: "ChromeDriver was started successfully on port 45678." or
    /// "1700000000000 geckodriver INFO Listening on 127.0.0.1:45678".
    fn started_on(self, line: &str) -> Option<u16> {
        let before = match self {
            Self::Chromium => "successfully on port ",
            Self::Firefox => "Listening on 127.0.0.1:",
        };
        line.split_once(before)?.1.trim_end_matches('.').parse().ok()
    }
}

/// A running chromedriver or geckodriver; dropped, it ends its browsers and itself.
pub struct Driver {
    browser: Browser,
    child: Child,
    port: u16,
}

impl Driver {
    pub fn start(browser: Browser) -> Result<Self, String> {
        let program = browser.program();
        // Port 0: the driver chooses a free one and prints it, so no two of them can race for one.
        let mut child = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {program}: {error} (./fairlane-dev setup test)"))?;
        let mut lines = BufReader::new(child.stdout.take().expect("a piped output")).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| browser.started_on(&line));
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{program} ended without naming its port"));
        };
        // A pipe nobody reads would one day block the driver.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Self { browser, child, port })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Asks chromedriver to end its browsers and itself: killed outright it would leave Chromium running.
    fn shut_down(&mut self) {
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ =
                stream.write_all(b"GET /shutdown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            let _ = stream.read(&mut [0; 512]);
        }
        for _ in 0..200 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(25));
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Firefox has ended with its session.
        if self.browser == Browser::Chromium {
            self.shut_down();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Permission to run one browser. At most three run per two processors, as each waits a third of its time; more would
/// slow each other down until commands time out.
pub struct Permit;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

impl Permit {
    /// Waits until another browser may run.
    pub fn acquire() -> Self {
        let limit = thread::available_parallelism().map_or(3, |count| (count.get() * 3 / 2).max(2));
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running =
            ENDED.wait_while(running, |running| *running >= limit).unwrap_or_else(PoisonError::into_inner);
        *running += 1;
        Self
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}
