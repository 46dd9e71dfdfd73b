//! Text that the browser stores for this page.
//!
//! Not `gloo::storage`: its functions panic where the browser denies the page any storage, and the page must work
//! there too.

fn local() -> Option<web_sys::Storage> {
    gloo::utils::window().local_storage().ok().flatten()
}

/// The text stored under a key, if any.
pub fn get(key: &str) -> Option<String> {
    local()?.get_item(key).ok()?
}

/// Why the browser did not store a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotStored {
    /// Cookies and site data are blocked, for example.
    #[error("It denies this page storage. Save the scenario as a file to keep it.")]
    Denied,
    /// Too much is stored already.
    #[error("Its storage is full. Save the scenario as a file to keep it.")]
    Full,
}

/// Stores a text under a key.
///
/// # Errors
/// The browser does not store it.
pub fn set(key: &str, text: &str) -> Result<(), NotStored> {
    local().ok_or(NotStored::Denied)?.set_item(key, text).map_err(|_| NotStored::Full)
}

/// Removes what is stored under a key, if anything.
pub fn remove(key: &str) {
    if let Some(storage) = local() {
        // Only a missing key can fail, and that is no failure.
        let _ = storage.remove_item(key);
    }
}
