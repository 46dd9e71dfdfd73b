//! Simulations, imports and measurements in the background: requests, the workers that answer them, their watchdog.
//!
//! May use the store, results and the browser.

pub mod handle;
pub mod import_log;
pub mod main_thread;
pub mod messages;
pub mod pool;
pub mod request;
pub mod serve;
pub mod slices;
pub mod slot;
pub mod watchdog;
