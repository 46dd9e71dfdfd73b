//! A walk over the page: whatever can be pressed, dragged, typed into or chosen, in any order, on three screens. After
//! each step there is no error, nothing is cut off or lies over something else, and now and then Play and Undo must work.
//!
//! A walk is a seed: the same one does the same. `FAIRLANE_WALK_SEEDS=10..40` walks others than those of the test
//! command, `FAIRLANE_WALK_STEPS=500` goes further.

use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use e2e::{Key, Lab, Look, Site, Value, json};

use crate::steps::READY;

/// How many steps a walk has, and which walks the test command takes on each screen.
const STEPS: usize = 50;
const SEEDS: Range<u64> = 0..3;
/// After how many steps Play and Undo are tried.
const PROBE_EVERY: usize = 12;

/// What the walks start with: parts of addresses, and files to open.
const STARTS: [&str; 12] = [
    "",
    "#catalog:paper-scenario-1",
    "#lesson:what-the-network-found/3",
    "#catalog:macro",
    "#catalog:skew&tab=why",
    "hostile.json",
    "#catalog:spark-pools",
    "prog.json",
    "uwfq-late-top.json",
    "#catalog:two-users&tab=job",
    "esc.json",
    "#catalog:priority-inversion&tab=charts",
];

/// What is typed into fields: sensible, and absurd.
const TEXTS: [&str; 16] = [
    "3",
    "0.5",
    "12",
    "1000",
    "a name",
    "",
    "-1",
    "0",
    "1e308",
    "NaN",
    "999999999999999999999",
    "<b>bold</b> & \"quoted\"",
    "=1+1",
    "\u{202e}right to left \u{1f680}",
    "a-very-long-name-without-any-place-to-break-it-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on",
    "1,5",
];

/// Keys of the page, and those that move about in it.
const KEYS: [&str; 18] = [
    " ", "p", "?", "+", "-", "0", "[", "]", "v", "Left", "Right", "Up", "Down", "Tab", "Enter", "Escape",
    "Undo", "Redo",
];

/// The screens: a large and a small laptop's window, and a telephone.
const SCREENS: [Look; 3] =
    [Look::DESK.sized(1440, 900), Look::DESK.sized(1024, 768), Look::PHONE.sized(390, 844)];

/// What a reader does.
#[derive(Clone, Debug)]
enum Deed {
    Press { css: String, at: (f64, f64), name: String },
    Drag { css: String, from: (f64, f64), by: (f64, f64) },
    Wheel { css: String, by: (f64, f64), modifiers: u8 },
    Fill { css: String, text: &'static str },
    Pick { css: String, index: u64 },
    Key(&'static str),
    Reload,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deed::Press { name, at, .. } => write!(f, "press {name} at {:.2}, {:.2}", at.0, at.1),
            Deed::Drag { css, from, by } => {
                write!(f, "drag {css} at {:.2}, {:.2} by {:.0}, {:.0} px", from.0, from.1, by.0, by.1)
            }
            Deed::Wheel { css, by, modifiers } => {
                write!(f, "turn the wheel over {css} by {:.0}, {:.0} px, modifiers {modifiers}", by.0, by.1)
            }
            Deed::Fill { css, text } => write!(f, "type {text:?} into {css}"),
            Deed::Pick { css, index } => write!(f, "choose number {index} of {css}"),
            Deed::Key(key) => write!(f, "key {key:?}"),
            Deed::Reload => f.write_str("reload"),
        }
    }
}

/// Random numbers (SplitMix64; Steele, Lea and Flood 2014, figure 17).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.fraction() * count as f64) as usize
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What the walks need: a script for the page, and files to open.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/page/walk")
}

/// A browser that walks over the page.
struct Walker {
    lab: Lab,
    touch: bool,
}

impl Walker {
    fn new(site: &Site, look: Look) -> Walker {
        let lab = Lab::blank(site, look);
        let source = std::fs::read_to_string(folder().join("walk.js")).expect("the walk's script");
        lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        Walker { lab, touch: look.touch }
    }

    /// Opens the page as a newcomer who follows a link or opens a file.
    fn start(&self, start: &str) {
        let is_file = !start.is_empty() && !start.starts_with('#');
        self.lab.goto("fairlane.svg");
        self.lab
            .eval("(localStorage.clear(), sessionStorage.clear(), indexedDB.deleteDatabase('fairlane'), 0)");
        self.lab.goto(if is_file { "#catalog:skew" } else { start });
        self.lab.wait_until(READY);
        // A finger that swipes would go back to what was there before the page.
        self.lab.cdp("Page.resetNavigationHistory", json!({}));
        if is_file {
            self.lab.upload("#file", folder().join("starts").join(start));
            self.lab.wait_until(&format!("document.querySelector('#title').value !== 'Skew' && {READY}"));
        }
    }

    /// What a reader could do next.
    fn choose(&self, random: &mut Random) -> Option<Deed> {
        if random.below(10) == 0 {
            return Some(Deed::Key(random.one_of(&KEYS)));
        }
        if random.below(60) == 0 {
            return Some(Deed::Reload);
        }
        let place = |random: &mut Random| random.one_of(&[0.1, 0.5, 0.5, 0.5, 0.9]);
        let at = (place(random), place(random));
        let chosen = self.lab.eval(&format!(
            "walk.choose({}, {}, {}, {})",
            random.fraction(),
            random.fraction(),
            at.0,
            at.1
        ));
        let css = chosen["css"].as_str()?.to_owned();
        let by = ((random.fraction() - 0.5) * 600.0, (random.fraction() - 0.5) * 200.0);
        let options = chosen["options"].as_u64().unwrap_or_default();
        Some(match chosen["type"].as_str()? {
            "select" => Deed::Pick { css, index: random.below(options as usize) as u64 },
            "text" | "search" | "number" | "textarea" if random.below(4) > 0 => {
                Deed::Fill { css, text: random.one_of(&TEXTS) }
            }
            _ => match random.below(10) {
                0 | 1 => Deed::Drag { css, from: at, by },
                2 => Deed::Wheel { css, by, modifiers: random.one_of(&[0, 2, 8, 1]) },
                _ => Deed::Press { css, at, name: chosen["name"].as_str().unwrap_or_default().to_owned() },
            },
        })
    }

    /// Does it, where that is possible still.
    fn perform(&self, deed: &Deed) {
        let point = |css: &str, at: (f64, f64)| {
            let point = self.lab.eval(&format!("walk.point({}, {}, {})", json!(css), at.0, at.1));
            Some((point[0].as_f64()?, point[1].as_f64()?))
        };
        match deed {
            Deed::Press { css, at, .. } => {
                if let Some(at) = point(css, *at) {
                    self.pointer("Pressed", at);
                    self.pointer("Released", at);
                }
            }
            Deed::Drag { css, from, by } => {
                if let Some(from) = point(css, *from) {
                    self.pointer("Pressed", from);
                    let along = |part: f64| (from.0 + part * by.0, from.1 + part * by.1);
                    for part in [0.02, 0.3, 0.7, 1.0] {
                        self.pointer("Moved", along(part));
                    }
                    self.pointer("Released", along(1.0));
                }
            }
            Deed::Wheel { css, by, modifiers } => {
                if let Some((x, y)) = point(css, (0.5, 0.5)) {
                    self.lab.cdp(
                        "Input.dispatchMouseEvent",
                        json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": by.0, "deltaY": by.1,
                            "modifiers": modifiers }),
                    );
                }
            }
            Deed::Fill { css, text } => {
                if point(css, (0.5, 0.5)).is_some() {
                    self.lab.eval(&format!("(walk.fill({}, {}), 0)", json!(css), json!(text)));
                    self.lab.press(Key::Return);
                }
            }
            Deed::Pick { css, index } => {
                if point(css, (0.5, 0.5)).is_some() {
                    self.lab.eval(&format!("(walk.pick({}, {index}), 0)", json!(css)));
                }
            }
            Deed::Key(key) => self.key(key),
            Deed::Reload => {
                self.lab.reload();
                self.lab.wait_until(READY);
            }
        }
    }

    fn key(&self, key: &str) {
        match key {
            "Left" => self.lab.press(Key::Left),
            "Right" => self.lab.press(Key::Right),
            "Up" => self.lab.press(Key::Up),
            "Down" => self.lab.press(Key::Down),
            "Tab" => self.lab.press(Key::Tab),
            "Enter" => self.lab.press(Key::Enter),
            "Escape" => self.lab.press(Key::Escape),
            "Undo" => self.lab.chord(Key::Control + "z"),
            "Redo" => self.lab.chord(format!("{}{}z", char::from(Key::Control), char::from(Key::Shift))),
            letter => self.lab.press(letter),
        }
    }

    /// A mouse, or a finger.
    fn pointer(&self, kind: &str, (x, y): (f64, f64)) {
        if self.touch {
            let (kind, points) = match kind {
                "Pressed" => ("touchStart", json!([{ "x": x, "y": y }])),
                "Moved" => ("touchMove", json!([{ "x": x, "y": y }])),
                _ => ("touchEnd", json!([])),
            };
            self.lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        } else {
            let held = if kind == "Pressed" { 1 } else { 0 };
            let parameters = json!({ "type": format!("mouse{kind}"), "x": x, "y": y, "button": "left",
                "buttons": if kind == "Released" { 0 } else { 1 }, "clickCount": held.max(1) });
            self.lab.cdp("Input.dispatchMouseEvent", parameters);
        }
    }

    /// What is wrong with the page.
    fn faults(&self, is_probed: bool) -> Vec<String> {
        let probe = if is_probed { "...await walk.probe(), " } else { "" };
        let found = self.lab.eval(&format!("(async () => [{probe}...await walk.check()])()"));
        found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Does everything again; what is wrong then.
    fn replay(&self, start: &str, deeds: &[Deed]) -> Vec<String> {
        let again = AssertUnwindSafe(|| {
            self.start(start);
            for deed in deeds {
                self.perform(deed);
                let faults = self.faults(false);
                if !faults.is_empty() {
                    return faults;
                }
            }
            self.faults(true)
        });
        catch_unwind(again).unwrap_or_else(|_| vec!["the browser does not answer".to_owned()])
    }
}

/// What a fault is about, whatever the numbers in it.
fn kind(fault: &str) -> &str {
    fault.split(':').next().unwrap_or(fault)
}

/// The fewest last deeds of a trail that lead to such a fault by themselves, or all.
fn shrunk(walker: &Walker, start: &str, trail: &[Deed], fault: &str) -> Vec<Deed> {
    let lengths = (0..).map(|power| 1_usize << power).take_while(|length| *length < trail.len());
    for length in lengths {
        let last = &trail[trail.len() - length..];
        if walker.replay(start, last).iter().any(|found| kind(found) == kind(fault)) {
            return last.to_vec();
        }
    }
    trail.to_vec()
}

/// Takes one walk: how many steps it had, or what went wrong and by what.
fn walk(walker: &Walker, seed: u64, screen: usize, steps: usize) -> Result<usize, String> {
    let start = STARTS[(seed as usize * SCREENS.len() + screen) % STARTS.len()];
    let mut random = Random(seed * 1000 + screen as u64);
    let mut trail = Vec::new();
    let gone = catch_unwind(AssertUnwindSafe(|| {
        walker.start(start);
        let mut faults = walker.faults(false);
        while faults.is_empty() && trail.len() < steps {
            let Some(deed) = walker.choose(&mut random) else {
                return vec!["there is nothing to press".to_owned()];
            };
            trail.push(deed.clone());
            walker.perform(&deed);
            faults = walker.faults(trail.len().is_multiple_of(PROBE_EVERY) || trail.len() == steps);
        }
        faults
    }));
    let faults = gone.unwrap_or_else(|_| vec!["the browser does not answer".to_owned()]);
    let Some(fault) = faults.first() else { return Ok(trail.len()) };
    let short = shrunk(walker, start, &trail, fault);
    let lines: Vec<String> = short.iter().map(|deed| format!("  {deed}")).collect();
    Err(format!(
        "seed {seed} on screen {screen}, start {start:?}, step {}: {}\nThese {} steps:\n{}",
        trail.len(),
        faults.join("\n"),
        short.len(),
        lines.join("\n")
    ))
}

/// Takes the walks of one screen.
#[track_caller]
fn walks(screen: usize) {
    let number = |name: &str| std::env::var(name).ok();
    let seeds = number("FAIRLANE_WALK_SEEDS").and_then(|text| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let steps = number("FAIRLANE_WALK_STEPS").and_then(|text| text.parse().ok()).unwrap_or(STEPS);
    let seeds: Range<u64> = seeds.unwrap_or(SEEDS);
    let (site, started) = (Site::dist(), Instant::now());
    let walker = Walker::new(&site, SCREENS[screen]);
    let mut done = 0;
    let mut failures = Vec::new();
    for seed in seeds.clone() {
        match walk(&walker, seed, screen, steps) {
            Ok(steps) => done += steps,
            Err(failure) => failures.push(failure),
        }
    }
    let look = SCREENS[screen];
    println!(
        "{} x {}: {done} steps of seeds {seeds:?} in {:.0} s without a fault",
        look.width,
        look.height,
        started.elapsed().as_secs_f64()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_walk_on_a_large_screen_finds_nothing_wrong() {
    walks(0);
}

#[test]
fn a_walk_on_a_small_screen_finds_nothing_wrong() {
    walks(1);
}

#[test]
fn a_walk_on_a_telephone_finds_nothing_wrong() {
    walks(2);
}
