//! The command: runs inputs on all cores, watches their time, and replays one.

use std::fs;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::check::{self, Counts};
use crate::files::{self, Files};
use crate::memory;
use crate::stories::Stories;

/// The longest that one input may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Parser)]
#[command(about = "Imports damaged event logs: each becomes a scenario with a sound report, or is refused")]
struct Args {
    /// Stop after this many seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Stop after this many inputs, however long it takes
    #[arg(long, value_name = "NUMBER")]
    inputs: Option<u64>,
    /// The seed of all inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first input's number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    from: u64,
    /// Run one input alone
    #[arg(long, value_name = "NUMBER")]
    input: Option<u64>,
    /// Write the files of that input to this folder
    #[arg(long, value_name = "FOLDER", requires = "input")]
    keep: Option<PathBuf>,
    /// Threads [default: one for each core]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

/// The files of an input.
fn input(stories: &Stories, seed: u64, number: u64) -> (Files, ChaCha8Rng) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    (files::input(stories, &mut random), random)
}

/// What a thread works on: the input's number, and when it began, in ms since the start; `IDLE` for nothing.
struct Work {
    number: AtomicU64,
    since: AtomicU64,
}

const IDLE: u64 = u64::MAX;

pub(crate) fn main() {
    let args = Args::parse();
    let stories = Stories::recorded();
    if let Some(number) = args.input {
        return replay(&args, &stories, number);
    }
    let threads = args.threads.or(thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (start, next, done) = (Instant::now(), AtomicU64::new(args.from), AtomicBool::new(false));
    let work: Vec<Work> =
        (0..threads).map(|_| Work { number: AtomicU64::new(IDLE), since: AtomicU64::new(0) }).collect();
    let total = Mutex::new(Counts::default());
    let elapsed_ms = || start.elapsed().as_millis() as u64;
    let ends = |number: u64| match args.inputs {
        Some(inputs) => number >= args.from + inputs,
        None => start.elapsed() >= Duration::from_secs(args.seconds),
    };
    thread::scope(|scope| {
        let workers: Vec<_> = work
            .iter()
            .map(|work| {
                scope.spawn(|| {
                    let mut counts = Counts::default();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if ends(number) {
                            break;
                        }
                        work.since.store(elapsed_ms(), Ordering::Relaxed);
                        work.number.store(number, Ordering::Release);
                        one(&stories, args.seed, number, &mut counts);
                        work.number.store(IDLE, Ordering::Release);
                    }
                    total.lock().expect("no thread panics").add(&counts);
                })
            })
            .collect();
        let done = &done;
        let watch = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                for work in &work {
                    let number = work.number.load(Ordering::Acquire);
                    let since = work.since.load(Ordering::Relaxed);
                    if number != IDLE && elapsed_ms().saturating_sub(since) > PATIENCE.as_millis() as u64 {
                        failed(args.seed, number, &format!("takes more than {} s", PATIENCE.as_secs()));
                    }
                }
                thread::sleep(Duration::from_millis(100));
            }
        });
        for worker in workers {
            worker.join().expect("failures end the process");
        }
        done.store(true, Ordering::Release);
        watch.join().expect("it only watches");
    });
    let counts = total.into_inner().expect("no thread panics");
    println!("{}", counts.text(args.seed, start.elapsed()));
}

/// Runs an input; ends the process if it fails.
fn one(stories: &Stories, seed: u64, number: u64, counts: &mut Counts) {
    let checked = panic::catch_unwind(AssertUnwindSafe(|| {
        let (files, mut random) = input(stories, seed, number);
        memory::watch(seed, number);
        let checked = check::import(&files, &mut random, counts);
        counts.most_bytes = memory::peak().max(counts.most_bytes);
        checked
    }));
    match checked {
        Ok(Ok(())) => {}
        Ok(Err(message)) => failed(seed, number, &message),
        Err(_) => failed(seed, number, "panics"),
    }
}

fn failed(seed: u64, number: u64, message: &str) -> ! {
    let message: String = message.chars().take(400).collect();
    eprintln!("\ninput {number} of seed {seed} {message}\nReplay it: {}", memory::Replay(seed, number));
    process::exit(1);
}

/// Runs one input and says what became of it.
fn replay(args: &Args, stories: &Stories, number: u64) {
    let (files, _) = input(stories, args.seed, number);
    for (name, bytes) in &files.files {
        println!("{name}: {} bytes", bytes.len());
        if let Some(folder) = &args.keep {
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(name), bytes));
            written.unwrap_or_else(|error| failed(args.seed, number, &format!("is not written: {error}")));
        }
    }
    println!("{}", files.story);
    let started = Instant::now();
    let mut counts = Counts::default();
    one(stories, args.seed, number, &mut counts);
    println!("{}", counts.text(args.seed, started.elapsed()));
}
