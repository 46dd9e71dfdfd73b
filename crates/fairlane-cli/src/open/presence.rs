//! Whether a page is open. Each open page holds a request that is never answered in full; the browser ends it when the
//! page is closed, however it is closed.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Bytes, Frame};

/// How long nothing is heard of any page before all count as closed: a page that is loaded again is gone for a moment.
const GRACE: Duration = Duration::from_secs(5);
/// How often that is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// The pages that are open.
#[derive(Clone)]
pub(super) struct Presence(Arc<Mutex<State>>);

struct State {
    open: usize,
    /// Whether a page has been open.
    was_open: bool,
    /// When something was last heard of a page.
    heard: Instant,
}

impl Presence {
    pub(super) fn new() -> Presence {
        Presence(Arc::new(Mutex::new(State { open: 0, was_open: false, heard: Instant::now() })))
    }

    /// Notes that a page has asked for something.
    pub(super) fn hear(&self) {
        self.state().heard = Instant::now();
    }

    /// Whether a page has been open.
    pub(super) fn was_open(&self) -> bool {
        self.state().was_open
    }

    /// Returns once all pages are closed, after there was one.
    pub(super) async fn ended(&self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let state = self.state();
            if state.was_open && state.open == 0 && state.heard.elapsed() >= GRACE {
                return;
            }
        }
    }

    /// A body that has no end: the page is open while it exists.
    pub(super) fn hold(&self) -> HeldBody {
        let mut state = self.state();
        state.open += 1;
        state.was_open = true;
        HeldBody(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of the request that a page holds.
pub(super) struct HeldBody(Presence);

impl Body for HeldBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        // Never woken: the connection drops the body when the browser ends the request.
        Poll::Pending
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open -= 1;
        state.heard = Instant::now();
    }
}
