//! Undo and redo over documents. Generic and without a browser, tested natively.
//!
//! The history holds earlier and undone states; the present stays with its owner, who passes it in with each
//! call, so that there is one truth.

use std::collections::VecDeque;

/// A state whose memory the history can bound.
pub trait MemorySize {
    /// Approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// How much a history keeps; beyond it the oldest steps are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryBounds {
    /// Steps back.
    pub steps: usize,
    /// Bytes of all states kept, undone ones included. The step before the present stays even if it alone is
    /// larger.
    pub bytes: usize,
}

impl Default for HistoryBounds {
    fn default() -> Self {
        HistoryBounds { steps: 200, bytes: 64 << 20 }
    }
}

/// A state to return to, and the title of the change between it and its neighbour.
#[derive(Clone, Debug, PartialEq)]
struct UndoStep<T> {
    state: T,
    title: String,
}

/// The states before the present, and those that were undone.
#[derive(Clone, Debug, PartialEq)]
pub struct History<T> {
    bounds: HistoryBounds,
    undo: VecDeque<UndoStep<T>>,
    /// The next one to redo is the last.
    redo: Vec<UndoStep<T>>,
    /// The field that the last change was made in; further changes of it belong to the same step.
    field: Option<String>,
    /// Counts the changes recorded, undone and redone.
    step: u64,
}

impl<T: MemorySize> Default for History<T> {
    fn default() -> Self {
        History::new(HistoryBounds::default())
    }
}

impl<T: MemorySize> History<T> {
    /// A history without steps.
    pub fn new(bounds: HistoryBounds) -> History<T> {
        History { bounds, undo: VecDeque::new(), redo: Vec::new(), field: None, step: 0 }
    }

    /// Records that a change of that title has just replaced `before`. Undone steps can no longer be redone.
    ///
    /// Successive changes of one `field`, such as [`Edit::field`](fairlane::scenario::Edit::field)'s, are one step:
    /// the reader is typing.
    pub fn record(&mut self, before: T, title: impl Into<String>, field: Option<String>) {
        self.redo.clear();
        if field.is_some() && field == self.field {
            return;
        }
        self.field = field;
        self.step += 1;
        self.push(UndoStep { state: before, title: title.into() });
    }

    /// The state before the last change; `now` can be redone.
    pub fn undo(&mut self, now: T) -> Option<T> {
        let UndoStep { state, title } = self.undo.pop_back()?;
        self.field = None;
        self.step += 1;
        self.redo.push(UndoStep { state: now, title });
        Some(state)
    }

    /// The state after the change that was undone last; `now` can be undone again.
    pub fn redo(&mut self, now: T) -> Option<T> {
        let UndoStep { state, title } = self.redo.pop()?;
        self.field = None;
        self.step += 1;
        self.push(UndoStep { state: now, title });
        Some(state)
    }

    /// Another number after each step, and the same while the reader goes on typing into a field.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Title of the change that [`History::undo`] would revert.
    pub fn undo_title(&self) -> Option<&str> {
        self.undo.back().map(|step| step.title.as_str())
    }

    /// Title of the change that [`History::redo`] would make again.
    pub fn redo_title(&self) -> Option<&str> {
        self.redo.last().map(|step| step.title.as_str())
    }

    fn push(&mut self, step: UndoStep<T>) {
        self.undo.push_back(step);
        while self.undo.len() > self.bounds.steps.max(1) {
            self.undo.pop_front();
        }
        let bytes = |step: &UndoStep<T>| step.state.bytes() + step.title.len();
        let mut total: usize = self.undo.iter().chain(&self.redo).map(bytes).sum();
        while total > self.bounds.bytes && self.undo.len() > 1 {
            total -= self.undo.pop_front().as_ref().map_or(0, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl MemorySize for u32 {
        fn bytes(&self) -> usize {
            10
        }
    }

    /// A page with a number on it.
    struct Page {
        now: u32,
        history: History<u32>,
    }

    impl Page {
        fn new(bounds: HistoryBounds) -> Page {
            Page { now: 0, history: History::new(bounds) }
        }

        fn change(&mut self, to: u32, field: Option<&str>) {
            let before = std::mem::replace(&mut self.now, to);
            self.history.record(before, format!("go to {to}"), field.map(str::to_owned));
        }

        fn undo(&mut self) -> u32 {
            self.now = self.history.undo(self.now).unwrap_or(self.now);
            self.now
        }

        fn redo(&mut self) -> u32 {
            self.now = self.history.redo(self.now).unwrap_or(self.now);
            self.now
        }
    }

    #[test]
    fn steps_are_undone_and_redone_in_order() {
        let mut page = Page::new(HistoryBounds::default());
        (1..=3).for_each(|to| page.change(to, None));
        assert_eq!(page.history.undo_title(), Some("go to 3"));
        assert_eq!([page.undo(), page.undo(), page.undo(), page.undo()], [2, 1, 0, 0]);
        assert_eq!((page.history.undo_title(), page.history.redo_title()), (None, Some("go to 1")));
        assert_eq!([page.redo(), page.redo()], [1, 2]);
        page.change(9, None);
        assert_eq!(page.history.redo_title(), None);
        assert_eq!([page.redo(), page.undo(), page.undo()], [9, 2, 1]);
    }

    #[test]
    fn typing_in_one_field_is_one_step() {
        let mut page = Page::new(HistoryBounds::default());
        (1..=3).for_each(|to| page.change(to, Some("work")));
        (4..=5).for_each(|to| page.change(to, Some("arrival")));
        page.change(6, None);
        page.change(7, Some("arrival"));
        assert_eq!([page.undo(), page.undo(), page.undo(), page.undo()], [6, 5, 3, 0]);
        // What is undone is not merged with.
        page.redo();
        page.change(8, Some("work"));
        assert_eq!([page.undo(), page.undo()], [3, 0]);
    }

    #[test]
    fn memory_is_bounded_by_steps_and_bytes() {
        let mut page = Page::new(HistoryBounds { steps: 3, bytes: 1000 });
        (1..=9).for_each(|to| page.change(to, None));
        assert_eq!([page.undo(), page.undo(), page.undo(), page.undo()], [8, 7, 6, 6]);
        // Room for two states with their titles of seven letters.
        let mut page = Page::new(HistoryBounds { steps: 100, bytes: 35 });
        (1..=9).for_each(|to| page.change(to, None));
        assert_eq!([page.undo(), page.undo(), page.undo()], [8, 7, 7]);
        let mut page = Page::new(HistoryBounds { steps: 0, bytes: 0 });
        (1..=9).for_each(|to| page.change(to, None));
        assert_eq!([page.undo(), page.undo(), page.redo()], [8, 8, 9]);
    }
}
