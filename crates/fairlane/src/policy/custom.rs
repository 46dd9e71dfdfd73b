//! Policies that are programs in a scenario: `"policies": { "custom": { "program": "…" } }`, and others under names of
//! their own, `custom:NAME`, which run side by side.
//!
//! What runs a program is the crate `fairlane-custom`, installed once by [`install`]: a page that shows no program does
//! not load it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Context, CustomPolicy, EstimatesRead, Idling, Info, Outcomes, Policy, PolicyId, PolicyKind};
use crate::scenario::parameter::{self, declared};

/// What readers should know of the policy `custom`. What a program may do is declared of every program.
const INFO: Info = Info {
    id: ID,
    title: "Custom",
    summary: "The scenario's own program decides.",
    key: "what the program says, rank of arrival, stage id",
    parameters: declared::PROGRAM.parameters,
    estimates: EstimatesRead::Both,
    idling: Idling::OnPurpose,
    outcomes: Outcomes::Any,
    targets: true,
    ..Info::DEFAULT
};

const ID: &str = "custom";

/// The programs of a scenario, by name.
pub fn programs(scenario: &crate::scenario::Scenario) -> Vec<PolicyKind> {
    let named = scenario.parameters().iter().filter(|(_, values)| values.contains_key("program"));
    named.filter_map(|(id, _)| kind(id)).collect()
}

/// The text of a scenario's program; `None` if the scenario has none of that name.
pub fn text(scenario: &crate::scenario::Scenario, policy: PolicyKind) -> Option<&str> {
    is_program(policy).then(|| scenario.parameters().get(policy.info().id, "program"))??.as_str()
}

/// Whether a policy is a program.
pub fn is_program(kind: PolicyKind) -> bool {
    matches!(kind, PolicyKind::Custom(policy) if info(policy.0.id).is_some())
}

/// The program called `custom` or `custom:NAME`; `None` for any other name.
pub fn kind(id: &str) -> Option<PolicyKind> {
    Some(PolicyKind::Custom(CustomPolicy(info(id)?)))
}

/// What is declared of a program. Each name is kept for as long as the process runs.
fn info(id: &str) -> Option<&'static Info> {
    static NAMED: Mutex<BTreeMap<&'static str, &'static Info>> = Mutex::new(BTreeMap::new());
    if id == ID {
        return Some(&INFO);
    }
    let id = parameter::program(id)?.id;
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    Some(
        named
            .entry(id)
            .or_insert_with(|| Box::leak(Box::new(Info { id, title: &id["custom:".len()..], ..INFO }))),
    )
}

/// What is wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// The line, from 1; 0 if it is no line's fault.
    pub line: u32,
    /// The column in it, in characters from 1; 0 if it is the whole line's fault.
    pub column: u32,
    /// What is wrong and what to do, without the place.
    pub message: String,
}

impl std::error::Error for ProgramError {}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str("the program: ")?,
            (line, 0) => write!(f, "line {line} of the program: ")?,
            (line, column) => write!(f, "line {line}, column {column} of the program: ")?,
        }
        f.write_str(&self.message)
    }
}

/// A call of a function of a program, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCall {
    /// The function; empty for a program that is an expression.
    pub function: String,
    /// The lines in the order in which they ran, at most [`MAX_LINES`].
    pub lines: Vec<ProgramLine>,
    /// What it answered; empty if nothing.
    pub answer: String,
}

/// A line of a program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLine {
    /// The line, from 1.
    pub line: u32,
    /// The variables before it ran, in the order of their definition, then the state's by name, as `this.NAME`.
    pub variables: Vec<(String, String)>,
}

/// Most lines of a call that are kept.
pub const MAX_LINES: usize = 500;

/// Creates the policy of a program's text.
pub type Create = fn(&Context, text: &str, seed: u32) -> Result<Box<dyn Policy>, ProgramError>;

static CREATE: OnceLock<Create> = OnceLock::new();

/// Says what runs programs. Only the first call counts.
pub fn install(create: Create) {
    let _ = CREATE.set(create);
}

/// Why one of a scenario's programs is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    /// The scenario does not have it.
    #[error("the scenario has no program {0}; give it as policies.{0}.program")]
    Missing(&'static str),
    /// Its text is none.
    #[error("policies.{policy}.program: {error}")]
    Faulty {
        /// The policy's id.
        policy: &'static str,
        /// What is wrong.
        error: ProgramError,
    },
}

/// Creates the policy of one of the scenario's programs; `None` if it is no program, or nothing here runs programs.
pub(crate) fn create(context: &Context, policy: PolicyId) -> Result<Option<Box<dyn Policy>>, NoProgram> {
    let Some(create) = CREATE.get().filter(|_| is_program(policy.kind)) else { return Ok(None) };
    let own = policy.kind.info().own();
    let text = own.value(context.scenario, "program");
    let text = text.as_str().ok_or(NoProgram::Missing(policy.kind.info().id))?;
    let seed = own.number(context.scenario, "seed") as u32;
    let at = |error| NoProgram::Faulty { policy: policy.kind.info().id, error };
    create(context, text, seed).map(Some).map_err(at)
}
