//! Lessons on the page: the menu, the card with the step, what it points at.

mod card;
mod goal;
mod menu;
mod spots;

pub use card::{LessonCard, LessonCardProps};
pub use menu::{List, ListProps};
