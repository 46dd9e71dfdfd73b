//! What the page needs of the lessons before their texts are loaded: names and scenes.

use super::{CHALLENGES, GuessState, Lesson, LessonScene, LessonStep, TOURS};

/// The most steps of a lesson.
const MOST_STEPS: usize = 9;

/// A lesson without its texts.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// Name in links and in the browser's storage.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// How many steps there are.
    pub step_count: usize,
    steps: [Option<StepOutline>; MOST_STEPS],
}

/// A step without its texts.
#[derive(Clone, Copy, Debug)]
pub struct StepOutline {
    /// What the page shows.
    pub scene: LessonScene,
    /// Whether it asks a question.
    pub asks: bool,
    /// What the page shows once the question is answered, if that is something else.
    pub reveal: Option<LessonScene>,
}

impl StepOutline {
    /// What the page shows.
    pub fn shown(&self, guess: GuessState) -> &LessonScene {
        match &self.reveal {
            Some(scene) if guess == GuessState::Answered => scene,
            _ => &self.scene,
        }
    }

    const fn from_step(step: &LessonStep) -> StepOutline {
        let (asks, reveal) = match &step.guess {
            Some(guess) => match &guess.reveal {
                Some(reveal) => (true, Some(reveal.scene)),
                None => (true, None),
            },
            None => (false, None),
        };
        StepOutline { scene: step.scene, asks, reveal }
    }
}

impl Outline {
    /// A step, by index; the last if there are fewer.
    pub fn step(&self, index: usize) -> &StepOutline {
        self.steps[index.min(self.step_count - 1)].as_ref().expect("as many as step_count are there")
    }

    const fn from_lesson(lesson: &Lesson) -> Outline {
        let mut steps = [None; MOST_STEPS];
        let mut index = 0;
        while index < lesson.steps.len() {
            steps[index] = Some(StepOutline::from_step(&lesson.steps[index]));
            index += 1;
        }
        Outline { id: lesson.id, title: lesson.title, step_count: lesson.steps.len(), steps }
    }
}

/// The outlines of the lessons, by index, and of the challenges behind them. They are computed when the program is compiled: whoever uses only these does
/// not refer to the texts, which the page loads later.
pub static OUTLINES: [Outline; TOURS.len()] = {
    let mut outlines = [Outline::from_lesson(&TOURS[0]); TOURS.len()];
    let mut index = 1;
    while index < outlines.len() {
        outlines[index] = Outline::from_lesson(&TOURS[index]);
        index += 1;
    }
    outlines
};

/// The names of the challenges, in their order; without their texts, as the outlines.
pub(super) static CHALLENGE_IDS: [&str; CHALLENGES.len()] = {
    let mut ids = [""; CHALLENGES.len()];
    let mut index = 0;
    while index < ids.len() {
        ids[index] = CHALLENGES[index].id;
        index += 1;
    }
    ids
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_agree_with_the_tours() {
        for (lesson, outline) in TOURS.iter().zip(&OUTLINES) {
            assert_eq!(
                (lesson.id, lesson.title, lesson.steps.len()),
                (outline.id, outline.title, outline.step_count)
            );
            for (index, step) in lesson.steps.iter().enumerate() {
                for state in [GuessState::Open, GuessState::Answered] {
                    let (scene, _) = step.shown(state);
                    assert_eq!(format!("{scene:?}"), format!("{:?}", outline.step(index).shown(state)));
                }
                assert_eq!(step.guess.is_some(), outline.step(index).asks);
            }
        }
    }
}
