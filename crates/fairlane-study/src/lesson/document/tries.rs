//! A lesson as several students have it: whose scenario is one of those in which it is wrong.

use super::{FactSource, LessonFault, LessonFiles, Severity, check, read, read_for};

/// A fault that the lesson has in the scenarios of some students, and not in that of the generator's own seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedFault {
    /// What is wrong, as the first of these students has it.
    pub fault: LessonFault,
    /// The students, in the order in which they were tried.
    pub students: Vec<String>,
}

/// Names of students that nobody has, for trying: `student-1` and so on.
pub fn made_up_students(count: u32) -> Vec<String> {
    (1..=count).map(|number| format!("student-{number}")).collect()
}

/// Checks a lesson as each of some students has it, and says what is wrong for some that is not wrong for all, in the
/// order of lines: a goal that their own start reaches already, a solution that does not reach it, a claim that does not
/// hold. Of a lesson whose scenarios are not drawn for students there is nothing.
pub fn try_students(
    text: &str,
    files: &dyn LessonFiles,
    recorded: FactSource,
    students: &[String],
) -> Vec<TriedFault> {
    let common = check(&read(text, files), recorded).faults;
    let mut found: Vec<TriedFault> = Vec::new();
    for student in students {
        let faults = check(&read_for(text, files, student), recorded).faults;
        for fault in faults.into_iter().filter(|fault| !common.contains(fault)) {
            match found.iter_mut().find(|known| is_alike(&known.fault, &fault)) {
                Some(known) if known.students.last() == Some(student) => {}
                Some(known) => known.students.push(student.clone()),
                None => found.push(TriedFault { fault, students: vec![student.clone()] }),
            }
        }
    }
    found.sort_by_key(|found| found.fault.line);
    found
}

/// Whether two faults differ by nothing but figures.
fn is_alike(one: &LessonFault, other: &LessonFault) -> bool {
    let words = |fault: &LessonFault| -> String {
        fault.message.chars().filter(|letter| !(letter.is_ascii_digit() || *letter == '.')).collect()
    };
    one.line == other.line && one.severity == other.severity && words(one) == words(other)
}

impl TriedFault {
    /// Whether it is more than a warning.
    pub fn is_error(&self) -> bool {
        self.fault.severity == Severity::Error
    }
}
