//! Looking things up in a trace: what ran on a core.

use super::{TaskRun, Trace};
use crate::ids::CoreId;
use crate::order::GroupedPositions;
use crate::units::Time;

/// A trace's task runs grouped by core and sorted by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreIndex(GroupedPositions);

impl CoreIndex {
    /// Indexes a trace.
    pub fn new(trace: &Trace) -> CoreIndex {
        // Launch order is the order of time on each core, because a core runs one task at a time.
        CoreIndex(GroupedPositions::new(trace.cores as usize, trace.tasks.iter().map(|run| run.core.index())))
    }

    /// The runs on a core that end after `from` and start before `to`, in the order of time.
    pub fn runs<'a>(
        &'a self,
        trace: &'a Trace,
        core: CoreId,
        from: Time,
        to: Time,
    ) -> impl Iterator<Item = &'a TaskRun> + 'a {
        let run = move |index: &u32| &trace.tasks[*index as usize];
        let indices = self.indices(core);
        let begin = indices.partition_point(|index| run(index).end <= from);
        indices[begin..].iter().map(run).take_while(move |run| run.start < to)
    }

    /// The runs on a core that hold an instant, their ends included, and the ones next to it on either side,
    /// by index in the trace's task list and in the order of time.
    pub fn around<'a>(
        &'a self,
        trace: &'a Trace,
        core: CoreId,
        at: Time,
    ) -> impl Iterator<Item = usize> + 'a {
        let run = move |index: &u32| &trace.tasks[*index as usize];
        let indices = self.indices(core);
        let begin = indices.partition_point(|index| run(index).end < at);
        let held = indices[begin..].iter().take_while(|index| run(index).start <= at).count();
        let end = (begin + held + 1).min(indices.len());
        indices[begin.saturating_sub(1)..end].iter().map(|&index| index as usize)
    }

    /// Indices in the trace's task list of the runs on a core, in the order of time.
    fn indices(&self, core: CoreId) -> &[u32] {
        self.0.group(core.index())
    }

    /// The run that holds a core at an instant, by index in the trace's task list.
    pub(crate) fn index_at(&self, trace: &Trace, core: CoreId, at: Time) -> Option<usize> {
        let indices = self.indices(core);
        let run = |index: &u32| &trace.tasks[*index as usize];
        let begin = indices.partition_point(|index| run(index).end <= at);
        indices.get(begin).filter(|index| run(index).start <= at).map(|&index| index as usize)
    }

    /// The first run on a core that starts at an instant or later, by index in the trace's task list.
    pub(crate) fn next_from(&self, trace: &Trace, core: CoreId, at: Time) -> Option<usize> {
        let indices = self.indices(core);
        let first = indices.partition_point(|&index| trace.tasks[index as usize].start < at);
        indices.get(first).map(|&index| index as usize)
    }

    /// The run that holds a core at an instant.
    pub(crate) fn run_at<'a>(&'a self, trace: &'a Trace, core: CoreId, at: Time) -> Option<&'a TaskRun> {
        self.index_at(trace, core, at).map(|index| &trace.tasks[index])
    }
}
