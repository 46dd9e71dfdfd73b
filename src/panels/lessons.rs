//! Lessons on the page: the menu, the card with the step, what it points at, and what is stored.

mod card;
mod goal;
mod keep;
mod menu;
mod spots;

pub use card::{LessonCard, LessonCardProps};
pub use keep::{first_state, use_keeping};
pub use menu::{List, ListProps};
