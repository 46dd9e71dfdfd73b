//! Sharing, embedding, saving.

pub mod buttons;
pub mod embed;
pub mod export;
pub mod link;
pub mod one_document;
pub mod recovery_bar;
pub mod saved_scenarios;
