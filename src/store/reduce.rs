//! What each action does to the page.

use super::predict::PredictCause;
use super::{Action, DocumentAction, Motion, State};

impl State {
    /// The state after an action.
    pub fn reduce(&self, action: impl Into<Action>) -> State {
        self.after(action.into())
    }

    fn after(&self, action: Action) -> State {
        let mut state = self.clone();
        let cause = PredictCause::of_action(&action);
        let is_undo = action == Action::Document(DocumentAction::Undo);
        match action {
            Action::Document(action) => state.change_document(action),
            Action::View(action) => state.change_view(action),
            Action::Playback(action) => state.play_back(action),
            Action::Run(action) => state.receive_results(action),
            Action::Ui(action) => state.change_ui(action),
            Action::Welcome(action) => state.welcome(action),
            Action::Guide(guide) => state.guide(guide),
            Action::Poll(action) => state.poll(action),
            Action::Predict(predict) => state.predict(predict),
            Action::Answers(answers) => state.remember(answers),
        }
        state.welcome_or_work();
        let mut state = state.with_runs();
        state.playback.reveal = state.playback.reveal.filter(|_| state.playback.motion == Motion::Playing);
        state.keep_predicting(self, cause);
        state.keep_poll(self);
        state.keep_axis(self);
        state.watch_change(self, is_undo);
        state
    }
}
