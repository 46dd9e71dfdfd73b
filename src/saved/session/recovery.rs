//! The page that the browser had saved: restored, or set aside where it cannot be. A page that does not come to its end
//! of restoring, whatever holds it up, is not restored a second time unasked: the lab can always be opened.

use std::rc::Rc;

use super::{KEY, newcomers_state};
use crate::browser::storage;
use crate::store::{Notice, Restored, State};

/// Where the page is kept that was not restored.
const ASIDE: &str = "fairlane.set-aside";
/// Since when a page is being restored, in milliseconds.
const STARTING: &str = "fairlane.starting";
/// A page that was being restored this long ago, in milliseconds, and has not said since that it was, has hung.
const HUNG_MS: f64 = 3000.0;

/// The page that this browser has saved, or the opening one if that cannot be restored; `None` if there is none.
pub(super) fn restored() -> Option<State> {
    let text = storage::get_own(KEY)?;
    let now = js_sys::Date::now();
    let since = storage::get(STARTING).and_then(|since| since.parse::<f64>().ok());
    if since.is_some_and(|since| now - since > HUNG_MS) {
        let title = "The page saved in this browser did not open the last time".to_owned();
        return Some(instead(&text, title));
    }
    // Without storage there would be nothing to restore.
    let _ = storage::set(STARTING, &now.to_string());
    Some(match State::from_stored(&text) {
        Ok(state) => state.with_restored(Restored::Yes),
        Err(error) => instead(&text, format!("The page saved in this browser {error}")),
    })
}

/// The opening page, in place of one that stopped as it was opened.
pub(super) fn stopped() -> State {
    let title = "The page saved in this browser stopped as it was opened".to_owned();
    storage::get_own(KEY).map_or_else(newcomers_state, |text| instead(&text, title))
}

/// The opening page, with what was saved set aside.
fn instead(text: &str, title: String) -> State {
    set_aside(text);
    let detail = "The opening scenario is shown instead. What was saved stays under Mine.".to_owned();
    newcomers_state().with_restored(Restored::Aside(Notice { title, detail }))
}

/// Keeps the text of a page that is not shown, in place of the one before.
pub fn set_aside(text: &str) {
    started();
    // There is room for it once.
    storage::remove_own(KEY);
    // If it fails nevertheless, what can be saved is still under Mine.
    let _ = storage::set(ASIDE, text);
}

/// The page has been restored, or is left by a reader who could leave it.
pub fn started() {
    storage::remove(STARTING);
}

/// The text of the page that was set aside, if there is one.
pub fn text() -> Option<Rc<str>> {
    storage::get(ASIDE).map(Rc::from)
}
