//! Sharing, embedding, saving.

pub mod buttons;
pub mod embed;
pub mod export;
pub mod saved_scenarios;
