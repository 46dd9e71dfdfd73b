//! The page: one store with a pure reducer, effects outside it, components that only draw.
//!
//! [`charts`], [`codec`], [`history`], [`store`], [`selectors`], [`sweep`] and [`workload_form`] know no browser and
//! are tested natively.

pub mod charts;
pub mod codec;
pub mod history;
pub mod markup;
pub mod selectors;
pub mod shared;
pub mod store;
pub mod sweep;
pub mod watchdog;
pub mod workload_form;

#[cfg(target_arch = "wasm32")]
mod address;
#[cfg(target_arch = "wasm32")]
mod background;
#[cfg(target_arch = "wasm32")]
mod clock;
#[cfg(target_arch = "wasm32")]
mod cover;
#[cfg(target_arch = "wasm32")]
pub mod deferred;
#[cfg(target_arch = "wasm32")]
mod demo;
#[cfg(target_arch = "wasm32")]
mod dropped;
#[cfg(target_arch = "wasm32")]
mod effects;
#[cfg(target_arch = "wasm32")]
pub mod fatal;
#[cfg(target_arch = "wasm32")]
mod fetched;
#[cfg(target_arch = "wasm32")]
mod heights;
#[cfg(target_arch = "wasm32")]
mod instants;
#[cfg(target_arch = "wasm32")]
mod library;
#[cfg(target_arch = "wasm32")]
pub mod log;
#[cfg(target_arch = "wasm32")]
mod panels;
#[cfg(target_arch = "wasm32")]
pub mod parts;
#[cfg(target_arch = "wasm32")]
mod persistence;
#[cfg(target_arch = "wasm32")]
pub mod picture;
#[cfg(target_arch = "wasm32")]
mod plots;
#[cfg(target_arch = "wasm32")]
mod pool;
#[cfg(target_arch = "wasm32")]
mod root;
#[cfg(target_arch = "wasm32")]
pub mod start;
#[cfg(target_arch = "wasm32")]
mod storage;
#[cfg(target_arch = "wasm32")]
mod stylesheet;
#[cfg(target_arch = "wasm32")]
mod theme;
#[cfg(target_arch = "wasm32")]
pub mod worker;
