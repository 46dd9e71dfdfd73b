//! The table of ratios as Markdown.

use std::fmt::Write;

use e2e::bench::Figure;
use fairlane::PolicyKind;
use fairlane_benches::workload::{ADVERSE, LITERAL, WAITING};
use fairlane_benches::yardstick::Yardstick;

use super::native::Figures;
use super::wasm::Wasm;

/// The kinds of size, each with what is the same for all.
pub const SIZES: [(&str, &str); 5] = [
    ("tasks", "jobs of 100 tasks, 32 users, 32 cores"),
    ("jobs", "jobs of 10 tasks, 32 users, 32 cores"),
    ("users", "10 000 jobs of 10 tasks, 32 cores"),
    ("stages", "stages per job; 10 000 stages of 10 tasks, 32 users, 32 cores"),
    ("cores", "1000 jobs of 100 tasks, 32 users"),
];

const BEGIN: &str = "<!-- figures -->";
const END: &str = "<!-- end of figures -->";

/// The text with what stands between its marks replaced.
pub fn replaced(text: &str, by: &str) -> Result<String, String> {
    let (before, rest) = text.split_once(BEGIN).ok_or(format!("the README has no mark {BEGIN}"))?;
    let (_, after) = rest.split_once(END).ok_or(format!("the README has no mark {END}"))?;
    Ok(format!("{before}{BEGIN}\n\n{}\n{END}{after}", by.trim_end()))
}

/// All tables.
pub fn write(native: &Figures, wasm: &Wasm, peak: &str, page: &[(&str, Vec<Figure>)]) -> String {
    let mut text = String::new();
    let written = policies(&mut text, native, wasm)
        .and_then(|()| memory(&mut text, native, peak))
        .and_then(|()| sizes(&mut text, native))
        .and_then(|()| adverse(&mut text, native))
        .and_then(|()| found_out(&mut text, native))
        .and_then(|()| pages(&mut text, page));
    written.expect("text takes every line");
    text
}

/// All policies, by id.
fn ids() -> impl Iterator<Item = &'static str> {
    PolicyKind::ALL.iter().map(|kind| kind.info().id)
}

/// Millions per second of nanoseconds each.
fn millions(nanoseconds: f64) -> f64 {
    1e3 / nanoseconds
}

fn policies(to: &mut String, native: &Figures, wasm: &Wasm) -> std::fmt::Result {
    let bare = native.get("yardstick", Yardstick::Binary.name());
    let fifo = native.get("policies", "fifo/usual");
    writeln!(
        to,
        "### Policies, 10^6 tasks, 32 cores, 32 users\n\nMillions of tasks per second of one core, trace included.\n"
    )?;
    writeln!(
        to,
        "| | native | std heap loop = 1 | FIFO = 1 | jump, ms | Chromium | Node | Chromium / native |"
    )?;
    writeln!(to, "|---|---|---|---|---|---|---|---|")?;
    for yardstick in Yardstick::ALL {
        let name = yardstick.name();
        let figure = native.get("yardstick", name);
        row(to, name, [figure, bare / figure, f64::NAN, f64::NAN], wasm)?;
    }
    for policy in ids() {
        let figure = native.get("policies", &format!("{policy}/usual"));
        let jump = native.get("jumps", &format!("{policy}/jump")) / 1e6;
        row(to, policy, [figure, bare / figure, fifo / figure, jump], wasm)?;
    }
    Ok(())
}

fn row(to: &mut String, name: &str, [figure, bare, fifo, jump]: [f64; 4], wasm: &Wasm) -> std::fmt::Result {
    let rate = |rates: &super::wasm::Rates| rates.get(name).map_or(f64::NAN, |rate| rate / 1e6);
    let (chromium, node) = (rate(&wasm.chromium), rate(&wasm.node));
    writeln!(
        to,
        "| {name} | {} | {} | {} | {} | {} | {} | {} |",
        shown(millions(figure)),
        shown(bare),
        shown(fifo),
        shown(jump),
        shown(chromium),
        shown(node),
        shown(chromium / millions(figure)),
    )
}

fn memory(to: &mut String, native: &Figures, peak: &str) -> std::fmt::Result {
    writeln!(to, "\nMemory of a whole simulation, trace included: {peak}.\n")?;
    writeln!(to, "### UWFQ against the reference implementation\n\nNanoseconds per task.\n")?;
    writeln!(to, "| | O(log n) | reference | ratio |\n|---|---|---|---|")?;
    for (name, _) in LITERAL {
        let [quick, walk] =
            ["uwfq", "reference"].map(|way| native.get("reference UWFQ", &format!("{way}/{name}")));
        writeln!(to, "| {name} | {} | {} | {} |", shown(quick), shown(walk), shown(walk / quick))?;
    }
    writeln!(to)
}

fn sizes(to: &mut String, native: &Figures) -> std::fmt::Result {
    for (what, rest) in SIZES {
        let lines: Vec<_> = ids().map(|policy| (policy, native.sizes(what, policy))).collect();
        writeln!(to, "### Time by number of {what}\n\nNanoseconds per task; {rest}.\n")?;
        let head: Vec<String> = lines[0].1.iter().map(|(size, _)| size.to_string()).collect();
        writeln!(to, "| | {} | last / first |\n|---|{}---|", head.join(" | "), "---|".repeat(head.len()))?;
        for (policy, line) in &lines {
            let figures: Vec<String> = line.iter().map(|&(_, figure)| shown(figure)).collect();
            let growth = match (line.first(), line.last()) {
                (Some(first), Some(last)) => last.1 / first.1,
                _ => f64::NAN,
            };
            writeln!(to, "| {policy} | {} | {} |", figures.join(" | "), shown(growth))?;
        }
        writeln!(to, "\n![Nanoseconds per task over {what}](plots/{what}.svg)\n")?;
    }
    Ok(())
}

fn adverse(to: &mut String, native: &Figures) -> std::fmt::Result {
    writeln!(
        to,
        "### Adverse workloads\n\nNanoseconds per task, and in parentheses the ratio to the policy's usual time.\n"
    )?;
    let names = ADVERSE.map(|(name, _)| name);
    writeln!(to, "| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()))?;
    for policy in ids() {
        write!(to, "| {policy} |")?;
        let usual = native.get("policies", &format!("{policy}/usual"));
        for name in names {
            let figure = native.get("adverse", &format!("{policy}/{name}"));
            write!(to, " {} ({}) |", shown(figure), shown(figure / usual))?;
        }
        writeln!(to)?;
    }
    Ok(())
}

fn found_out(to: &mut String, native: &Figures) -> std::fmt::Result {
    writeln!(
        to,
        "\n### Analyses of schedules with many waiting stages\n\nNanoseconds per task, by jobs of 10 tasks.\n"
    )?;
    writeln!(to, "| | 1000 | 10000 | 100000 | last / first |\n|---|---|---|---|---|")?;
    for (name, _) in WAITING {
        for what in ["inversions, cfq", "inversions, uwfq", "stragglers", "check", "queue index"] {
            let figures = native.sizes("found out", &format!("{what}, {name}"));
            let [first, middle, last] =
                [0, 1, 2].map(|place| figures.get(place).map_or(f64::NAN, |&(_, figure)| figure));
            let figures = [first, middle, last, last / first].map(shown).join(" | ");
            writeln!(to, "| {what}: {name} | {figures} |")?;
        }
    }
    Ok(())
}

fn pages(to: &mut String, page: &[(&str, Vec<Figure>)]) -> std::fmt::Result {
    for (part, figures) in page.iter().filter(|(_, figures)| !figures.is_empty()) {
        writeln!(to, "\n### The page: {part}\n\n| | | | at most |\n|---|---|---|---|")?;
        for figure in figures {
            let limit = figure.limit.map_or(String::new(), |limit| {
                format!("{limit}{}", if figure.is_kept() { "" } else { " (over)" })
            });
            writeln!(to, "| {} | {} | {} | {limit} |", figure.name, shown(figure.value), figure.unit)?;
        }
    }
    Ok(())
}

/// Three digits, or a dash for what was not measured.
fn shown(figure: f64) -> String {
    if !figure.is_finite() {
        return "–".to_owned();
    }
    let digits = if figure >= 100.0 {
        0
    } else if figure >= 10.0 {
        1
    } else {
        2
    };
    format!("{figure:.digits$}")
}
