//! How every menu of the page closes: by Escape, which gives the focus back, by a press elsewhere, and by what is
//! chosen in it. Only one is open, as they share a name.

use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent};
use yew::prelude::*;

use super::effects::use_listener;
use super::panels::focus;

const OPEN: &str = ".menu[open]";
/// What is chosen; deleting goes on in the menu.
const CHOICE: &str = ".menu[open] > div button:not(.delete, #undelete)";

/// Closes menus.
#[hook]
pub fn use_menus() {
    use_listener("keydown", (), |event: &KeyboardEvent, _: &Element, ()| {
        let Some(menu) = open_menu().filter(|_| event.key() == "Escape") else { return };
        event.prevent_default();
        focus(".menu[open] > summary");
        close(&menu);
    });
    use_listener("click", (), |_: &MouseEvent, target: &Element, ()| {
        if let Some(menu) = open_menu().filter(|_| target.closest(CHOICE).ok().flatten().is_some()) {
            close(&menu);
        }
    });
    use_listener("pointerdown", (), |_: &PointerEvent, target: &Element, ()| {
        if let Some(menu) = open_menu().filter(|menu| !menu.contains(Some(target))) {
            close(&menu);
        }
    });
}

fn open_menu() -> Option<Element> {
    gloo::utils::document().query_selector(OPEN).ok().flatten()
}

fn close(menu: &Element) {
    // It fails only for names that are none.
    let _ = menu.remove_attribute("open");
}
