//! Second attempts of slow tasks (docs/model.md section 24).

use super::Engine;
use super::events::Look;
use crate::ids::StageIndex;
use crate::policy::attempts::Attempt;
use crate::policy::{JobPhase, OfferCause, Policy};
use crate::scenario::Speculation;
use crate::units::{Span, Time};

/// The first multiple of an interval that is not before an instant, after the last look and above 0.
pub(super) fn next_look(interval: Span, last: Option<Time>, at: Time) -> Time {
    let after_last = last.map_or(0, |last| last.0 + interval.0);
    Time(at.0.div_ceil(interval.0).saturating_mul(interval.0).max(after_last).max(interval.0))
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// Marks the tasks whose only attempt has run for too long, with an offer round if there are any.
    pub(super) fn look_for_slow_tasks(&mut self) {
        let Some(rules) = self.scenario.cluster().speculation.clone() else { return };
        let now = self.view.now;
        self.last_looks.speculation = Some(now);
        let running = self.view.attempts.as_ref().map_or(Vec::new(), |attempts| attempts.running());
        let mut marked: Vec<(StageIndex, u32)> = Vec::new();
        let mut next: Option<Time> = None;
        for (attempt, _) in running {
            let Some(slow_from) = self.slow_from(attempt, &rules) else { continue };
            if slow_from <= now {
                marked.push((attempt.stage, attempt.task));
            } else {
                next = Some(next.map_or(slow_from, |next| next.min(slow_from)));
            }
        }
        marked.sort_unstable();
        for stage_marks in marked.chunk_by(|(one, _), (other, _)| one == other) {
            let stage = stage_marks[0].0;
            if let Some(attempts) = &mut self.view.attempts {
                attempts.of_mut(stage).marks.splice(0..0, stage_marks.iter().map(|&(_, task)| task));
            }
            if let Some(executors) = &mut self.executors {
                executors.notice_backlog(now);
            }
            self.update_pending(stage);
        }
        if !marked.is_empty() {
            self.offer(OfferCause::Speculation);
            next = Some(now);
        }
        // Until then nothing changes by itself.
        let next = next.map(|at| next_look(rules.interval, Some(now), at));
        self.events.set_look(Look::Speculation, next);
    }

    /// The first instant at which a look marks an attempt's task, if nothing happens before.
    fn slow_from(&self, attempt: Attempt, rules: &Speculation) -> Option<Time> {
        let (state, of_stage) = (self.view.state(attempt.stage), self.view.attempts_of(attempt.stage)?);
        let has_started = self.view.jobs[state.rank.index()].phase == JobPhase::Started;
        let least = ((rules.quantile * f64::from(state.tasks)).floor() as usize).max(1);
        let is_looked_at = has_started
            && !of_stage.ended
            && !of_stage.is_barrier
            && state.tasks >= 2
            && of_stage.lengths.count() >= least
            && of_stage.tasks[attempt.task as usize].running == 1
            && !of_stage.marks.contains(&attempt.task);
        let median = of_stage.lengths.median().filter(|_| is_looked_at)?;
        let longest = (rules.multiplier * median.0 as f64).max(rules.min.0 as f64);
        // The least whole number above it.
        let length = (longest.floor() as u64).saturating_add(1);
        Some(Time(attempt.start.0.saturating_add(length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_at_multiples_above_0() {
        let next = |last: Option<u64>, at| next_look(Span(10), last.map(Time), Time(at)).0;
        assert_eq!([next(None, 0), next(None, 10), next(None, 11)], [10, 10, 20]);
        assert_eq!([next(Some(10), 10), next(Some(10), 15), next(Some(20), 40)], [20, 20, 40]);
    }
}
