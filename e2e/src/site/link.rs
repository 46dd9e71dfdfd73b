//! A slow link between the server and the browser. The browser's own throttling leaves out what workers fetch;
//! here everything shares one link.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::lock;

/// How late a timer may fire without its chunk delaying the next ones.
const LATENESS: Duration = Duration::from_millis(5);

/// What a link is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// How long a packet takes to the server and back.
    pub round_trip: Duration,
    /// How many bytes it carries per second, of all answers together.
    pub bytes_per_s: f64,
}

/// The link that all connections of one server share.
#[derive(Default)]
pub struct SharedLink(Mutex<State>);

#[derive(Default)]
struct State {
    link: Option<Link>,
    /// When the link will have carried everything sent so far.
    free: Option<Instant>,
}

impl SharedLink {
    pub fn set(&self, link: Option<Link>) {
        *lock(&self.0) = State { link, free: None };
    }

    /// Waits for one round trip.
    pub async fn round_trip(&self) {
        let link = lock(&self.0).link;
        if let Some(link) = link {
            sleep(link.round_trip).await;
        }
    }

    /// Waits until the link has carried this many bytes after everything sent before.
    pub async fn carry(&self, bytes: usize) {
        let arrival = self.reserve(bytes);
        if let Some(arrival) = arrival {
            sleep_until(arrival).await;
        }
    }

    /// When the link will have carried this many more bytes; `None` if nothing slows them down.
    fn reserve(&self, bytes: usize) -> Option<Instant> {
        let mut state = lock(&self.0);
        let link = state.link?;
        let now = Instant::now();
        let start = state.free.map_or(now, |free| free.max(now - LATENESS));
        let free = start + Duration::from_secs_f64(bytes as f64 / link.bytes_per_s);
        state.free = Some(free);
        Some(free)
    }
}
