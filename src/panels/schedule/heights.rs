//! How tall the rows of the charts are.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::store::{Heights, State};
use crate::ui::hooks::use_size;
use fairlane::scenario::Cluster;
use fairlane_view::gantt::ChartRows;

/// Heights of low and tall rows over those that a cluster's size suggests, and the bounds of what fits.
const COMPACT: f64 = 0.7;
const LARGE: f64 = 1.5;
const FIT: (f64, f64) = (0.25, 3.0);
const FIT_STEP: f64 = 0.02;
/// The least height of a chart for which low rows give way, in logical pixels: beside it are a name, a mean, and what
/// waits next.
const LOWEST_PX: f64 = 76.0;
/// Messages above the schedules.
const NOTICES: &str = ".lab > :is(.notice, .opening)";
/// What stays free below the last panel, in logical pixels.
const BELOW_PX: f64 = 24.0;

/// The factor by which rows are taller than a cluster's size suggests. To fit, it is what the stage has room for; low rows
/// `give_way` where that brings all panels into view. `panels`: how many have a chart. `is_whole`: whether what is below
/// them is there.
#[hook]
pub fn use_rows_zoom(state: &State, panels: usize, give_way: bool, is_whole: bool) -> f64 {
    let room = use_state_eq(|| 0.0);
    let settled = state.runs.values().filter(|run| run.analysis.is_some()).count();
    let heights = state.rows();
    let fits = heights == Heights::Fit || (give_way && heights == Heights::Compact);
    let size = use_state_eq(|| 0.0_f64);
    {
        let size = size.setter();
        use_size(|| gloo::utils::document().get_element_by_id("stage"), move |area| size.set(area.height()));
    }
    {
        let (room, scenario) = (room.setter(), state.document.scenario.clone());
        use_effect_with(
            (fits, heights, panels, settled, *size, scenario.users().len(), is_whole),
            move |&(fits, heights, ..)| {
                if let Some(fitting) = fits.then(|| fitting(scenario.cluster(), heights)).flatten() {
                    room.set(fitting);
                }
            },
        );
    }
    match heights {
        Heights::Compact if give_way && *room > 0.0 => {
            let height = ChartRows::of_cluster(state.document.scenario.cluster(), 1.0).height;
            room.max(LOWEST_PX / f64::from(height.max(1)))
        }
        Heights::Compact => COMPACT,
        Heights::Fit if *room > 0.0 => *room,
        Heights::Fit => COMPACT,
        Heights::Large => LARGE,
    }
}

/// The factor by which the rows of a cluster's charts are to be taller; `None` while there are no panels. To fit, the
/// panels fill the stage. Low rows are not a pixel taller than that, and taller than usual only as far as what is below
/// the panels stays in view, if it was.
fn fitting(cluster: &Cluster, heights: Heights) -> Option<f64> {
    // What the charts take now, and what is left below or lacks.
    let stage = gloo::utils::document().get_element_by_id("stage")?;
    let area = |css: &str| Some(stage.query_selector(css).ok()??.get_bounding_client_rect());
    let charts = ".panels [data-state] .chart :is(canvas, .shares)[role=img]";
    let count = stage.query_selector_all(charts).map_or(1, |charts| charts.length().max(1));
    let canvas = area(charts)?;
    // A message comes and goes, and the rows stay as they are.
    let messages = gloo::utils::document().query_selector_all(NOTICES).ok()?;
    let messages = (0..messages.length()).filter_map(|index| messages.get(index)?.dyn_into::<Element>().ok());
    let messages: f64 = messages.map(|message| message.get_bounding_client_rect().height()).sum();
    let height = |zoom: f64| f64::from(ChartRows::of_cluster(cluster, zoom).height);
    let ending_with = |css: &str| {
        let end = area(css)?.bottom() + f64::from(stage.scroll_top());
        let left = stage.get_bounding_client_rect().bottom() + messages - end - BELOW_PX;
        let each = canvas.height() + left / f64::from(count);
        let mut zoom = (each / height(1.0)).clamp(FIT.0, FIT.1);
        // Rows are whole pixels high, so a chart may be taller than it would be in proportion.
        while heights == Heights::Compact && height(zoom) > each && zoom > FIT.0 {
            zoom -= FIT_STEP;
        }
        Some(zoom)
    };
    let panels = ending_with(".panels > :last-child")?;
    match heights {
        Heights::Compact => {
            let whole = ending_with(".about").filter(|zoom| *zoom >= COMPACT);
            Some(whole.unwrap_or(panels).min(LARGE))
        }
        Heights::Fit | Heights::Large => Some(panels),
    }
}
