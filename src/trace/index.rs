//! Looking things up in a trace: what ran on a core.

use super::{TaskRun, Trace};
use crate::ids::CoreId;
use crate::order::Positions;
use crate::units::Time;

/// A trace's task runs grouped by core and sorted by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreIndex(Positions);

impl CoreIndex {
    /// Indexes a trace.
    pub fn new(trace: &Trace) -> CoreIndex {
        // Launch order is the order of time on each core, because a core runs one task at a time.
        CoreIndex(Positions::new(trace.cores as usize, trace.tasks.iter().map(|run| run.core.index())))
    }

    /// The runs on a core that end after `from` and start before `to`, in the order of time.
    pub fn runs<'a>(
        &'a self,
        trace: &'a Trace,
        core: CoreId,
        from: Time,
        to: Time,
    ) -> impl Iterator<Item = &'a TaskRun> + 'a {
        let run = move |place: &u32| &trace.tasks[*place as usize];
        let places = self.places(core);
        let begin = places.partition_point(|place| run(place).end <= from);
        places[begin..].iter().map(run).take_while(move |run| run.start < to)
    }

    /// The runs on a core that hold an instant, their ends included, and the ones next to it on either side,
    /// by place in the trace's task list and in the order of time.
    pub fn around<'a>(
        &'a self,
        trace: &'a Trace,
        core: CoreId,
        at: Time,
    ) -> impl Iterator<Item = usize> + 'a {
        let run = move |place: &u32| &trace.tasks[*place as usize];
        let places = self.places(core);
        let begin = places.partition_point(|place| run(place).end < at);
        let held = places[begin..].iter().take_while(|place| run(place).start <= at).count();
        let end = (begin + held + 1).min(places.len());
        places[begin.saturating_sub(1)..end].iter().map(|&place| place as usize)
    }

    /// Places in the trace's task list of the runs on a core, in the order of time.
    fn places(&self, core: CoreId) -> &[u32] {
        self.0.of(core.index())
    }

    /// The run that holds a core at an instant, by place in the trace's task list.
    pub fn place_at(&self, trace: &Trace, core: CoreId, at: Time) -> Option<usize> {
        let places = self.places(core);
        let run = |place: &u32| &trace.tasks[*place as usize];
        let begin = places.partition_point(|place| run(place).end <= at);
        places.get(begin).filter(|place| run(place).start <= at).map(|&place| place as usize)
    }

    /// The run that holds a core at an instant.
    pub fn run_at<'a>(&'a self, trace: &'a Trace, core: CoreId, at: Time) -> Option<&'a TaskRun> {
        self.place_at(trace, core, at).map(|place| &trace.tasks[place])
    }
}
