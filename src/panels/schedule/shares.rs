//! A schedule as shares: how many cores each user holds over time, drawn like the ideal.

use yew::prelude::*;

use crate::browser::first_paint;
use crate::plots::texture::stacked;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::ui::hooks::use_width;
use fairlane_view::ideal::{COLUMNS, paths};
use fairlane_view::{TimeAxis, shares};

#[derive(Properties, PartialEq)]
pub struct SharesProps {
    pub analysis: Shared<Analysis>,
    pub axis: TimeAxis,
    /// Height of the picture, in logical pixels.
    pub height: u32,
    /// What is to be seen, in words.
    pub label: String,
    /// Distinguishes the textures of several schedules.
    pub name: String,
}

#[component]
pub fn Shares(props: &SharesProps) -> Html {
    let plot = use_node_ref();
    let width = use_width(&plot);
    let key = (props.analysis.clone(), props.axis, props.height, width.to_bits());
    let image = use_memo(key, |(analysis, axis, height, _)| {
        let cores = analysis.trace.cores.max(1);
        let outlines = paths(&shares::held(&analysis.trace, *axis), cores);
        stacked(
            &props.name,
            &analysis.scenario,
            (COLUMNS, cores),
            (width, f64::from(*height)),
            outlines,
            Html::default(),
        )
    });
    // As with tasks, what is loaded later waits until something is to be seen.
    use_effect(first_paint::picture);
    html! {
        <div class="shares" ref={plot} role="img" aria-label={props.label.clone()}
            style={format!("height:{}px", props.height)}>{ (*image).clone() }</div>
    }
}
