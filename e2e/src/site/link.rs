//! A slow line between the server and the browser. The browser's own throttling leaves out what workers
//! fetch; here everything goes over one line.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are sent at once: a few packets, so that answers under way together share the line.
const CHUNK: usize = 4096;

/// What a line is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// How long it takes to the server and back.
    pub round_trip: Duration,
    /// How many bytes it carries in a second, of all answers together.
    pub bytes_per_s: f64,
}

/// The line of one server.
#[derive(Default)]
pub struct Line {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Link>,
    /// When the line will have carried all that was put on it.
    free: Option<Instant>,
}

impl Line {
    pub fn set(&self, link: Option<Link>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State { link, free: None };
    }

    /// Waits for a way there and back.
    pub fn wait(&self) {
        let link = self.state.lock().unwrap_or_else(PoisonError::into_inner).link;
        if let Some(link) = link {
            thread::sleep(link.round_trip);
        }
    }

    /// Sends bytes when the line has carried what was put on it before, and them.
    pub fn send(&self, to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(CHUNK) {
            if let Some(arrival) = self.put_on(chunk.len()) {
                thread::sleep(arrival.saturating_duration_since(Instant::now()));
            }
            to.write_all(chunk)?;
        }
        to.flush()
    }

    /// When so many more bytes will have been carried; `None` where nothing slows them down.
    fn put_on(&self, bytes: usize) -> Option<Instant> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let link = state.link?;
        let now = Instant::now();
        let from = state.free.map_or(now, |free| free.max(now));
        let free = from + Duration::from_secs_f64(bytes as f64 / link.bytes_per_s);
        state.free = Some(free);
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_carries_no_more_than_it_can() {
        let line = Line::default();
        assert_eq!(line.put_on(1_000_000), None, "nothing slows it down");
        line.set(Some(Link { round_trip: Duration::ZERO, bytes_per_s: 1000.0 }));
        let first = line.put_on(500).expect("a slow line");
        let second = line.put_on(1500).expect("a slow line");
        assert_eq!(second - first, Duration::from_millis(1500));
    }
}
