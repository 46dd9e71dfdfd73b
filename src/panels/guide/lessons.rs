//! Lessons on the page: the menu, the card with the step, what it points at.

mod card;
mod completer;
mod goal;
mod hand_in;
mod margin;
mod menu;
mod offer;
mod pointing;
mod question;
mod spots;
mod text;
mod write;

pub use card::{LessonCard, LessonCardProps};
pub use menu::List;
#[cfg(test)]
pub use menu::READ;
pub use offer::LessonOffer;
pub use write::Writer;
