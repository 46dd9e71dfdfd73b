//! The set-up: cluster, users, pools, policies and the generator.

pub mod cluster;
pub mod drawer;
pub mod generator;
pub mod parameters;
mod places;
pub mod policies;
pub mod pools;
pub mod queue;
pub mod task_length;
pub mod users;
pub mod workload_form;
