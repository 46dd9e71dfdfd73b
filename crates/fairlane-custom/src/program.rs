//! A compiled program: what it reads, and how its functions are called.

use std::collections::BTreeMap;
use std::rc::Rc;

use fairlane::policy::ProgramError;
use fairlane::policy::explain::KeyComponent;
use rhai::{AST, CallFnOptions, Dynamic, EvalAltResult, FuncArgs, Map, Position, Scope};

use crate::code::{Facts, HandlerCall, PartValue, check_count, part};
use crate::error::{at, call_error, parse_error};
use crate::language::{Frame, Language, kind_of, number};
use crate::names::{CHANGING, Changes, NAMES, Unit};
use crate::syntax::{FUNCTIONS, Part, Syntax};

/// Longest program that is the name of its key, in bytes.
const LONGEST_TITLE: usize = 60;

/// A compiled program.
#[derive(Clone)]
pub struct Program {
    language: Rc<Language>,
    ast: AST,
    syntax: Syntax,
    /// Whether it is an expression, not functions.
    pub(crate) is_expression: bool,
    /// Which of [`FUNCTIONS`] it has.
    functions: [bool; FUNCTIONS.len()],
    /// The names that it may read, as indices.
    pub(crate) used: Vec<usize>,
    /// The same as a bit for each index.
    pub(crate) read: u64,
    /// Whether its keys may depend on the state.
    pub(crate) key_reads_state: bool,
    pub(crate) mentions_users: bool,
    pub(crate) mentions_names: bool,
    /// The name of a key that has one part, and its unit.
    single: (String, Unit),
}

impl Program {
    /// Compiles a program.
    ///
    /// # Errors
    /// The first mistake that can be found without running it, and its place.
    pub fn new(text: &str) -> Result<Program, ProgramError> {
        let language = Language::shared(false);
        let ast = language.engine.compile(text).map_err(|error| parse_error(&error))?;
        let syntax = Syntax::new(&ast);
        syntax.check()?;
        let is_expression = syntax.is_expression();
        if is_expression && ast.statements().is_empty() {
            return Err(at(
                Position::NONE,
                "is empty; write what ranks a stage, such as `running / weight`".into(),
            ));
        }
        let trimmed = text.trim();
        let is_short = !trimmed.contains(['\n', '#', '{', ';']) && trimmed.len() <= LONGEST_TITLE;
        let is_title = is_expression && is_short && !trimmed.starts_with("let ");
        let whole = NAMES.iter().find(|name| name.name == trimmed);
        let title = if is_title { trimmed } else { "key" };
        let used = syntax.used();
        Ok(Program {
            is_expression,
            functions: std::array::from_fn(|index| syntax.has(FUNCTIONS[index].0)),
            key_reads_state: ["key", "cap"].iter().any(|name| syntax.reads_state(name))
                || syntax.mentions("note"),
            read: used.iter().fold(0, |bits, index| bits | 1 << index),
            used,
            mentions_users: syntax.mentions("users"),
            mentions_names: syntax.mentions("name"),
            single: (title.to_owned(), whole.map_or(Unit::None, |name| name.unit)),
            language,
            ast,
            syntax,
        })
    }

    /// The program, keeping the lines of its last call.
    pub(crate) fn recording(&self) -> Program {
        Program { language: Language::shared(true), ..self.clone() }
    }

    pub(crate) fn has(&self, function: &str) -> bool {
        FUNCTIONS.iter().zip(self.functions).any(|((name, ..), has)| has && *name == function)
    }

    /// Whether a stage's key changes only with the counts of that stage, and nothing but keys says who goes first.
    pub(crate) fn ranks_stages_alone(&self) -> bool {
        let alone = CHANGING[Changes::Never as usize] | CHANGING[Changes::StageCounts as usize];
        !self.key_reads_state && !self.has("cap") && self.read & !alone == 0
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.language.frame
    }

    /// The state at the start: the variables outside of functions.
    pub(crate) fn state(&self, facts: &Rc<Facts>) -> Result<Dynamic, ProgramError> {
        if self.is_expression {
            return Ok(Dynamic::UNIT);
        }
        let mut scope = Scope::new();
        self.enter(facts, false);
        let done = self.language.engine.run_ast_with_scope(&mut scope, &self.ast);
        self.leave();
        done.map_err(|error| call_error(*error, self.syntax.suspect("")))?;
        let variables = scope.iter().map(|(name, _, value)| (name.into(), value));
        Ok(Dynamic::from_map(variables.collect::<Map>()))
    }

    /// The key's value.
    pub(crate) fn key(
        &self,
        facts: &Rc<Facts>,
        state: &mut Dynamic,
        stage: impl FuncArgs,
    ) -> Result<Vec<KeyComponent>, ProgramError> {
        let value = if self.is_expression {
            self.enter(facts, true);
            let value = self.language.engine.eval_ast_with_scope::<Dynamic>(&mut Scope::new(), &self.ast);
            self.leave();
            value.map_err(|error| call_error(*error, self.syntax.suspect("")))?
        } else {
            self.call("key", facts, state, stage)?
        };
        self.parts(value)
    }

    /// Calls a function that only answers.
    pub(crate) fn call(
        &self,
        function: &str,
        facts: &Rc<Facts>,
        state: &mut Dynamic,
        arguments: impl FuncArgs,
    ) -> Result<Dynamic, ProgramError> {
        self.enter(facts, false);
        let answer = self.call_in_frame(function, state, arguments);
        self.leave();
        answer.map_err(|error| call_error(*error, self.syntax.suspect(function)))
    }

    /// Calls a handler.
    pub(crate) fn handle(
        &self,
        function: &str,
        facts: &Rc<Facts>,
        state: &mut Dynamic,
        arguments: impl FuncArgs,
        call: &mut HandlerCall,
    ) -> Result<Dynamic, ProgramError> {
        let frame = self.frame();
        self.enter(facts, false);
        frame.is_handler.set(true);
        *frame.random.borrow_mut() = Some(call.random.clone());
        frame.users.replace(std::mem::take(&mut call.users));
        let answer = self.call_in_frame(function, state, arguments);
        if let Some(random) = frame.random.take() {
            call.random = random;
        }
        call.wishes = frame.wishes.take();
        frame.users.take();
        self.leave();
        answer.map_err(|error| call_error(*error, self.syntax.suspect(function)))
    }

    fn call_in_frame(
        &self,
        function: &str,
        state: &mut Dynamic,
        arguments: impl FuncArgs,
    ) -> Result<Dynamic, Box<EvalAltResult>> {
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(state);
        self.language.engine.call_fn_with_options(options, &mut Scope::new(), &self.ast, function, arguments)
    }

    fn enter(&self, facts: &Rc<Facts>, is_expression: bool) {
        let frame = self.frame();
        *frame.facts.borrow_mut() = Some(Rc::clone(facts));
        frame.is_expression.set(is_expression);
        frame.is_handler.set(false);
        frame.operations.set(0);
        frame.lines.take();
    }

    fn leave(&self) {
        self.frame().facts.take();
    }

    /// The parts of a key, in the order in which the program writes them down.
    fn parts(&self, value: Dynamic) -> Result<Vec<KeyComponent>, ProgramError> {
        let place = self.syntax.suspect("key");
        if value.is_map() {
            let map = value.cast::<Map>();
            let order = self.syntax.maps.iter().find(|parts| {
                parts.len() == map.len() && parts.iter().all(|part| map.contains_key(part.name.as_str()))
            });
            let Some(order) = order else {
                let message = "write the parts of the key in one `#{ … }`, so that their order is known";
                return Err(at(place, message.to_owned()));
            };
            self.check_count(order.len(), place)?;
            let part = |part: &Part| {
                let value = map.get(part.name.as_str()).unwrap_or(&Dynamic::UNIT);
                self.part(&part.name, part.unit, value, part.position)
            };
            return order.iter().map(part).collect();
        }
        if value.is_array() {
            let parts = value.cast::<rhai::Array>();
            self.check_count(parts.len(), place)?;
            let named = (1..).zip(&parts);
            let part = |(number, value): (u32, &Dynamic)| {
                self.part(&format!("part {number}"), Unit::None, value, place)
            };
            return named.map(part).collect();
        }
        let (name, unit) = &self.single;
        Ok(vec![self.part(name, *unit, &value, place)?])
    }

    fn check_count(&self, count: usize, place: Position) -> Result<(), ProgramError> {
        check_count(count).map_err(|message| at(place, message))
    }

    fn part(
        &self,
        name: &str,
        unit: Unit,
        value: &Dynamic,
        place: Position,
    ) -> Result<KeyComponent, ProgramError> {
        let number =
            number(value).or_else(|| value.as_bool().ok().map(|is_last| f64::from(u8::from(is_last))));
        let value = match number {
            Some(number) => PartValue::Number(number),
            None if value.is_string() => PartValue::Text(value.clone().into_string().unwrap_or_default()),
            None if value.is_unit() => PartValue::Missing,
            None => PartValue::Other(kind_of(value)),
        };
        part(name.to_owned(), unit, value).map_err(|message| at(place, message))
    }

    /// An error of a function's answer.
    pub(crate) fn wrong_answer(&self, function: &str, message: impl Into<String>) -> ProgramError {
        at(self.syntax.suspect(function), message.into())
    }
}

/// A memory of keys by all that they depend on.
pub(crate) type KeyMemory = BTreeMap<Vec<u64>, Rc<[KeyComponent]>>;
