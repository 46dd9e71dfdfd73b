//! Comments that instruct: `<!-- scene: at=3 · show: panel uwfq -->`.

use super::challenge::ChallengePart;
use super::scene::SceneText;
use super::{LessonDemo, StepTarget};
use fairlane::scenario::Edit;

/// What a comment says to do.
#[derive(Debug)]
pub(super) enum Instruction {
    /// What the page shows in the step, and what is pointed at.
    Scene(SceneText, Vec<StepTarget>),
    /// The same once the question is answered.
    Reveal(SceneText, Vec<StepTarget>),
    /// A comparison that holds.
    Claim(String),
    /// Comparisons that hold once the scenario is edited.
    Try(Vec<Edit>, Vec<String>),
    /// Algorithm 1 as a job arrives.
    Walk(String),
    /// A part of a challenge.
    Challenge(ChallengePart),
    /// The live figure of the lesson's page in the guide.
    Demo(LessonDemo),
}

/// Separates the parts of an instruction.
pub(super) const SEPARATOR: char = '·';
const NAMES: [&str; 11] =
    ["scene", "reveal", "claim", "try", "walk", "challenge", "goal", "rule", "par", "solution", "demo"];

/// Reads a comment; `None` if it is a remark for other authors.
pub(super) fn read(comment: &str) -> Option<Result<Instruction, String>> {
    let (name, rest) = comment.split_once(':')?;
    let name = name.trim();
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
        return None;
    }
    let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(match name {
        "scene" => scene(&rest).map(|(scene, targets)| Instruction::Scene(scene, targets)),
        "reveal" => scene(&rest).map(|(scene, targets)| Instruction::Reveal(scene, targets)),
        "claim" => Ok(Instruction::Claim(rest)),
        "try" => attempt(&rest),
        "walk" => Ok(Instruction::Walk(rest)),
        "demo" => demo(&rest).map(Instruction::Demo),
        "challenge" => ChallengePart::terms(&rest).map(Instruction::Challenge),
        "goal" => ChallengePart::goal(&rest).map(Instruction::Challenge),
        "rule" => ChallengePart::rule(&rest).map(Instruction::Challenge),
        "par" => ChallengePart::par(&rest).map(Instruction::Challenge),
        "solution" => ChallengePart::solution(&rest).map(Instruction::Challenge),
        other => Err(format!(
            "no instruction is called {other:?}; write {}, or a remark without a colon behind its first word",
            NAMES.join(", ")
        )),
    })
}

/// `[edits as JSON] · response uwfq report = response uwfq-p report`, with further claims behind it.
fn attempt(text: &str) -> Result<Instruction, String> {
    let usage = |what: &str| {
        format!(
            "{what}; write a list of edits and claims, such as try: [{{\"Load\":2}}] · wait fair query > 0"
        )
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Vec<Edit>>();
    let edits = values.next().ok_or_else(|| usage("nothing is to be tried"))?;
    let edits = edits.map_err(|error| usage(&error.to_string()))?;
    let claims = text[values.byte_offset()..].trim().strip_prefix(SEPARATOR);
    let claims = claims.ok_or_else(|| usage("there is no claim"))?;
    Ok(Instruction::Try(edits, claims.split(SEPARATOR).map(|claim| claim.trim().to_owned()).collect()))
}

/// `at=3 · show: panel uwfq, load uwfq`.
fn scene(text: &str) -> Result<(SceneText, Vec<StepTarget>), String> {
    let mut scene = SceneText::default();
    let mut targets = Vec::new();
    for part in text.split(SEPARATOR).map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix("show:") {
            Some(shown) => {
                targets = shown.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            None => scene = SceneText::parse(part)?,
        }
    }
    Ok((scene, targets))
}

/// `step 6 · policies=uwfq,uwfq-p&at=0 · height 490 · A skewed job with both partitionings`.
fn demo(text: &str) -> Result<LessonDemo, String> {
    let usage = || {
        "a live figure is written as demo: step 6 · policies=fifo,fair&at=0 · height 490 · what it shows"
            .to_owned()
    };
    let mut parts = text.split(SEPARATOR).map(str::trim);
    let number = |part: Option<&str>, word: &str| part?.strip_prefix(word)?.trim().parse::<u32>().ok();
    let step = number(parts.next(), "step").filter(|&step| step > 0).ok_or_else(usage)?;
    let attributes = parts.next().ok_or_else(usage)?.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    });
    let attributes: Vec<_> = attributes.collect();
    let height = number(parts.next(), "height").ok_or_else(usage)?;
    let label = parts.next().filter(|label| !label.is_empty()).ok_or_else(usage)?.to_owned();
    let is_plain = |text: &str| !text.contains(['"', '<', '>']);
    match attributes.iter().all(|(name, value)| is_plain(name) && is_plain(value)) && is_plain(&label) {
        true => Ok(LessonDemo { step: step as usize, attributes, height, label }),
        false => Err(usage()),
    }
}
