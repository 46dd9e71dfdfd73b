//! Numbers that tell pages, records and workers apart.

/// A number that nobody else draws.
pub fn drawn() -> u64 {
    // Without random numbers the clock tells pages apart nearly as well.
    getrandom::u64().unwrap_or_else(|_| js_sys::Date::now() as u64)
}
