//! Fairlane.
