//! What a step points at.

use std::fmt;
use std::str::FromStr;

/// Something on the page that a step points at. Displays as in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepTarget {
    /// All lanes.
    Lanes,
    /// A user's lane.
    Lane(String),
    /// A job's block in its lane.
    Job(String),
    /// A policy's panel.
    Panel(String),
    /// Running and waiting tasks by user at the playhead, in a policy's panel.
    Load(String),
    /// A chosen job's bar from arrival to finish, in a policy's panel.
    Response(String),
    /// A policy in the list, named without suffix or with it.
    Policy(String),
    /// The table of the pools of Spark's scheduler.
    Pools,
    /// The button that begins a program.
    Write,
    /// The advisory task runtime.
    Atr,
    /// The switch that marks priority inversion.
    MarkInversion,
    /// The switch that marks stragglers.
    MarkSkew,
    /// The jobs that can be dragged into a lane.
    Palette,
    /// Figures by policy.
    Overview,
    /// Figures by policy and user.
    ByUser,
    /// The ranked queue.
    Queue,
    /// The sentence that says why the first goes first.
    Reason,
    /// The plot of virtual time and deadlines.
    VirtualTime,
    /// The bars of a stage's input.
    SkewBars,
    /// The job's estimate in its editor.
    Estimate,
}

/// The targets without a name, each with its word in documents.
const WORDS: [(StepTarget, &str); 14] = [
    (StepTarget::Lanes, "lanes"),
    (StepTarget::Pools, "pools"),
    (StepTarget::Write, "write"),
    (StepTarget::Atr, "atr"),
    (StepTarget::MarkInversion, "mark-inversion"),
    (StepTarget::MarkSkew, "mark-skew"),
    (StepTarget::Palette, "palette"),
    (StepTarget::Overview, "overview"),
    (StepTarget::ByUser, "by-user"),
    (StepTarget::Queue, "queue"),
    (StepTarget::Reason, "reason"),
    (StepTarget::VirtualTime, "virtual-time"),
    (StepTarget::SkewBars, "skew-bars"),
    (StepTarget::Estimate, "estimate"),
];

/// A target of something that has a name.
type NamedTarget = fn(String) -> StepTarget;

/// The targets with a name, each with its word in documents.
const NAMED: [(NamedTarget, &str); 6] = [
    (StepTarget::Lane, "lane"),
    (StepTarget::Job, "job"),
    (StepTarget::Panel, "panel"),
    (StepTarget::Load, "load"),
    (StepTarget::Response, "response"),
    (StepTarget::Policy, "policy"),
];

impl FromStr for StepTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<StepTarget, String> {
        let text = text.trim();
        if let Some((target, _)) = WORDS.iter().find(|(_, word)| *word == text) {
            return Ok(target.clone());
        }
        let named = text.split_once(' ').and_then(|(word, name)| {
            let (target, _) = NAMED.iter().find(|(_, known)| *known == word)?;
            Some(target(name.trim().to_owned()))
        });
        named.ok_or_else(|| {
            let named = NAMED.iter().map(|(_, word)| format!("{word} NAME"));
            let words: Vec<String> = WORDS.iter().map(|(_, word)| (*word).to_owned()).chain(named).collect();
            format!("nothing to show is called {text:?}; choose among {}", words.join(", "))
        })
    }
}

impl fmt::Display for StepTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, name) = match self {
            StepTarget::Lane(name) => ("lane", name),
            StepTarget::Job(name) => ("job", name),
            StepTarget::Panel(name) => ("panel", name),
            StepTarget::Load(name) => ("load", name),
            StepTarget::Response(name) => ("response", name),
            StepTarget::Policy(name) => ("policy", name),
            other => {
                let (_, word) = WORDS.iter().find(|(target, _)| target == other).unwrap_or(&WORDS[0]);
                return f.write_str(word);
            }
        };
        write!(f, "{word} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_as_it_is_written() {
        let named = NAMED.iter().map(|(target, _)| target("q22 2 GB".to_owned()));
        for target in WORDS.iter().map(|(target, _)| target.clone()).chain(named) {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        let fault = "panels uwfq".parse::<StepTarget>().unwrap_err();
        assert!(fault.contains("\"panels uwfq\"") && fault.contains("panel NAME"), "{fault}");
    }
}
