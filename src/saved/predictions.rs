//! The browser stores the answers, so that a reload loses no score.

use xxhash_rust::xxh3::xxh3_64;
use yew::prelude::*;

use crate::browser::storage;
use crate::store::{Action, Quiz, State};

/// Key of the answers, behind the hash of the scenario that they are about.
const ANSWERS: &str = "fairlane.predict";

/// Stores the answers as they change, brings those about this scenario back, and forgets them when the reader leaves.
#[hook]
pub fn use_keeping(state: &State, send: Callback<Action>) {
    let hash =
        *use_memo(state.document.clone(), |document| xxh3_64(document.scenario.to_compact_json().as_bytes()));
    use_effect_with(hash, move |hash| {
        let stored = storage::get(ANSWERS).unwrap_or_default();
        if let Some((_, answers)) = stored.split_once(' ').filter(|(of, _)| *of == format!("{hash:016x}")) {
            send.emit(Action::Answers(Quiz::answers_from(answers)));
        }
    });
    let answers = state.predict.as_ref().map(Quiz::answers_to_text).unwrap_or_default();
    use_effect_with((hash, answers), |(hash, answers)| {
        if !answers.is_empty() {
            // If the storage is full the score is lost on a reload; that nothing is stored is reported elsewhere.
            let _ = storage::set(ANSWERS, &format!("{hash:016x} {answers}"));
        }
    });
    // A reload does not come here.
    use_effect_with((), |()| || storage::remove(ANSWERS));
}
