//! Sweeps in the pool: many small simulations that wait until nothing else is to be done, and give way
//! when something is.

use std::rc::Rc;

use gloo::timers::callback::Timeout;

use super::{Inner, Pool, STALE_MS, Task, pump};
use crate::app::shared::Shared;
use crate::app::store::Document;
use crate::app::sweep::SweepPoint;

impl Pool {
    /// Has these points of a version simulated, the first first, and no others; none at all if there are
    /// none.
    ///
    /// A worker that is at a point nobody wants any more has a moment to end by itself, because a new
    /// worker costs more than a small simulation.
    pub fn sweep(&self, revision: u32, document: &Shared<Document>, points: &[SweepPoint]) {
        let mut inner = self.inner.borrow_mut();
        let under_way = |point: &SweepPoint| {
            inner.slots.iter().any(|slot| match &slot.task {
                Some(Task::Sweep { revision: at, point: other, .. }) => *at == revision && other == point,
                _ => false,
            })
        };
        let wanted = points.iter().copied().filter(|point| !under_way(point)).collect();
        let stale = inner.slots.iter().any(|slot| is_stale(&slot.task, revision, points));
        inner.sweep = Some((revision, document.clone(), wanted));
        drop(inner);
        if stale {
            let (weak, points) = (Rc::downgrade(&self.inner), points.to_vec());
            let end_the_stale = move || {
                let Some(inner) = weak.upgrade() else { return };
                let now = js_sys::Date::now();
                // Only what was stale then and has not ended since.
                inner.borrow_mut().slots.retain(|slot| {
                    !(is_stale(&slot.task, revision, &points) && now - slot.since >= STALE_MS)
                });
                pump(&inner);
            };
            Timeout::new(STALE_MS as u32, end_the_stale).forget();
        }
        pump(&self.inner);
    }
}

/// Whether a worker is at a point that is not among those wanted of this version.
fn is_stale(task: &Option<Task>, revision: u32, points: &[SweepPoint]) -> bool {
    match task {
        Some(Task::Sweep { revision: at, point, .. }) => *at != revision || !points.contains(point),
        _ => false,
    }
}

impl Inner {
    pub(super) fn has_points(&self) -> bool {
        self.sweep.as_ref().is_some_and(|(.., points)| !points.is_empty())
    }

    pub(super) fn next_point(&mut self) -> Option<Task> {
        let (revision, document, points) = self.sweep.as_mut()?;
        let point = points.pop_front()?;
        Some(Task::Sweep { revision: *revision, point, document: document.clone() })
    }
}
