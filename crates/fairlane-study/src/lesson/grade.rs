//! Answer files graded: every answer is simulated again, with the scenario of the student who gave it.
//!
//! ```
//! use fairlane_study::lesson::answers::{AnswerFile, GivenAnswer, QuestionAnswer};
//! use fairlane_study::lesson::document::{NoFiles, TEMPLATE};
//! use fairlane_study::lesson::grade::Assignment;
//! let recorded = |_: &str| Err("there are no logs".to_owned());
//! let assignment = Assignment::new(TEMPLATE, &NoFiles, &recorded).expect("a sound lesson");
//! let mut file = AnswerFile::new(assignment.fingerprint(), "", "Ada");
//! file.answers.push(QuestionAnswer { step: 2, answer: GivenAnswer::Chosen(vec![2]) });
//! let grade = assignment.grade(&file.to_json()).expect("a sound file");
//! assert_eq!((grade.points(), assignment.tasks().len()), (1, 3));
//! ```

use std::rc::Rc;

use super::answers::{AnswerFile, ChallengeAnswer, Fingerprint, PlainDate, QuestionAnswer};
use super::document::{
    self, FactSource, Lesson, LessonFault, LessonFiles, LessonSeed, LessonStep, Severity, facts_of,
};
use super::{ChallengeScore, LessonFacts};
use fairlane::number;

/// A document against which answers are graded.
pub struct Assignment<'a> {
    text: &'a str,
    files: &'a dyn LessonFiles,
    recorded: FactSource<'a>,
    fingerprint: Fingerprint,
    tasks: Vec<Task>,
    /// As everybody has it whose scenarios are not drawn.
    common: Prepared,
}

/// What earns a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The number of its step, from 1.
    pub step: usize,
    /// The name of the challenge; `None` for a question.
    pub challenge: Option<String>,
}

/// The grade of an answer file.
#[derive(Clone, Debug, PartialEq)]
pub struct Grade {
    /// The student's name.
    pub student: String,
    /// The day on which the file was written, by the student's clock.
    pub handed_in: Option<PlainDate>,
    /// Whether that is after the last day.
    pub is_late: bool,
    /// What each task has earned, in the order of [`Assignment::tasks`].
    pub marks: Vec<Mark>,
    /// What whoever grades should know, such as a score that the file has and the simulator has not.
    pub remarks: Vec<String>,
}

/// What a task has earned.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Whether it was answered at all.
    pub is_answered: bool,
    /// One or none.
    pub points: u32,
    /// What was reached in a challenge under its rules, and what its solution reaches in the same scenario.
    pub reached: Option<ChallengeScore>,
    /// What the solution of the challenge reaches in the student's scenario; `None` for a question.
    pub par: Option<ChallengeScore>,
}

/// A lesson with the scenarios of its steps.
struct Prepared {
    lesson: Lesson,
    facts: Vec<Result<Rc<LessonFacts>, String>>,
    /// What the solution reaches, by step.
    pars: Vec<Option<ChallengeScore>>,
}

impl Task {
    /// A short heading: `q2` for the question of the second step, or the name of the challenge.
    pub fn label(&self) -> String {
        self.challenge.clone().unwrap_or_else(|| format!("q{}", self.step))
    }
}

impl Grade {
    /// All points.
    pub fn points(&self) -> u32 {
        self.marks.iter().map(|mark| mark.points).sum()
    }
}

impl<'a> Assignment<'a> {
    /// Prepares a document. `recorded` has the runs of logs.
    ///
    /// # Errors
    /// What is wrong with the document, errors and warnings, if one of them is an error or nothing earns a point.
    pub fn new(
        text: &'a str,
        files: &'a dyn LessonFiles,
        recorded: FactSource<'a>,
    ) -> Result<Assignment<'a>, Vec<LessonFault>> {
        let lesson = document::read(text, files);
        let mut faults: Vec<LessonFault> = lesson.faults().cloned().collect();
        let tasks: Vec<Task> =
            (1..).zip(&lesson.steps).flat_map(|(number, step)| tasks(number, step)).collect();
        if tasks.is_empty() {
            let message = "nothing earns a point; ask a question with ### or set a goal";
            faults.push(LessonFault::new(1, message));
        }
        if faults.iter().any(|fault| fault.severity == Severity::Error) {
            return Err(faults);
        }
        let fingerprint = Fingerprint::of(&lesson);
        let common = Prepared::new(lesson, recorded, None);
        Ok(Assignment { text, files, recorded, fingerprint, tasks, common })
    }

    /// The document.
    pub fn lesson(&self) -> &Lesson {
        &self.common.lesson
    }

    /// The fingerprint of what the document asks.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// What earns points, in the order of the document; in a step the question first.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Grades the text of an answer file.
    ///
    /// # Errors
    /// The file is damaged or answers another document: the place, and the remedy.
    pub fn grade(&self, text: &str) -> Result<Grade, String> {
        let file = AnswerFile::from_json(text).map_err(|error| error.to_string())?;
        if file.document != self.fingerprint {
            return Err(format!(
                "document: it answers another document, or one that asks something else ({} instead of {}); grade it \
                 with the file that was handed out",
                file.document, self.fingerprint
            ));
        }
        Ok(match self.lesson().seed {
            LessonSeed::Generator => self.graded(&file, &self.common),
            LessonSeed::Student => {
                let lesson = document::read_for(self.text, self.files, &file.student);
                self.graded(&file, &Prepared::new(lesson, self.recorded, Some(&self.common)))
            }
        })
    }

    fn graded(&self, file: &AnswerFile, prepared: &Prepared) -> Grade {
        let mut remarks = Vec::new();
        let marks = self.tasks.iter().map(|task| match &task.challenge {
            None => {
                let given = file.answers.iter().find(|answer| answer.step == task.step);
                given.map_or_else(Mark::missing, |given| prepared.question(given, &mut remarks))
            }
            Some(name) => {
                let given = file.challenges.iter().find(|answer| answer.challenge == *name);
                prepared.challenge(task.step, name, given, &mut remarks)
            }
        });
        let marks = marks.collect();
        let asks = |step: usize| self.tasks.iter().any(|task| task.step == step && task.challenge.is_none());
        for QuestionAnswer { step, .. } in file.answers.iter().filter(|answer| !asks(answer.step)) {
            remarks.push(format!("step {step}: it asks no question, and the answer is not counted"));
        }
        let is_known = |name: &str| self.tasks.iter().any(|task| task.challenge.as_deref() == Some(name));
        for answer in file.challenges.iter().filter(|answer| !is_known(&answer.challenge)) {
            let name = shown(&answer.challenge);
            remarks.push(format!("{name}: there is no such challenge, and the work is not counted"));
        }
        let due = self.lesson().due;
        let is_late = matches!((due, file.handed_in), (Some(due), Some(on)) if on > due);
        if due.is_some() && file.handed_in.is_none() {
            remarks.push("handed_in: the file has no date; see when it was received".to_owned());
        }
        Grade { student: file.student.clone(), handed_in: file.handed_in, is_late, marks, remarks }
    }
}

fn tasks(number: usize, step: &LessonStep) -> impl Iterator<Item = Task> {
    let question = step.question.is_some().then_some(Task { step: number, challenge: None });
    let challenge = step.challenge.as_ref().map(|challenge| challenge.id.clone());
    question.into_iter().chain(challenge.map(|name| Task { step: number, challenge: Some(name) }))
}

impl Mark {
    /// The mark of what was not answered.
    fn missing() -> Mark {
        Mark { is_answered: false, points: 0, reached: None, par: None }
    }
}

impl Prepared {
    /// `common`: the same document with other draws, whose scenarios that are not drawn are simulated already.
    fn new(lesson: Lesson, recorded: FactSource, common: Option<&Prepared>) -> Prepared {
        let mut facts: Vec<Result<Rc<LessonFacts>, String>> = Vec::new();
        let mut pars = Vec::new();
        for (index, step) in lesson.steps.iter().enumerate() {
            let is_same = |other: &LessonStep| other.scene.has_scenario_of(&step.scene);
            let known = common.filter(|common| common.lesson.steps.get(index).is_some_and(is_same));
            let same = lesson.steps[..index].iter().position(is_same);
            facts.push(match (known, same) {
                (Some(common), _) => common.facts[index].clone(),
                (None, Some(same)) => facts[same].clone(),
                (None, None) => facts_of(&step.scene, recorded).map(Rc::new),
            });
            pars.push(match (known, &step.challenge, &facts[index]) {
                (Some(common), ..) => common.pars[index],
                (None, Some(challenge), Ok(start)) => challenge.solved(start),
                _ => None,
            });
        }
        Prepared { lesson, facts, pars }
    }

    fn question(&self, given: &QuestionAnswer, remarks: &mut Vec<String>) -> Mark {
        let question = self.lesson.steps.get(given.step - 1).and_then(|step| step.question.as_ref());
        let facts = self.facts.get(given.step - 1);
        let (Some(question), Some(facts)) = (question, facts) else { return Mark::missing() };
        let right = match facts {
            Ok(facts) => given.answer.is_right(&question.answers, facts).map_err(|error| error.to_string()),
            Err(message) => Err(message.clone()),
        };
        let is_right = right.unwrap_or_else(|message| {
            remarks.push(format!("step {}: it cannot be judged: {message}", given.step));
            false
        });
        Mark { is_answered: true, points: is_right.into(), reached: None, par: None }
    }

    fn challenge(
        &self,
        step: usize,
        name: &str,
        given: Option<&ChallengeAnswer>,
        remarks: &mut Vec<String>,
    ) -> Mark {
        let par = self.pars.get(step - 1).copied().flatten();
        let challenge = self.lesson.steps.get(step - 1).and_then(|step| step.challenge.as_deref());
        let (Some(given), Some(challenge)) = (given, challenge) else {
            return Mark { par, ..Mark::missing() };
        };
        if par.is_none() {
            remarks.push(format!("{name}: its solution does not reach the goal in this student's scenario"));
        }
        let start =
            self.facts.get(step - 1).cloned().unwrap_or_else(|| Err("there is no such step".to_owned()));
        let reached = start.and_then(|start| {
            let scenario = given.work.scenario(start.scenario()).map_err(|error| error.to_string())?;
            Ok(challenge.judged(&start, start.of(scenario), &given.policies).score())
        });
        let reached = reached.unwrap_or_else(|message| {
            remarks.push(format!("{name}: the work cannot be simulated: {message}"));
            None
        });
        if let Some(claimed) = given.score {
            let claimed = ChallengeScore { value: claimed.value, changes: claimed.changes };
            let is_same = reached.is_some_and(|reached| {
                let digits = |score: ChallengeScore| number::three_digits(score.value);
                digits(reached) == digits(claimed) && reached.changes == claimed.changes
            });
            if !is_same {
                let reached = reached.map_or_else(|| "no success".to_owned(), words);
                let claimed = words(claimed);
                remarks.push(format!("{name}: the file says {claimed}, and the simulator {reached}"));
            }
        }
        Mark { is_answered: true, points: reached.is_some().into(), reached, par }
    }
}

/// A score for people, as three digits and the number of changes.
pub fn words(score: ChallengeScore) -> String {
    let changes = number::counted(score.changes as usize, "change");
    format!("{}, {changes}", number::three_digits(score.value))
}

/// The beginning of what somebody else has written.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
