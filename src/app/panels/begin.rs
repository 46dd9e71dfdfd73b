//! Where to begin: a hint over the lanes, until the reader has closed it once.

use yew::prelude::*;

use crate::app::storage;

/// Where the browser stores that the hint has been read.
const KEY: &str = "fairlane.begun";

#[component]
pub fn Begin() -> Html {
    let begun = use_state(|| storage::get(KEY).is_some());
    if *begun {
        return html! {};
    }
    let onclick = Callback::from(move |_: MouseEvent| {
        // What cannot be stored is shown again the next time.
        let _ = storage::set(KEY, "yes");
        begun.set(true);
    });
    html! {
        <div class="begin" role="note">
            <p>
                <b>{ "Drag a job" }</b>{ ", press " }<b>{ "Play" }</b>{ ", tick another " }<b>{ "policy" }</b>
                { ": all schedules update. Press a task to ask why." }
            </p>
            <button type="button" class="small" id="begun" {onclick}>{ "Got it" }</button>
        </div>
    }
}
