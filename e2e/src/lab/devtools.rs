//! What only the browser's developer tools report: commands of the DevTools protocol, traces, the console.

use std::thread;
use std::time::Instant;

use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};

use super::{Lab, PATIENCE, PAUSE};

impl Lab {
    /// Sends a command of the Chrome DevTools protocol.
    #[track_caller]
    pub fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.expect(self.try_cdp(command, parameters))
    }

    /// Starts recording what the threads of Chromium do.
    #[track_caller]
    pub fn start_trace(&self, categories: &[&str]) {
        let config = json!({ "includedCategories": categories, "excludedCategories": ["*"] });
        self.cdp("Tracing.start", json!({ "transferMode": "ReturnAsStream", "traceConfig": config }));
    }

    /// Stops the recording that [`Lab::start_trace`] began; returns its events in Chromium's trace format.
    #[track_caller]
    pub fn end_trace(&self) -> Vec<Value> {
        self.cdp("Tracing.end", json!({}));
        // The stream's name is in an event, which the driver does not pass on. Streams are numbered from 1, and
        // this one can be read as soon as the browser has written it.
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

    /// Reads the console's new lines; the browser then discards them.
    pub(super) fn read_console(&self) -> Result<(), String> {
        let log =
            self.run(self.client.issue_cmd(Post { path: "se/log", body: json!({ "type": "browser" }) }))?;
        let field = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let entries = log.as_array().into_iter().flatten();
        let lines = entries.map(|entry| (field(entry, "level"), field(entry, "message")));
        self.console.borrow_mut().extend(lines);
        Ok(())
    }
}

/// A command that fantoccini does not offer.
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
