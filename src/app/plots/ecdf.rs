//! The share of jobs completed within a time under each policy, beside the tables of the results.

use std::rc::Rc;

use yew::prelude::*;

use super::chart::ChartView;
use crate::app::codec::Outcome;
use crate::app::shared::Shared;
use crate::app::theme::Colours;
use crate::policy::PolicyId;
use crate::view::chart;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub outcomes: Vec<(PolicyId, Shared<Outcome>)>,
    pub colours: Shared<Colours>,
    /// Whether the chart keeps its last state: drawing it takes longer than a simulation, and while
    /// something is dragged schedules arrive many times a second.
    pub still: bool,
}

/// Logical pixels.
const HEIGHT: f64 = 220.0;

#[component]
pub fn Ecdf(props: &Props) -> Html {
    let shown = use_mut_ref(|| props.outcomes.clone());
    if !props.still {
        shown.borrow_mut().clone_from(&props.outcomes);
    }
    let outcomes = shown.borrow().clone();
    let chart = use_memo(outcomes, |outcomes| {
        let inputs: Vec<_> =
            outcomes.iter().map(|(policy, outcome)| (*policy, &*outcome.trace.jobs)).collect();
        Shared::new(chart::ecdf(&inputs, None, &[]))
    });
    let chart: Rc<Shared<chart::Chart>> = chart;
    html! { <ChartView id="ecdf" chart={(*chart).clone()} colours={props.colours.clone()} height={HEIGHT} busy={props.still} /> }
}
