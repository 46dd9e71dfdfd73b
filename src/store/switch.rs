//! What the set-up switches on and off, each with its parameters, which are kept while it is off.

use super::{Document, State};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::{Cluster, Preemption, Speculation};
use fairlane::units::Span;

/// What can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterSwitch {
    /// Second attempts of slow tasks.
    Speculation,
    /// Attempts that are killed for those with too few cores.
    Preemption,
    /// Waiting for the executors that tasks prefer.
    Locality,
}

impl ClusterSwitch {
    /// Whether a cluster has it.
    pub fn is_on(self, cluster: &Cluster) -> bool {
        match self {
            ClusterSwitch::Speculation => cluster.speculation.is_some(),
            ClusterSwitch::Preemption => cluster.preemption.is_some(),
            ClusterSwitch::Locality => cluster.locality_wait > Span(0),
        }
    }
}

/// The parameters of what was switched off in this scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetAside {
    speculation: Option<Speculation>,
    preemption: Option<Preemption>,
    locality_wait: Option<Span>,
}

impl State {
    /// Switches something off and sets its parameters aside, or on with those that it had, or else with those that suit the
    /// scenario.
    pub(super) fn switch(&mut self, switch: ClusterSwitch) {
        let before = self.document.clone();
        let cluster = before.scenario.cluster();
        let was_on = switch.is_on(cluster);
        let kept = &mut self.ui.set_aside;
        if was_on {
            match switch {
                ClusterSwitch::Speculation => kept.speculation.clone_from(&cluster.speculation),
                ClusterSwitch::Preemption => kept.preemption.clone_from(&cluster.preemption),
                ClusterSwitch::Locality => kept.locality_wait = Some(cluster.locality_wait),
            }
        }
        let edit = match switch {
            ClusterSwitch::Speculation => {
                let on = || kept.speculation.clone().unwrap_or_default();
                Edit::speculation((!was_on).then(on).as_ref())
            }
            ClusterSwitch::Preemption => {
                let on = || kept.preemption.clone().unwrap_or_else(|| suiting(&before));
                Edit::preemption((!was_on).then(on).as_ref())
            }
            ClusterSwitch::Locality => {
                let on = kept.locality_wait.map(Span::seconds);
                let wait = if was_on { Some(0.0) } else { on };
                Edit::set(ObjectPath::Cluster, "locality_wait_s", wait)
            }
        };
        let name = match switch {
            ClusterSwitch::Speculation => "speculation",
            ClusterSwitch::Preemption => "preemption",
            ClusterSwitch::Locality => "waiting for preferred executors",
        };
        // A step of its own, whatever was typed before.
        let title = format!("switch {name} {}", if was_on { "off" } else { "on" });
        self.edit(&Edit::several(title, vec![edit]));
    }
}

fn suiting(document: &Document) -> Preemption {
    Preemption::suiting(&document.scenario)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DocumentAction;
    use crate::testing::page;

    fn pressed(state: &State, switch: ClusterSwitch) -> State {
        state.reduce(DocumentAction::Switch(switch))
    }

    /// In a scenario of 20 s preemption with the usual 30 s would never kill anything.
    #[test]
    fn preemption_begins_with_what_suits_the_scenario() {
        let state = page("two-users");
        let on = pressed(&state, ClusterSwitch::Preemption);
        let preemption = on.document.scenario.cluster().preemption.clone();
        assert_eq!(preemption, Some(Preemption::suiting(&state.document.scenario)));
        assert!(preemption.is_some_and(|preemption| preemption.after < Span(5_000_000)));
    }

    #[test]
    fn what_is_switched_off_and_on_again_has_its_parameters_and_another_scenario_its_own() {
        let set = |state: &State, of: ObjectPath, field: &'static str, value: f64| {
            state.reduce(DocumentAction::EditField(Edit::set(of, field, value)))
        };
        let changed = [
            (ClusterSwitch::Speculation, ObjectPath::Speculation, "multiplier", 1.5),
            (ClusterSwitch::Preemption, ObjectPath::Preemption, "threshold", 0.75),
            (ClusterSwitch::Locality, ObjectPath::Cluster, "locality_wait_s", 7.0),
        ];
        for (switch, of, field, value) in changed {
            let mut on = page("two-users");
            if !switch.is_on(on.document.scenario.cluster()) {
                on = pressed(&on, switch);
            }
            let on = set(&on, of, field, value);
            let off = pressed(&on, switch);
            assert!(!switch.is_on(off.document.scenario.cluster()), "{switch:?}");
            let again = pressed(&off, switch);
            assert_eq!(*again.document.scenario, *on.document.scenario, "{switch:?}");
            // It is undone as any edit.
            assert_eq!(*again.reduce(DocumentAction::Undo).document.scenario, *off.document.scenario);
            let other = page("skew").document;
            let opened = off.reduce(DocumentAction::Open(other));
            assert_eq!(opened.ui.set_aside, SetAside::default(), "{switch:?}");
        }
    }
}
