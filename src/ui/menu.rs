//! How every menu of the page closes: by Escape, which gives the focus back, by a press elsewhere, and by what is
//! chosen in it. Only one is open, as they share a name. Some are in a popover, on a narrow screen all, which closes
//! likewise.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent, PointerEvent};
use yew::prelude::*;

use crate::browser::dom::{find, is_in};
use crate::ui::focus::focus;
use crate::ui::hooks::use_listener;

const OPEN: &str = ".menu[open]";
/// What is chosen; deleting goes on in the menu.
const CHOICE: &str = ".menu[open] > div button:not(.delete, #undelete)";

/// What holds menus; on a narrow screen also what is next, and how the charts are shown.
const ALL: &str = ":is(#header-more, #further-menu, #next, #view-sheet):popover-open";
/// What is chosen in all but the last; menus unfold in the first two.
const BUTTON_OF_ALL: &str = ":is(#header-more, #next) button:not(.delete, #undelete, #further)";
const SELECT_OF_ALL: &str = "#header-more select";

/// Closes menus.
#[hook]
pub fn use_menus() {
    use_listener("keydown", (), |event: &KeyboardEvent, _: &Element, ()| {
        if event.key() != "Escape" {
            return;
        }
        if find(OPEN).is_some() {
            focus(".menu[open] > summary");
            close_menu();
        } else if !close_all() {
            return;
        }
        event.prevent_default();
    });
    use_listener("click", (), |_: &MouseEvent, target: &Element, ()| {
        if is_in(target, CHOICE) {
            close_menu();
        }
        if is_in(target, BUTTON_OF_ALL) {
            close_all();
        }
    });
    use_listener("change", (), |_: &Event, target: &Element, ()| {
        if is_in(target, SELECT_OF_ALL) {
            close_all();
        }
    });
    use_listener("pointerdown", (), |_: &PointerEvent, target: &Element, ()| {
        // One that is below it in the same popover stays under the pointer, and closes it as it opens.
        let is_beside =
            |menu: &Element| menu.closest(ALL).ok().flatten().is_some_and(|all| all.contains(Some(target)));
        if find(OPEN).is_some_and(|menu| !menu.contains(Some(target)) && !is_beside(&menu)) {
            close_menu();
        }
    });
}

/// Closes what holds all menus; whether it was open.
fn close_all() -> bool {
    let all = find(ALL).and_then(|all| all.dyn_into::<HtmlElement>().ok());
    // The browser gives the focus back.
    all.is_some_and(|all| all.hide_popover().is_ok())
}

/// Closes the menu that is open, if one is.
pub fn close_menu() {
    // It fails only for names that are none.
    let _ = find(OPEN).map(|menu| menu.remove_attribute("open"));
}
