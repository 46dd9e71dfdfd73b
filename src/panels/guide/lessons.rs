//! Lessons on the page: the menu, the card with the step, what it points at, and what is stored.

mod card;
mod goal;
mod menu;
mod spots;

pub use crate::saved::lessons::{first_state, use_keeping};
pub use card::{LessonCard, LessonCardProps};
pub use menu::{List, ListProps};
