//! What workers send back, as bytes: found out and written there (`found`), read on the page (`decode`).
//!
//! The page's thread copies, checks that nothing can be looked up out of bounds, and calculates nothing. A
//! result comes in one or two lots: what the panels need at once, and (of a careful simulation) what only some
//! questions need, which stays as bytes until one is asked. The large parts are columns of numbers as they lie
//! in memory, in the order of bytes of the machine: both ends are the same program on the same machine.

mod decode;
mod found;
mod outcome;
mod plain;
mod source;

pub use decode::decode;
pub use found::{Encoded, Found, Known};
pub use outcome::{Detail, Outcome};
pub use source::Source;

use super::shared::Shared;
use crate::engine::Control;
use crate::policy::PolicyId;
use crate::scenario::Scenario;

/// How much is wanted of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// The schedule alone, as fast as can be: something is being dragged.
    Quick,
    /// With its journal and its checks.
    Full,
}

impl Care {
    /// The word for messages.
    pub fn word(self) -> &'static str {
        match self {
            Care::Quick => "quick",
            Care::Full => "full",
        }
    }
}

/// Why a worker's answer cannot be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    /// It does not follow this module, such as one cut short.
    #[error("the worker's answer is damaged")]
    Damaged,
    /// The browser gives the page no memory for it.
    #[error(
        "the schedule is too large for the memory that this browser gives to a page; untick other policies, or \
         take a smaller scenario"
    )]
    TooLarge,
}

/// Say which version of this layout the bytes follow: of what is needed at once, and of what comes later.
const NOW: u64 = u64::from_le_bytes(*b"fairwir3");
const LATER: u64 = u64::from_le_bytes(*b"fairltr3");

/// Simulates here and now what a worker would have sent: for tests, and for a page without workers.
pub fn simulate_here(scenario: &Shared<Scenario>, policy: PolicyId) -> Shared<Outcome> {
    let mut known = Known::new(Scenario::clone(scenario));
    let found = known.find(policy, Care::Full, &mut |_| Control::Continue).expect("nobody asks to stop");
    let sent = Encoded::from(found);
    let later = sent.later().map(|pieces| Box::new(pieces.concat()) as Box<dyn Source>);
    let outcome = at_once(decode(&sent.now().concat(), later, scenario, policy, &async || {}));
    Shared::new(outcome.expect("nothing is lost on the way"))
}

/// What comes of something that never waits.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("it waits"),
    }
}

#[cfg(test)]
mod tests;
