//! Undo and redo over documents. Generic and without a browser, tested natively.
//!
//! The history holds what was and what may come again; the present stays with its owner, who hands
//! it in with each call, so that there is one truth.

use std::collections::VecDeque;
use std::rc::Rc;

/// Something whose memory the history can bound.
pub trait Weigh {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize;
}

impl<T: Weigh> Weigh for Rc<T> {
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

/// How much a history keeps; beyond it the oldest steps go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Steps back.
    pub steps: usize,
    /// Bytes of all states kept, those undone included. The step before the present stays even if
    /// it alone is larger.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { steps: 200, bytes: 64 << 20 }
    }
}

/// Whether a change goes on with the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// A step of its own.
    Never,
    /// One step with the changes directly before it that bear the same name, such as
    /// [`Edit::field`](crate::scenario::Edit::field)'s: somebody is typing.
    With(String),
}

impl From<Option<String>> for Merge {
    fn from(name: Option<String>) -> Merge {
        name.map_or(Merge::Never, Merge::With)
    }
}

/// A state to go back (or forth) to, and the change between it and its neighbour.
#[derive(Clone, Debug, PartialEq)]
struct Step<T> {
    state: T,
    title: String,
}

/// What was before the present, and what was undone.
#[derive(Clone, Debug, PartialEq)]
pub struct History<T> {
    bounds: Bounds,
    past: VecDeque<Step<T>>,
    /// The next one to redo is the last.
    future: Vec<Step<T>>,
    /// What the last change may be merged with.
    open: Merge,
    /// The state at the beginning of the drag that is under way.
    gesture: Option<Step<T>>,
}

impl<T: Clone + PartialEq + Weigh> Default for History<T> {
    fn default() -> Self {
        History::new(Bounds::default())
    }
}

impl<T: Clone + PartialEq + Weigh> History<T> {
    /// A history in which nothing has happened.
    pub fn new(bounds: Bounds) -> History<T> {
        History { bounds, past: VecDeque::new(), future: Vec::new(), open: Merge::Never, gesture: None }
    }

    /// Notes that the present has just been made from `before` by a change of that title. What was
    /// undone can no longer be redone. A drag under way takes the change in.
    pub fn record(&mut self, before: T, title: impl Into<String>, merge: Merge) {
        if self.gesture.is_some() {
            return;
        }
        self.future.clear();
        if merge != Merge::Never && merge == self.open {
            return;
        }
        self.open = merge;
        self.push(Step { state: before, title: title.into() });
    }

    /// Begins a drag at `before`: whatever happens until [`History::commit`] is one step.
    pub fn begin(&mut self, before: T, title: impl Into<String>) {
        if self.gesture.is_none() {
            self.gesture = Some(Step { state: before, title: title.into() });
        }
    }

    /// The state at the beginning of the drag under way, from which each of its moves is reckoned.
    pub fn base(&self) -> Option<&T> {
        self.gesture.as_ref().map(|step| &step.state)
    }

    /// Ends a drag at `now`; one that came back to its beginning leaves no trace.
    pub fn commit(&mut self, now: &T) {
        let Some(step) = self.gesture.take() else { return };
        if step.state != *now {
            self.future.clear();
            self.open = Merge::Never;
            self.push(step);
        }
    }

    /// Gives a drag up; the state to return to.
    pub fn cancel(&mut self) -> Option<T> {
        self.gesture.take().map(|step| step.state)
    }

    /// The state before the last change; `now` can be redone. A drag under way is given up instead.
    pub fn undo(&mut self, now: T) -> Option<T> {
        if self.gesture.is_some() {
            return self.cancel();
        }
        let Step { state, title } = self.past.pop_back()?;
        self.open = Merge::Never;
        self.future.push(Step { state: now, title });
        Some(state)
    }

    /// The state after the change that was undone last; `now` can be undone again. Not while a drag
    /// is under way.
    pub fn redo(&mut self, now: T) -> Option<T> {
        if self.gesture.is_some() {
            return None;
        }
        let Step { state, title } = self.future.pop()?;
        self.open = Merge::Never;
        self.push(Step { state: now, title });
        Some(state)
    }

    /// What undo would take back.
    pub fn undo_title(&self) -> Option<&str> {
        self.gesture.as_ref().or(self.past.back()).map(|step| step.title.as_str())
    }

    /// What redo would do again.
    pub fn redo_title(&self) -> Option<&str> {
        if self.gesture.is_some() { None } else { self.future.last().map(|step| step.title.as_str()) }
    }

    /// Ends merging: the next change is a step of its own whatever it is called. For a field that
    /// loses the focus.
    pub fn seal(&mut self) {
        self.open = Merge::Never;
    }

    fn push(&mut self, step: Step<T>) {
        self.past.push_back(step);
        while self.past.len() > self.bounds.steps.max(1) {
            self.past.pop_front();
        }
        let bytes = |step: &Step<T>| step.state.bytes() + step.title.len();
        let mut total: usize = self.past.iter().chain(&self.future).map(bytes).sum();
        while total > self.bounds.bytes && self.past.len() > 1 {
            total -= self.past.pop_front().as_ref().map_or(0, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weigh for u32 {
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
        fn new(bounds: Bounds) -> Page {
            Page { now: 0, history: History::new(bounds) }
        }

        fn change(&mut self, to: u32, merge: Merge) {
            let before = std::mem::replace(&mut self.now, to);
            self.history.record(before, format!("go to {to}"), merge);
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

    fn typing(field: &str) -> Merge {
        Merge::With(field.to_owned())
    }

    #[test]
    fn steps_are_undone_and_redone_in_order() {
        let mut page = Page::new(Bounds::default());
        (1..=3).for_each(|to| page.change(to, Merge::Never));
        assert_eq!(page.history.undo_title(), Some("go to 3"));
        assert_eq!([page.undo(), page.undo(), page.undo(), page.undo()], [2, 1, 0, 0]);
        assert_eq!((page.history.undo_title(), page.history.redo_title()), (None, Some("go to 1")));
        assert_eq!([page.redo(), page.redo()], [1, 2]);
        page.change(9, Merge::Never);
        assert_eq!(page.history.redo_title(), None);
        assert_eq!([page.redo(), page.undo(), page.undo()], [9, 2, 1]);
    }

    #[test]
    fn typing_in_one_field_is_one_step_until_it_is_left() {
        let mut page = Page::new(Bounds::default());
        (1..=3).for_each(|to| page.change(to, typing("work")));
        (4..=5).for_each(|to| page.change(to, typing("arrival")));
        page.history.seal();
        page.change(6, typing("arrival"));
        assert_eq!([page.undo(), page.undo(), page.undo()], [5, 3, 0]);
        // What is undone is not merged with.
        page.redo();
        page.change(7, typing("work"));
        assert_eq!([page.undo(), page.undo()], [3, 0]);
    }

    #[test]
    fn a_drag_is_one_step_and_none_if_it_comes_back() {
        let mut page = Page::new(Bounds::default());
        page.change(1, typing("arrival"));
        page.history.begin(page.now, "move");
        assert_eq!(page.history.base(), Some(&1));
        for to in 2..50 {
            page.change(to, typing("arrival"));
        }
        page.history.commit(&page.now);
        assert_eq!(page.history.undo_title(), Some("move"));
        assert_eq!([page.undo(), page.redo()], [1, 49]);

        page.history.begin(page.now, "move");
        page.now = 49;
        page.history.commit(&page.now);
        assert_eq!(page.undo(), 1);

        // Given up by Escape or by undo: back at its beginning, and what was undone can be redone.
        page.history.begin(page.now, "move");
        page.change(7, Merge::Never);
        assert_eq!(page.history.redo_title(), None);
        assert_eq!((page.undo(), page.redo()), (1, 49));
        assert_eq!(page.history.cancel(), None);
    }

    #[test]
    fn memory_is_bounded_by_steps_and_bytes() {
        let mut page = Page::new(Bounds { steps: 3, bytes: 1000 });
        (1..=9).for_each(|to| page.change(to, Merge::Never));
        assert_eq!([page.undo(), page.undo(), page.undo(), page.undo()], [8, 7, 6, 6]);
        // Room for two states with their titles of seven letters.
        let mut page = Page::new(Bounds { steps: 100, bytes: 35 });
        (1..=9).for_each(|to| page.change(to, Merge::Never));
        assert_eq!([page.undo(), page.undo(), page.undo()], [8, 7, 7]);
        let mut page = Page::new(Bounds { steps: 0, bytes: 0 });
        (1..=9).for_each(|to| page.change(to, Merge::Never));
        assert_eq!([page.undo(), page.undo(), page.redo()], [8, 8, 9]);
    }
}
