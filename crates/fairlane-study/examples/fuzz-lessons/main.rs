//! Damaged lessons and damaged answer files: faults with a line, never a panic, and in a bounded time.
//!
//! `fuzz-lessons --seconds 40`, or `--cases 100000`, from `--seed 1`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use clap::Parser;
use fairlane_study::lesson::LessonFacts;
use fairlane_study::lesson::document::{self, NoFiles, TEMPLATE};
use fairlane_study::lesson::grade::Assignment;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

/// Longer than any case takes, in an unoptimised build on a busy machine: a lesson asks for a few simulations, each of
/// which ends after a bounded number of events.
const LONGEST: Duration = Duration::from_secs(120);

/// A lesson with a question of each kind, a challenge, and a scenario that each student's name draws.
const HOMEWORK: &str = include_str!("homework.md");
/// Answers to it, but for its fingerprint.
const ANSWERS: &str = include_str!("answers.json");

/// Sound documents.
const DOCUMENTS: [&str; 5] = [
    TEMPLATE,
    HOMEWORK,
    include_str!("../../../../examples/lessons/who-is-late.md"),
    include_str!("../../../../lessons/skew.md"),
    include_str!("../../../../lessons/challenges.md"),
];

/// What a careless editor, a broken transfer or somebody with bad intentions puts into files.
const SCRAPS: &[&str] = &[
    "---\n",
    "## ",
    "### ",
    "- [ ] ",
    "- [x] ",
    "- [=] {",
    "{",
    "}",
    "\"",
    "[",
    "]",
    ":",
    ",",
    "{cores}",
    "{response uwfq report @ atr 0.001}",
    "<!-- ",
    " -->",
    "<!-- scene: at=1e300 -->",
    "<!-- claim: ",
    "<!-- goal: a: cores <= 1 -->",
    "<!-- solution: uwfq · [{\"Load\":1e9}] -->",
    "policies=fifo,fair,ujf,cfq,uwfq,uwfq-p&",
    "\n\n",
    "```json one\n",
    "null",
    "-1",
    "0",
    "1e9",
    "18446744073709551616",
    "99999999",
    "0.000001",
    "NaN",
    "seed: student\n",
    "due: 2026-13-99\n",
    "sha256:",
    "\u{0}",
    "\u{feff}",
    "ä",
    "\\u0000",
    "\r\n",
    "& ",
    " · ",
];

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 40)]
    seconds: u64,
    /// Cases, instead of seconds.
    #[arg(long)]
    cases: Option<u64>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        (self.0.next_u64() % most.max(1) as u64) as usize
    }

    /// A text with some parts left out, doubled, moved or exchanged.
    fn damaged(&mut self, text: &str) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.below(5) {
            let at = self.below(letters.len());
            let end = (at + 1 + self.below(40)).min(letters.len());
            match self.below(6) {
                0 => drop(letters.drain(at..end)),
                1 => letters[at..end].reverse(),
                2 => {
                    let copy = letters[at..end].to_vec();
                    let to = self.below(letters.len());
                    drop(letters.splice(to..to, copy));
                }
                // A number that is another one.
                3 => match letters.iter().skip(at).position(char::is_ascii_digit) {
                    Some(digit) => letters[at + digit] = char::from(b'0' + self.below(10) as u8),
                    None => letters.truncate(at),
                },
                4 => letters.truncate(at.max(1)),
                _ => {
                    let scrap = SCRAPS[self.below(SCRAPS.len())];
                    drop(letters.splice(at..at, scrap.chars()));
                }
            }
            if letters.is_empty() {
                letters.push(' ');
            }
        }
        letters.into_iter().collect()
    }

    /// JSON with one of its values exchanged, if it is some.
    fn exchanged(&mut self, text: &str) -> String {
        let Ok(mut file) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
        let mut place = &mut file;
        for _ in 0..1 + self.below(6) {
            let count = match &*place {
                Value::Array(items) => items.len(),
                Value::Object(fields) => fields.len(),
                _ => 0,
            };
            if count == 0 {
                break;
            }
            let index = self.below(count);
            place = match place {
                Value::Array(items) => &mut items[index],
                Value::Object(fields) => fields.values_mut().nth(index).expect("a field"),
                _ => break,
            };
        }
        let scrap = SCRAPS[self.below(SCRAPS.len())];
        *place = serde_json::from_str(scrap).unwrap_or_else(|_| Value::from(scrap));
        file.to_string()
    }
}

fn no_log(name: &str) -> Result<LessonFacts, String> {
    Err(format!("the log {name} is not here; copy it beside the lesson"))
}

/// Reads and checks a document, for everybody and for a student.
fn check_document(text: &str) -> usize {
    let lines = text.lines().count() + 1;
    let mut count = 0;
    for lesson in [document::read(text, &NoFiles), document::read_for(text, &NoFiles, "Ada")] {
        let checked = document::check(&lesson, &no_log);
        for fault in &checked.faults {
            assert!((1..=lines).contains(&fault.line), "{fault}, of {lines} lines");
            assert!(!fault.message.is_empty(), "line {}: nothing is said", fault.line);
        }
        let _ = checked.to_text(&lesson);
        count += checked.faults.len();
    }
    count
}

/// Grades an answer file.
fn check_answers(assignment: &Assignment, text: &str) -> usize {
    match assignment.grade(text) {
        Ok(grade) => {
            assert_eq!(grade.marks.len(), assignment.tasks().len());
            assert!(grade.points() as usize <= assignment.tasks().len());
            grade.remarks.len()
        }
        Err(message) => {
            let is_json = serde_json::from_str::<Value>(text).is_ok();
            let has_place = message.contains("line ") || is_json || text.trim().is_empty();
            assert!(has_place && !message.is_empty(), "no line: {message}");
            1
        }
    }
}

fn main() {
    fairlane_custom::install();
    let arguments = Arguments::parse();
    let assignment = Assignment::new(HOMEWORK, &NoFiles, &no_log).expect("a sound lesson");
    let answers = ANSWERS.replace("FINGERPRINT", &assignment.fingerprint().to_string());
    let whole = assignment.grade(&answers).expect("sound answers");
    assert_eq!(
        (whole.points() as usize, whole.remarks.as_slice()),
        (assignment.tasks().len(), [].as_slice())
    );
    // What is still to be written of the template is a fault of its own.
    let written = TEMPLATE.replace("TODO", "Here");
    for text in [&written, HOMEWORK] {
        assert_eq!(check_document(text), 0, "{text}");
    }
    let mut random = Random(ChaCha8Rng::seed_from_u64(arguments.seed));
    let (begin, mut count, mut faults, mut slowest) = (Instant::now(), 0_u64, 0, Duration::ZERO);
    let goes_on = |count: u64| match arguments.cases {
        Some(cases) => count < cases,
        None => begin.elapsed() < Duration::from_secs(arguments.seconds),
    };
    while goes_on(count) {
        let is_document = random.below(2) == 0;
        let text = match (is_document, random.below(2)) {
            (true, _) => {
                let document = DOCUMENTS[random.below(DOCUMENTS.len())];
                random.damaged(document)
            }
            (false, 0) => random.damaged(&answers),
            (false, _) => random.exchanged(&answers),
        };
        let started = Instant::now();
        let found = catch_unwind(AssertUnwindSafe(|| match is_document {
            true => check_document(&text),
            false => check_answers(&assignment, &text),
        }));
        match found {
            Ok(found) => faults += found,
            Err(_) => panic!("case {count} from seed {} fails:\n{text}", arguments.seed),
        }
        assert!(started.elapsed() < LONGEST, "takes {:?}:\n{text}", started.elapsed());
        slowest = slowest.max(started.elapsed());
        count += 1;
    }
    println!("{count} damaged lessons and answer files, {faults} faults named, the slowest took {slowest:?}");
}
