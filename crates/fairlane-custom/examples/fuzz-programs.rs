//! Random and mutated programs: each gives a sound schedule or an error, never a panic, and in a bounded time.
//!
//! `fuzz-programs --seconds 60`, or `--programs 1000000`, from `--seed 1`.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use clap::Parser;
use fairlane::engine::{Control, simulate_observed};
use fairlane::policy::PolicyId;
use fairlane::scenario::Edit;
use fairlane::trace::check;
use fairlane_custom::names::NAMES;
use fairlane_custom::starters::STARTERS;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Longer than any program takes that the limits stop, in an unoptimised build on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// What programs are put together from, besides names.
const WORDS: &[&str] = &[
    "fn key(stage) {",
    "fn cap(job) {",
    "fn on_launch(stage) {",
    "fn on_arrival(job) {",
    "fn on_start() {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "#{",
    ":",
    ",",
    ";",
    ".",
    "=",
    "+=",
    "==",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&&",
    "||",
    "!",
    "if",
    "else",
    "while",
    "loop",
    "for",
    "in",
    "break",
    "return",
    "let x =",
    "x",
    "this",
    "this.x",
    "stage",
    "job",
    "user",
    "stage.job",
    "stage.note",
    "job.note",
    "users()",
    "random()",
    "wake(now, 1)",
    "start(job)",
    "drop(job)",
    "\"text\"",
    "\"wait\"",
    "0",
    "1",
    "0.0",
    "1e300",
    "9223372036854775807",
    "-1",
    "()",
    "true",
    "..",
    "|x|",
    "sqrt(",
    "min(",
    "push(",
    "const period = 1.0;",
    "const keys = \"each launch\";",
    "\n",
    "//",
    "/*",
    "`${x}`",
    "é",
];

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Programs, instead of seconds.
    #[arg(long)]
    programs: Option<u64>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        (self.0.next_u64() % most.max(1) as u64) as usize
    }

    fn word(&mut self) -> &'static str {
        match self.below(3) {
            0 => NAMES[self.below(NAMES.len())].name,
            _ => WORDS[self.below(WORDS.len())],
        }
    }

    /// Words in a row, or a starter with some of its words exchanged, left out, doubled or moved.
    fn program(&mut self) -> String {
        if self.below(4) == 0 {
            let words = (0..1 + self.below(30)).map(|_| self.word()).collect::<Vec<_>>();
            return words.join(" ");
        }
        let mut letters: Vec<char> = STARTERS[self.below(STARTERS.len())].program.chars().collect();
        for _ in 0..1 + self.below(4) {
            let at = self.below(letters.len());
            let end = (at + 1 + self.below(12)).min(letters.len());
            match self.below(4) {
                0 => drop(letters.drain(at..end)),
                1 => letters[at..end].reverse(),
                2 => {
                    let copy = letters[at..end].to_vec();
                    let to = self.below(letters.len());
                    drop(letters.splice(to..to, copy));
                }
                _ => {
                    let word = format!(" {} ", self.word());
                    drop(letters.splice(at..at, word.chars()));
                }
            }
        }
        letters.into_iter().collect()
    }
}

fn main() {
    fairlane_custom::install();
    let arguments = Arguments::parse();
    let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
    let policy: PolicyId = "custom".parse().expect("a policy");
    let mut random = Random(ChaCha8Rng::seed_from_u64(arguments.seed));
    let (begin, mut count, mut sound, mut slowest) = (Instant::now(), 0_u64, 0_u64, Duration::ZERO);
    let goes_on = |count: u64| match arguments.programs {
        Some(programs) => count < programs,
        None => begin.elapsed() < Duration::from_secs(arguments.seconds),
    };
    while goes_on(count) {
        let program = random.program();
        let started = Instant::now();
        let with =
            scenario.with(&Edit::parameter("custom", "program", program.as_str())).expect("a short program");
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            simulate_observed(&with, policy, &mut |_| Control::Continue)
        }));
        match result {
            Ok(Ok(trace)) => {
                assert_eq!(check(&with, &trace), Ok(()), "{program}");
                sound += 1;
            }
            Ok(Err(_)) => {}
            Err(_) => panic!("program {count} from seed {} panics:\n{program}", arguments.seed),
        }
        assert!(started.elapsed() < LONGEST, "takes {:?}:\n{program}", started.elapsed());
        slowest = slowest.max(started.elapsed());
        count += 1;
    }
    println!("{count} programs, {sound} of them gave schedules, the slowest took {slowest:?}");
}
