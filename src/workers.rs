//! Simulations, imports and measurements in the background: the queue, the requests, the workers that answer them and
//! their watchdog.
//!
//! Uses `browser`, `results` and `store`.

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
pub mod work;
