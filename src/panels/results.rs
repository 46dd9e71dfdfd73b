//! What came out: comparisons, differences, charts, reasons, imported logs.

pub mod charts;
pub mod compare;
pub mod differences;
pub mod inspector;
pub mod log;
pub mod properties;
pub mod why;
