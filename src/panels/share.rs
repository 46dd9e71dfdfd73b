//! Sharing, embedding, saving.

pub mod buttons;
pub mod embed;
pub mod export;
pub mod link;
pub mod saved_scenarios;
pub mod set_aside;
