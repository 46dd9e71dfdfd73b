//! The ruler over the lanes and the schedules, on which the playhead is moved.

use yew::prelude::*;

use crate::panels::{TICKS, seeking};
use crate::store::{Action, PlaybackAction};
use crate::ui::send::use_send;
use fairlane_view::TimeAxis;
use fairlane_view::axis::Tick;

#[derive(Properties, PartialEq)]
pub struct RulerProps {
    pub axis: TimeAxis,
    /// Set to the element that is as wide as the schedules.
    #[prop_or_default]
    pub plot: NodeRef,
}

/// Times at round instants; a press or a drag among them moves the playhead.
#[component]
pub fn Ruler(props: &RulerProps) -> Html {
    let RulerProps { axis, plot } = props;
    let (onpointerdown, onpointermove) = use_seeking(*axis);
    let time = |tick: &Tick| {
        html! { <span class="label" style={format!("--x:{:.4}", tick.fraction)}>{ &tick.label }</span> }
    };
    html! {
        <div class="axis row" title="Press or drag here to move the playhead">
            <div class="gutter"></div>
            <div class="plot" ref={plot} {onpointerdown} {onpointermove}>{ for axis.ticks(TICKS).iter().map(time) }</div>
        </div>
    }
}

/// What a press on a plot does, and what a drag does: they move the playhead. The same as before for as long as they do
/// the same, so that a lane nothing happens to stays as it is.
#[hook]
pub(super) fn use_seeking(axis: TimeAxis) -> (Callback<PointerEvent>, Callback<PointerEvent>) {
    let send: Callback<Action> = use_send();
    let both = use_memo((axis, send), |(axis, send)| {
        let axis = *axis;
        seeking(&send.reform(move |fraction| Action::Playback(PlaybackAction::Seek(axis.time(fraction)))))
    });
    (*both).clone()
}
