//! Text that the browser stores for this page.
//!
//! Not `gloo::storage`: its functions panic where the browser denies the page any storage, and the page must work
//! there too.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DomException, Storage};

/// What all tabs share.
fn local() -> Option<Storage> {
    gloo::utils::window().local_storage().ok().flatten()
}

/// What this tab has for itself, also after a reload.
fn tab() -> Option<Storage> {
    gloo::utils::window().session_storage().ok().flatten()
}

fn read(storage: Option<Storage>, key: &str) -> Option<String> {
    storage?.get_item(key).ok()?
}

/// The text stored under a key, if any.
pub fn get(key: &str) -> Option<String> {
    read(local(), key)
}

/// Why the browser did not store something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotStored {
    /// Cookies and site data are blocked, for example.
    #[error(
        "This browser denies the page storage. Allow this site's data in the browser's settings, or save the \
             scenario as a file to keep it."
    )]
    Denied,
    /// Too much is stored already.
    #[error(
        "This browser's storage is full. Delete what you no longer need, or save the scenario as a file to keep it."
    )]
    Full,
    /// What is stored was written by a later version of this page.
    #[error(
        "A newer version of Fairlane has stored scenarios in this browser, and this one does not touch them. Reload the \
             page to get the newer version, or save the scenario as a file to keep it."
    )]
    Newer,
    /// What is stored cannot be opened.
    #[error(
        "What this browser has stored for the page is damaged. Save the scenario as a file to keep it, then delete \
             this site's data in the browser's settings."
    )]
    Damaged,
}

impl NotStored {
    /// The fault that the browser names.
    pub fn named(name: &str) -> NotStored {
        let named = |names: &[&str]| names.iter().any(|known| name.contains(known));
        if named(&["VersionError"]) {
            NotStored::Newer
        } else if named(&["Quota"]) {
            NotStored::Full
        } else if named(&["NotFoundError", "UnknownError", "DataError"]) {
            NotStored::Damaged
        } else {
            NotStored::Denied
        }
    }
}

fn write(storage: Option<Storage>, key: &str, text: &str) -> Result<(), NotStored> {
    let fault = |error: JsValue| match error.dyn_ref::<DomException>() {
        Some(error) => NotStored::named(&error.name()),
        None => NotStored::Denied,
    };
    storage.ok_or(NotStored::Denied)?.set_item(key, text).map_err(fault)
}

fn take(storage: Option<Storage>, key: &str) {
    if let Some(storage) = storage {
        // Only a missing key can fail, and that is no failure.
        let _ = storage.remove_item(key);
    }
}

/// Stores a text under a key.
///
/// # Errors
/// The browser does not store it.
pub fn set(key: &str, text: &str) -> Result<(), NotStored> {
    write(local(), key, text)
}

/// Removes what is stored under a key, if anything.
pub fn remove(key: &str) {
    take(local(), key);
}

/// Set in a tab that has stored something for itself.
const OWN: &str = "fairlane.tab";

/// The text that this tab has stored under a key; in a tab that has stored nothing yet, what another one stored last.
pub fn get_own(key: &str) -> Option<String> {
    match read(tab(), OWN) {
        Some(_) => read(tab(), key),
        None => get(key),
    }
}

/// Stores a text for this tab, and for a tab that begins.
///
/// # Errors
/// The browser does not store it.
pub fn set_own(key: &str, text: &str) -> Result<(), NotStored> {
    let shared = set(key, text);
    // Without it a reload brings what any tab stored last.
    if write(tab(), OWN, "yes").and_then(|()| write(tab(), key, text)).is_err() {
        take(tab(), OWN);
    }
    shared
}

/// Removes what this tab has stored under a key, also for a tab that begins.
pub fn remove_own(key: &str) {
    remove(key);
    take(tab(), key);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What browsers call it; each has a sentence of its own.
    #[test]
    fn every_fault_is_said_by_its_name() {
        let cases = [
            ("DOM exception: VersionError: The requested version (1) is less than …", NotStored::Newer),
            ("QuotaExceededError", NotStored::Full),
            ("NS_ERROR_DOM_QUOTA_REACHED is not what it is called any more: Quota", NotStored::Full),
            ("DOM exception: UnknownError: Internal error opening backing store", NotStored::Damaged),
            ("failed to open new transaction: NotFoundError: …", NotStored::Damaged),
            ("SecurityError", NotStored::Denied),
            ("InvalidStateError: A mutation operation was attempted on a database …", NotStored::Denied),
            ("indexed db not found", NotStored::Denied),
        ];
        let mut sentences = std::collections::BTreeSet::new();
        for (name, fault) in cases {
            assert_eq!(NotStored::named(name), fault, "{name}");
            sentences.insert(fault.to_string());
        }
        assert_eq!(sentences.len(), 4);
    }
}
