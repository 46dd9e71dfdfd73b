//! The share of jobs completed within a time under each policy, beside the tables of the results.

use std::rc::Rc;

use yew::prelude::*;

use super::chart::ChartView;
use crate::plots::theme::ThemeColours;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::policy::PolicyId;
use fairlane_view::chart;

#[derive(Properties, PartialEq)]
pub struct EcdfProps {
    pub analyses: Vec<(PolicyId, Shared<Analysis>)>,
    pub colours: Shared<ThemeColours>,
    /// Whether the chart keeps its last state: drawing it takes longer than a simulation, and while
    /// something is dragged schedules arrive many times a second.
    pub still: bool,
}

/// Logical pixels.
const HEIGHT: f64 = 220.0;

#[component]
pub fn Ecdf(props: &EcdfProps) -> Html {
    let shown = use_mut_ref(|| props.analyses.clone());
    if !props.still {
        shown.borrow_mut().clone_from(&props.analyses);
    }
    let analyses = shown.borrow().clone();
    let chart = use_memo(analyses, |analyses| {
        let inputs: Vec<_> =
            analyses.iter().map(|(policy, analysis)| (*policy, &*analysis.trace.jobs)).collect();
        Shared::new(chart::ecdf(&inputs, None, &[]))
    });
    let chart: Rc<Shared<chart::Chart>> = chart;
    html! { <ChartView id="ecdf" chart={(*chart).clone()} colours={props.colours.clone()} height={HEIGHT}
    busy={props.still} /> }
}
