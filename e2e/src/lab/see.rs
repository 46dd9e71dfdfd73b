//! What the page shows and reports.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Lab, PATIENCE, PAUSE};

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

impl Lab {
    /// Waits until an element matches the selector.
    #[track_caller]
    pub fn wait_for(&self, css: &str) {
        self.wait_until(&format!("document.querySelector({}) !== null", json!(css)));
    }

    /// Waits until a JavaScript expression is truthy and returns its value.
    #[track_caller]
    pub fn wait_until(&self, expression: &str) -> Value {
        self.wait_at_most(PATIENCE, expression)
    }

    /// Like [`Lab::wait_until`], with a time limit of its own.
    #[track_caller]
    pub fn wait_at_most(&self, limit: Duration, expression: &str) -> Value {
        let started = Instant::now();
        let mut last = Err("not evaluated".to_owned());
        while started.elapsed() < limit {
            last = self.evaluate(expression);
            match last {
                Ok(ref value) if truthy(value) => return value.clone(),
                _ => thread::sleep(PAUSE),
            }
        }
        let seen = last.map_or_else(|error| error, |value| value.to_string());
        self.fail(format!("waited {limit:?} for: {expression}\nlast value: {seen}"))
    }

    /// The value of a JavaScript expression; a promise is awaited.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        self.expect(self.evaluate(expression))
    }

    /// The number of current matches.
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

    /// The visible texts of all current matches.
    #[track_caller]
    pub fn texts(&self, css: &str) -> Vec<String> {
        // SVG elements have no innerText, and in some browsers neither has what is folded.
        let script = format!(
            "Array.from(document.querySelectorAll({}), e => \
                (e.closest('details:not([open]) > :not(summary)') ? e.textContent : e.innerText ?? e.textContent).trim())",
            json!(css)
        );
        match self.eval(&script) {
            Value::Array(texts) => {
                texts.iter().map(|text| text.as_str().unwrap_or_default().into()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Unfolds what hides the first match, as sections and the side of the page do, or folds what covers it.
    pub(super) fn unfold(&self, css: &str) {
        let _ = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return; \
             for (let d = e.parentElement; d; d = d.parentElement) \
               if (d.matches('details:not([open], .menu)') && e.parentElement !== d.querySelector(':scope > summary') \
                   && !(e.matches('summary') && e.parentElement === d)) d.open = true; \
             let more = e.closest('[popover]'); \
             while (more && getComputedStyle(more).display === 'contents' && e.checkVisibility()) more = more.parentElement.closest('[popover]'); \
             if (more && (getComputedStyle(more).visibility === 'hidden' || !more.matches(':popover-open') && !e.checkVisibility()) && !e.closest('dialog, [type=file]')) \
               {{ const button = document.querySelector(`[popovertarget=${{more.id}}]`); button.focus(); button.click(); }} \
             const left = e.closest('.left'); \
             if (left && getComputedStyle(left).display === 'none') document.querySelector(innerWidth > 940 ? '#open-set-up' : '#tab-set-up')?.click(); \
             const outcome = e.closest('.in-columns .outcome'); \
             if (outcome && getComputedStyle(outcome).display === 'none') \
               document.querySelector('.with-set-up #open-set-up, .with-sheet .fold-sheet')?.click(); \
             if (e.closest('#side') && document.querySelector('.lab:not(.with-sheet)')) \
               document.querySelector('.tabs [aria-selected=true]').click(); }})()",
            json!(css)
        ));
    }

    /// Where the first match is, unfolded and scrolled into view.
    #[track_caller]
    pub fn rect(&self, css: &str) -> Rect {
        self.wait_for(css);
        self.unfold(css);
        let value = self.eval(&format!(
            "(() => {{ const e = document.querySelector({}); \
             e.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()",
            json!(css)
        ));
        let number = |index: usize| value[index].as_f64().unwrap_or(f64::NAN);
        Rect { x: number(0), y: number(1), width: number(2), height: number(3) }
    }

    /// The contents of the file that the page saves under this name, once it is complete; the file is removed.
    #[track_caller]
    pub fn download(&self, name: &str) -> Vec<u8> {
        let path = self.folder.path().join("downloads").join(name);
        let started = Instant::now();
        // Chromium reserves the name with an empty file, writes to another and renames that at the end.
        while std::fs::metadata(&path).map_or(0, |file| file.len()) == 0 {
            if started.elapsed() > PATIENCE {
                self.fail(format!("the page did not save {name}"));
            }
            thread::sleep(PAUSE);
        }
        let content = self.expect(std::fs::read(&path).map_err(|error| error.to_string()));
        // The browser gives the next file of this name another one as long as this one is there.
        self.expect(std::fs::remove_file(&path).map_err(|error| error.to_string()));
        content
    }

    /// Saves what the viewport shows as a PNG.
    #[track_caller]
    pub fn screenshot(&self, path: impl AsRef<Path>) {
        self.expect(self.save_screenshot(path.as_ref()));
    }

    /// All errors the browser has reported since the page was first opened: uncaught errors, `console.error`,
    /// files that failed to load.
    #[track_caller]
    pub fn console_errors(&self) -> Vec<String> {
        self.expect(self.read_console());
        let console = self.console.borrow();
        console.iter().filter(|(level, _)| level == "SEVERE").map(|(_, text)| text.clone()).collect()
    }
}

/// Whether JavaScript treats a value as true.
fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
