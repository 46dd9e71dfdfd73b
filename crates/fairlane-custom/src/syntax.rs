//! What a program mentions, found in its syntax tree before it runs: names, functions, loops, and mistakes that would
//! otherwise show only when the line is reached.

use std::collections::BTreeSet;

use fairlane::policy::ProgramError;
use rhai::{AST, ASTNode, Expr, FnCallExpr, Position, Stmt};

use crate::error::at;
use crate::names::{NAMES, Name, Subject, Unit, find};

/// The functions that Fairlane calls, with the number of their arguments and their head.
pub const FUNCTIONS: &[(&str, usize, &str)] = &[
    ("key", 1, "fn key(stage)"),
    ("cap", 1, "fn cap(job)"),
    ("target", 1, "fn target(job)"),
    ("on_start", 0, "fn on_start()"),
    ("on_arrival", 1, "fn on_arrival(job)"),
    ("on_submission", 1, "fn on_submission(stage)"),
    ("on_launch", 1, "fn on_launch(stage)"),
    ("on_task_end", 1, "fn on_task_end(stage)"),
    ("on_stage_end", 1, "fn on_stage_end(stage)"),
    ("on_job_end", 1, "fn on_job_end(job)"),
    ("on_wake", 1, "fn on_wake(token)"),
    ("on_tick", 0, "fn on_tick()"),
];

/// Methods that change nothing.
const PURE: &[&str] = &[
    "all", "contains", "filter", "find", "get", "index_of", "is_empty", "keys", "len", "map", "reduce",
    "some", "values",
];

/// A part of a key as the program writes it down.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: String,
    pub unit: Unit,
    pub position: Position,
}

/// A function of the program, or its statements outside of functions.
#[derive(Clone, Default)]
struct Body {
    name: String,
    arguments: Vec<String>,
    begin: Position,
    end: Position,
    /// Variables that it defines, and those that it reads.
    defined: Vec<(String, Position)>,
    read: Vec<(String, Position)>,
    /// Functions that it calls, those as methods of the state, and where it changes the state.
    called: BTreeSet<String>,
    methods: Vec<(String, Position)>,
    changes: Option<Position>,
    reads_state: bool,
    calls_itself: Option<Position>,
    first_loop: Option<Position>,
}

/// What a program mentions.
#[derive(Clone)]
pub(crate) struct Syntax {
    bodies: Vec<Body>,
    /// The maps that it writes down.
    pub maps: Vec<Vec<Part>>,
    /// Properties and variables.
    mentioned: BTreeSet<String>,
}

fn place(position: Position) -> (usize, usize) {
    (position.line().unwrap_or(0), position.position().unwrap_or(0))
}

fn unit_of(expression: &Expr) -> Unit {
    let name = match expression {
        Expr::Variable(variable, ..) => variable.1.as_str(),
        Expr::Dot(chain, ..) => match &chain.rhs {
            Expr::Property(property, _) => property.2.as_str(),
            Expr::Dot(chain, ..) => match &chain.rhs {
                Expr::Property(property, _) => property.2.as_str(),
                _ => return Unit::None,
            },
            _ => return Unit::None,
        },
        _ => return Unit::None,
    };
    NAMES.iter().find(|known| known.name == name).map_or(Unit::None, |known| known.unit)
}

impl Syntax {
    pub fn new(ast: &AST) -> Syntax {
        let outside = Body { begin: Position::new(1, 1), ..Body::default() };
        let functions = ast.iter_fn_def().map(|function| Body {
            name: function.name.to_string(),
            arguments: function.params.iter().map(ToString::to_string).collect(),
            begin: function.body.start_position(),
            end: function.body.end_position(),
            ..Body::default()
        });
        let mut bodies: Vec<Body> = [outside].into_iter().chain(functions).collect();
        // The order of the text, not that of a hash.
        bodies[1..].sort_by_key(|body| place(body.begin));
        let mut syntax = Syntax { bodies: Vec::new(), maps: Vec::new(), mentioned: BTreeSet::new() };
        ast.walk(&mut |path: &[ASTNode]| {
            let (Some(first), Some(last)) = (path.first(), path.last()) else { return true };
            let at = place(first.position());
            // The innermost function around the statement.
            let around = bodies
                .iter_mut()
                .rev()
                .find(|body| body.name.is_empty() || (place(body.begin)..=place(body.end)).contains(&at));
            if let Some(body) = around {
                match last {
                    ASTNode::Stmt(statement) => read_statement(body, statement),
                    ASTNode::Expr(expression) => syntax.read_expression(body, expression),
                    _ => {}
                }
            }
            true
        });
        syntax.maps.sort_by_key(|parts| parts.first().map(|part| place(part.position)));
        Syntax { bodies, ..syntax }
    }

    fn read_expression(&mut self, body: &mut Body, expression: &Expr) {
        match expression {
            Expr::Map(map, _) => self.maps.push(
                map.0
                    .iter()
                    .map(|(name, value)| Part {
                        name: name.name.to_string(),
                        unit: unit_of(value),
                        position: name.pos,
                    })
                    .collect(),
            ),
            Expr::Variable(variable, _, position) => {
                self.mentioned.insert(variable.1.to_string());
                body.read.push((variable.1.to_string(), *position));
            }
            Expr::Property(property, _) => {
                self.mentioned.insert(property.2.to_string());
            }
            Expr::ThisPtr(_) => body.reads_state = true,
            Expr::FnCall(call, position) => {
                read_call(body, call, *position);
            }
            Expr::MethodCall(call, _) => {
                body.called.insert(call.name.to_string());
            }
            Expr::Dot(chain, ..) | Expr::Index(chain, ..) if matches!(chain.lhs, Expr::ThisPtr(_)) => {
                let mut rest = &chain.rhs;
                loop {
                    let (link, next) = match rest {
                        Expr::Dot(chain, ..) | Expr::Index(chain, ..) => (&chain.lhs, Some(&chain.rhs)),
                        last => (last, None),
                    };
                    if let Expr::MethodCall(call, position) = link {
                        body.methods.push((call.name.to_string(), *position));
                    }
                    match next {
                        Some(next) => rest = next,
                        None => break,
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the program has a function.
    pub fn has(&self, function: &str) -> bool {
        self.body(function).is_some()
    }

    fn body(&self, function: &str) -> Option<&Body> {
        self.bodies.iter().find(|body| !function.is_empty() && body.name == function)
    }

    /// Whether the program is an expression that ranks stages.
    pub fn is_expression(&self) -> bool {
        FUNCTIONS.iter().all(|(name, ..)| !self.has(name))
    }

    /// The indices of the names that it may read.
    pub fn used(&self) -> Vec<usize> {
        let is_given_jobs =
            FUNCTIONS.iter().any(|(name, _, written)| written.ends_with("(job)") && self.has(name));
        let reaches = |subject: Subject| match subject {
            Subject::Cluster | Subject::Stage => true,
            Subject::Job => is_given_jobs || self.mentions("job"),
            Subject::User => self.mentions("user") || self.mentions("users"),
        };
        let reads =
            |index: &usize| self.mentioned.contains(NAMES[*index].name) && reaches(NAMES[*index].subject);
        (0..NAMES.len()).filter(reads).collect()
    }

    /// Whether it mentions a variable or property, or calls a function.
    pub fn mentions(&self, name: &str) -> bool {
        self.mentioned.contains(name) || self.bodies.iter().any(|body| body.called.contains(name))
    }

    /// Whether answers of a function may depend on the state.
    pub fn reads_state(&self, function: &str) -> bool {
        self.body(function).is_some_and(|body| body.reads_state)
    }

    /// Where to look for a mistake that has no place of its own: a function's first loop or call of itself, or its
    /// begin.
    pub fn suspect(&self, function: &str) -> Position {
        let entry = self.body(function).or(self.bodies.first());
        let own = entry.and_then(|body| body.first_loop.or(body.calls_itself));
        let others = || self.bodies.iter().find_map(|body| body.first_loop.or(body.calls_itself));
        own.or_else(others).unwrap_or_else(|| entry.map_or(Position::NONE, |body| body.begin))
    }

    /// Checks what can be known before the program runs.
    pub fn check(&self) -> Result<(), ProgramError> {
        let is_expression = self.is_expression();
        for body in &self.bodies {
            let known = FUNCTIONS.iter().find(|(name, ..)| *name == body.name);
            if let Some((_, arguments, written)) = known
                && *arguments != body.arguments.len()
            {
                return Err(at(body.begin, format!("write `{written}`")));
            }
            if known.is_none() && body.name.starts_with("on_") {
                let names: Vec<&str> = FUNCTIONS.iter().skip(3).map(|(name, ..)| *name).collect();
                let message = format!("there is no event `{}`; there are {}", body.name, names.join(", "));
                return Err(at(body.begin, message));
            }
            self.check_variables(body, is_expression)?;
        }
        if !is_expression && !self.has("key") {
            let begin = self.bodies.get(1).map_or(Position::NONE, |body| body.begin);
            return Err(at(begin, "a program ranks stages: add `fn key(stage) { … }`".to_owned()));
        }
        for function in ["key", "cap", "target"] {
            self.check_unchanged(function, function, &mut BTreeSet::new())?;
        }
        Ok(())
    }

    fn check_variables(&self, body: &Body, is_expression: bool) -> Result<(), ProgramError> {
        let is_outside = body.name.is_empty();
        let of_fairlane = |name: &str| {
            find(Subject::Cluster, name).is_some()
                || is_expression
                    && (find(Subject::Stage, name).is_some() || ["stage", "job", "user"].contains(&name))
        };
        let arguments = body.arguments.iter().map(|name| (name, body.begin));
        let mut defined = body.defined.iter().map(|(name, position)| (name, *position)).chain(arguments);
        if let Some((name, position)) = defined.find(|(name, _)| of_fairlane(name)) {
            return Err(at(position, format!("`{name}` already has a meaning; choose another name")));
        }
        for (name, position) in &body.read {
            let is_own =
                body.arguments.contains(name) || body.defined.iter().any(|(defined, _)| defined == name);
            // Functions without a name do not always say where they begin.
            let mut nameless = self.bodies.iter().filter(|body| body.name.contains('$'));
            if is_own
                || nameless.any(|body| body.arguments.contains(name))
                || of_fairlane(name)
                || self.has(name)
            {
                continue;
            }
            let is_state = !is_outside && self.bodies[0].defined.iter().any(|(defined, _)| defined == name);
            let message = match (is_state, find(Subject::Stage, name).is_some() && !is_expression) {
                (true, _) => format!("`{name}` is part of the state; write `this.{name}`"),
                (_, true) => format!("`{name}` is a name of stages; write `stage.{name}`"),
                _ => format!("`{name}` is unknown{}", similar(name, is_expression)),
            };
            return Err(at(*position, message));
        }
        Ok(())
    }

    /// Checks that a function leaves the state as it is, with those that it calls as methods of the state.
    fn check_unchanged(
        &self,
        entry: &str,
        function: &str,
        checked: &mut BTreeSet<String>,
    ) -> Result<(), ProgramError> {
        let Some(body) = self.body(function) else { return Ok(()) };
        if !checked.insert(function.to_owned()) {
            return Ok(());
        }
        let change = body.changes.map(|position| ("this", position));
        let method = body.methods.iter().find(|(name, _)| !PURE.contains(&name.as_str()) && !self.has(name));
        let method = method.map(|(name, position)| (name.as_str(), *position));
        if let Some((_, position)) = change.or(method) {
            let message = format!(
                "`{entry}` changes the state, but must give the same answer whenever it is asked; change the state in \
                 a handler, such as `on_launch`"
            );
            return Err(at(position, message));
        }
        body.methods.iter().try_for_each(|(name, _)| self.check_unchanged(entry, name, checked))
    }
}

fn read_statement(body: &mut Body, statement: &Stmt) {
    match statement {
        Stmt::Var(variable, _, position) => body.defined.push((variable.0.name.to_string(), *position)),
        Stmt::For(of, position) => {
            body.defined.push((of.0.name.to_string(), of.0.pos));
            body.defined.extend(of.1.iter().map(|counter| (counter.name.to_string(), counter.pos)));
            body.first_loop.get_or_insert(*position);
        }
        Stmt::While(_, position) | Stmt::Do(_, _, position) => {
            body.first_loop.get_or_insert(*position);
        }
        Stmt::Assignment(assignment) => {
            let mut target = &assignment.1.lhs;
            while let Expr::Dot(chain, ..) | Expr::Index(chain, ..) = target {
                target = &chain.lhs;
            }
            if matches!(target, Expr::ThisPtr(_)) {
                body.changes.get_or_insert(assignment.1.lhs.position());
            }
        }
        Stmt::FnCall(call, position) => read_call(body, call, *position),
        _ => {}
    }
}

fn read_call(body: &mut Body, call: &FnCallExpr, position: Position) {
    if call.op_token.is_none() {
        // A function gets its first argument by reference.
        if matches!(call.args.first(), Some(Expr::ThisPtr(_))) {
            body.methods.push((call.name.to_string(), position));
        }
        if body.name == call.name.as_str() {
            body.calls_itself.get_or_insert(position);
        }
        body.called.insert(call.name.to_string());
    }
}

/// The names that can be meant by an unknown one.
fn similar(name: &str, is_expression: bool) -> String {
    let subjects = NAMES.iter().filter(|known| {
        known.subject == Subject::Cluster || is_expression && known.subject == Subject::Stage
    });
    match nearest(name, subjects) {
        Some(near) => format!("; is `{near}` meant?"),
        _ if is_expression => "; the names are listed in the documentation of custom policies".to_owned(),
        _ => "; a function sees its arguments, its own variables and the state `this`".to_owned(),
    }
}

/// The name that is meant by another one, if one is near.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a Name>) -> Option<&'static str> {
    let far = |known: &str| if known.starts_with(name) { 0 } else { distance(name, known) };
    let near = known.map(|known| (far(known.name), known.name)).min();
    // Of a short word two other letters are another word.
    near.filter(|(far, _)| *far <= 2 && 3 * far <= name.chars().count()).map(|(_, near)| near)
}

/// Levenshtein's distance.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().take(40).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, &against) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != against);
            diagonal = row[at + 1];
            row[at + 1] = change.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
