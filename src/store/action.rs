//! What can happen to the page.

use strum::IntoStaticStr;

use super::{
    Answers, DocumentAction, Guide, Notice, PlaybackAction, PollAction, Predict, RunAction, Toast, UiAction,
    ViewAction, WelcomeAction,
};

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum Action {
    /// Something about the scenario.
    Document(DocumentAction),
    /// Something about what is shown of it.
    View(ViewAction),
    /// Something about the schedules' playing.
    Playback(PlaybackAction),
    /// Something about simulations and measurements.
    Run(RunAction),
    /// Something about what is open on the page.
    Ui(UiAction),
    /// A newcomer goes on.
    Welcome(WelcomeAction),
    /// Something about lessons.
    Guide(Guide),
    /// Something about the question to a class.
    Poll(PollAction),
    /// Something about predictions.
    Predict(Predict),
    /// The browser remembers these predictions.
    Answers(Answers),
}

/// Turns the actions of each part into actions of the page.
macro_rules! parts {
    ($($part:ident: $action:ty,)*) => {
        $(impl From<$action> for Action {
            fn from(action: $action) -> Action {
                Action::$part(action)
            }
        })*
    };
}

parts! {
    Document: DocumentAction,
    View: ViewAction,
    Playback: PlaybackAction,
    Run: RunAction,
    Ui: UiAction,
    Welcome: WelcomeAction,
    Guide: Guide,
    Poll: PollAction,
    Predict: Predict,
    Answers: Answers,
}

impl Action {
    /// Whether it changes the scenario.
    pub fn is_edit(&self) -> bool {
        matches!(self, Action::Document(action) if action.is_edit())
    }

    /// Whether the reader begins something with it: it does not happen by itself, and does not go on with a drag.
    pub fn begins_step(&self) -> bool {
        match self {
            Action::Document(action) => !action.continues_drag(),
            Action::Playback(PlaybackAction::Tick(_))
            | Action::Run(
                RunAction::Progress(..)
                | RunAction::Finished(..)
                | RunAction::AnalyzeInFull
                | RunAction::Swept(..)
                | RunAction::Checked(..),
            )
            | Action::Ui(UiAction::Opening(_) | UiAction::Warn(_) | UiAction::Toast(_))
            | Action::Guide(Guide::Explain | Guide::Reach(..))
            | Action::Predict(Predict::Found(_))
            | Action::Answers(_) => false,
            _ => true,
        }
    }

    /// What it is, for the report of a fault: nothing of the reader's files, names or texts.
    pub fn describe(&self) -> String {
        let (kind, subject): (&'static str, Option<String>) = match self {
            Action::Document(action) => (action.into(), action.subject()),
            Action::View(action) => (action.into(), action.subject()),
            Action::Playback(action) => (action.into(), None),
            Action::Run(action @ (RunAction::Finished(_, policy, _) | RunAction::Retry(policy))) => {
                (action.into(), Some(policy.to_string()))
            }
            Action::Run(action) => (action.into(), None),
            Action::Ui(action) => (action.into(), None),
            _ => (self.into(), None),
        };
        subject.map_or_else(|| kind.to_owned(), |subject| format!("{kind} {subject}"))
    }

    /// Something was done, which is shown for a moment.
    pub fn done(notice: Notice) -> Action {
        Action::Ui(UiAction::Toast(Some(Toast::Done(notice))))
    }

    /// A message to the reader; what is on the page stays.
    pub fn warn(notice: Notice) -> Action {
        Action::Ui(UiAction::Warn(notice))
    }

    /// A file could not be opened; what is on the page stays.
    pub fn not_opened(name: &str, detail: String) -> Action {
        Action::warn(Notice { title: format!("{name} was not opened; nothing has changed"), detail })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Tab;
    use crate::testing::policy;
    use fairlane::ids::UserId;
    use fairlane::scenario::edit::{Edit, ObjectPath};
    use fairlane::units::Weight;

    #[test]
    fn a_report_says_what_happened_without_the_readers_words() {
        let secret = "the secret name";
        let named = Edit::set(ObjectPath::User(UserId(2)), "name", secret);
        let added = Edit::AddUser { name: secret.to_owned(), weight: Weight::ONE };
        let steps = [
            DocumentAction::Edit(named.clone()).into(),
            DocumentAction::EditField(added).into(),
            DocumentAction::Edit(Edit::several(secret, vec![named])).into(),
            Action::not_opened(secret, secret.to_owned()),
            ViewAction::Toggle(policy("uwfq-p")).into(),
            ViewAction::Show(Tab::Charts).into(),
        ];
        let described = steps.each_ref().map(Action::describe);
        assert_eq!(
            described,
            [
                "Edit users[2].name",
                "EditField add user",
                "Edit all jobs",
                "Warn",
                "Toggle uwfq-p",
                "Show Charts"
            ]
        );
        assert_eq!(steps.each_ref().map(Action::begins_step), [true, true, true, false, true, true]);
    }
}
