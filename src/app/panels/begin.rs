//! Where to begin: a line over the lanes, until the reader has had it once.

use yew::prelude::*;

/// Where the browser keeps that the line has been read.
const KEY: &str = "fairlane.begun";

#[component]
pub fn Begin() -> Html {
    let storage = || gloo::utils::window().local_storage().ok().flatten();
    let begun = use_state(|| storage().is_some_and(|storage| matches!(storage.get_item(KEY), Ok(Some(_)))));
    if *begun {
        return html! {};
    }
    let onclick = Callback::from(move |_: MouseEvent| {
        if let Some(storage) = storage() {
            // What cannot be kept is asked again the next time.
            let _ = storage.set_item(KEY, "yes");
        }
        begun.set(true);
    });
    html! {
        <div class="begin" role="note">
            <p>
                <b>{ "Drag a job" }</b>{ ", press " }<b>{ "Play" }</b>{ ", tick another " }<b>{ "policy" }</b>
                { ": all schedules follow. Press a task to ask why." }
            </p>
            <button type="button" class="small" id="begun" {onclick}>{ "Got it" }</button>
        </div>
    }
}
