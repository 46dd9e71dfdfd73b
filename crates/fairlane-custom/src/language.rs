//! The language: Rhai with what a deterministic policy may use. No clock, no modules, no shared values, mathematics
//! from `libm`, fixed limits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fairlane::policy::custom::{MAX_LINES, ProgramLine};
use fairlane::units::{Time, micros_from_seconds};
use rhai::debugger::{DebuggerCommand, DebuggerEvent};
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, LogicPackage, Package,
};
use rhai::{Array, Dynamic, Engine, EvalAltResult, EvalContext, FLOAT, INT, ImmutableString, Position};

use crate::code::{Facts, Random, Wish};
use crate::names::{NAMES, Subject, find, outdated};

/// Most operations of one call.
pub const OPERATIONS_PER_CALL: u64 = 1_000_000;
/// Most operations of a simulation, besides those for each task.
pub const OPERATIONS: u64 = 20_000_000;
/// Most operations of a simulation for each task.
pub const OPERATIONS_PER_TASK: u64 = 10_000;
/// Most entries of a list or a map, with all that is in them.
pub(crate) const MAX_ENTRIES: usize = 2000;
/// Deepest calls.
pub(crate) const MAX_CALLS: usize = 24;
/// Longest text, in bytes.
pub(crate) const LONGEST_TEXT: usize = 1000;

const ONLY_HANDLERS: &str = "is made only in handlers, not in `key`, `cap` and `target`, which must give the same answer \
    whenever they are asked; make it there and keep it in the state";

type Evaluated<T> = Result<T, Box<EvalAltResult>>;

/// A stage, a job, a user.
#[derive(Clone)]
pub(crate) struct StageObject(pub Rc<Facts>);
#[derive(Clone)]
pub(crate) struct JobObject(pub Rc<Facts>);
#[derive(Clone)]
pub(crate) struct UserObject(pub Rc<Facts>);

/// What a program has noted of stages, jobs and users, by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    stages: Vec<Dynamic>,
    jobs: Vec<Dynamic>,
    users: Vec<Dynamic>,
}

/// What a call of the program sees and leaves behind.
#[derive(Default)]
pub(crate) struct Frame {
    /// The cluster's numbers, those of [`Subject::Cluster`].
    pub facts: RefCell<Option<Rc<Facts>>>,
    /// Whether names of stages are variables: the program is an expression.
    pub is_expression: Cell<bool>,
    /// Whether the call may do more than answer.
    pub is_handler: Cell<bool>,
    pub users: RefCell<Vec<Rc<Facts>>>,
    pub random: RefCell<Option<Random>>,
    pub notes: RefCell<Notes>,
    pub wishes: RefCell<Vec<Wish>>,
    /// Operations of the call so far.
    pub operations: Cell<u64>,
    /// The lines of the call so far, in a language that records.
    pub lines: RefCell<Vec<ProgramLine>>,
}

pub(crate) struct Language {
    pub engine: Engine,
    pub frame: Rc<Frame>,
}

/// A number of a program.
pub(crate) fn number(value: &Dynamic) -> Option<f64> {
    let whole = || value.as_int().ok().map(|whole| whole as f64);
    value.as_float().ok().or_else(whole)
}

/// What a call can read and change at a place: its variables, and the state.
fn variables(context: &EvalContext) -> Vec<(String, String)> {
    let own = context.scope().iter().map(|(name, _, value)| (name.to_owned(), value));
    let state = context.this_ptr().and_then(|state| state.as_map_ref().ok().map(|state| state.clone()));
    let state = state.into_iter().flatten().map(|(name, value)| (format!("this.{name}"), value));
    own.chain(state).filter_map(|(name, value)| Some((name, shown(&value)?))).collect()
}

/// What a value is, for people: `job`, `map`.
pub(crate) fn kind_of(value: &Dynamic) -> String {
    let name = value.type_name().rsplit("::").next().unwrap_or_default();
    name.trim_end_matches("Object").to_lowercase()
}

/// A value for people; `None` of a stage, a job or a user.
pub(crate) fn shown(value: &Dynamic) -> Option<String> {
    let list = |values: Vec<String>, begin: &str, end: &str| {
        let text = format!("{begin}{}{end}", values.join(", "));
        match text.char_indices().nth(LONGEST_SHOWN) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    };
    let of_list = |value: &Dynamic| shown(value).unwrap_or_else(|| kind_of(value));
    if let Some(number) = number(value) {
        return Some(fairlane::number::trimmed(number, 6));
    }
    if let Ok(values) = value.as_array_ref() {
        return Some(list(values.iter().map(of_list).collect(), "[", "]"));
    }
    if let Ok(values) = value.as_map_ref() {
        let entries = values.iter().map(|(name, value)| format!("{name}: {}", of_list(value)));
        return Some(list(entries.collect(), "#{ ", " }"));
    }
    if value.is_string() {
        return Some(format!("{:?}", value.clone().into_string().unwrap_or_default()));
    }
    (value.is_bool() || value.is_unit()).then(|| value.to_string())
}

/// Longest list or map that is shown, in characters.
const LONGEST_SHOWN: usize = 60;

fn failed<T>(message: impl Into<String>) -> Evaluated<T> {
    Err(EvalAltResult::ErrorRuntime(message.into().into(), Position::NONE).into())
}

fn value_of(facts: &Facts, index: usize) -> Dynamic {
    let number = facts.numbers[index];
    match NAMES[index].unit {
        crate::names::Unit::Whole => Dynamic::from_int(number as INT),
        _ => Dynamic::from_float(number),
    }
}

impl Language {
    /// The language, the same one throughout a thread; another one records the lines of each call.
    pub fn shared(records: bool) -> Rc<Language> {
        thread_local! {
            static LANGUAGE: Rc<Language> = Rc::new(Language::new());
            static RECORDING: Rc<Language> = Rc::new(Language::new().recording());
        }
        if records { RECORDING.with(Rc::clone) } else { LANGUAGE.with(Rc::clone) }
    }

    #[expect(deprecated, reason = "the interface is marked as one that may change, not as one that goes")]
    fn recording(mut self) -> Language {
        let frame = Rc::clone(&self.frame);
        self.engine.register_debugger(
            |_, debugger| debugger,
            move |context, event, _, _, position| {
                let mut lines = frame.lines.borrow_mut();
                let line = position.line().map_or(0, |line| line as u32);
                let is_new = line > 0 && lines.last().is_none_or(|last| last.line != line);
                if is_new
                    && lines.len() < MAX_LINES
                    && matches!(event, DebuggerEvent::Start | DebuggerEvent::Step)
                {
                    lines.push(ProgramLine { line, variables: variables(&context) });
                }
                Ok(DebuggerCommand::StepInto)
            },
        );
        self
    }

    fn new() -> Language {
        // Rhai finds functions by hashes: the same in every build, from the first engine on.
        let _ = rhai::config::hashing::set_hashing_seed(Some([0x0066_6169_726c_616e, 1, 2, 3]));
        let mut engine = Engine::new_raw();
        ArithmeticPackage::new().register_into_engine(&mut engine);
        LogicPackage::new().register_into_engine(&mut engine);
        BasicArrayPackage::new().register_into_engine(&mut engine);
        BasicMapPackage::new().register_into_engine(&mut engine);
        BasicIteratorPackage::new().register_into_engine(&mut engine);
        // `**` is the platform's power.
        for symbol in ["**", "**=", "eval", "print", "debug", "try", "catch"] {
            engine.disable_symbol(symbol);
        }
        engine
            .set_max_operations(OPERATIONS_PER_CALL)
            .set_max_call_levels(MAX_CALLS)
            .set_max_expr_depths(48, 48)
            .set_max_variables(200)
            .set_max_functions(100)
            .set_max_string_size(LONGEST_TEXT)
            .set_max_array_size(MAX_ENTRIES)
            .set_max_map_size(MAX_ENTRIES)
            .set_max_strings_interned(256)
            .set_fail_on_invalid_map_property(true);
        let frame = Rc::<Frame>::default();
        register_mathematics(&mut engine);
        register_objects(&mut engine, &frame);
        register_actions(&mut engine, &frame);
        let seen = Rc::clone(&frame);
        engine.on_progress(move |operations| {
            seen.operations.set(operations);
            None
        });
        let seen = Rc::clone(&frame);
        #[expect(deprecated, reason = "the interface is marked as one that may change")]
        engine.on_var(move |name, _, _| Ok(seen.variable(name)));
        Language { engine, frame }
    }
}

impl Frame {
    /// A number of an object.
    ///
    /// # Errors
    /// The object is of an earlier call, and the number may have changed since.
    fn read(&self, facts: &Rc<Facts>, index: usize) -> Evaluated<Dynamic> {
        let is_known = |known: Option<&Rc<Facts>>| known.is_some_and(|known| Rc::ptr_eq(known, facts));
        let is_current =
            is_known(self.facts.borrow().as_ref()) || is_known(self.users.borrow().get(facts.user.index()));
        match if is_current { None } else { outdated(index) } {
            Some(message) => failed(message),
            None => Ok(value_of(facts, index)),
        }
    }

    /// A name that is Fairlane's.
    fn variable(&self, name: &str) -> Option<Dynamic> {
        let facts = self.facts.borrow();
        let facts = facts.as_ref()?;
        if self.is_expression.get() {
            if let Some(index) = find(Subject::Stage, name) {
                return Some(value_of(facts, index));
            }
            match name {
                "stage" => return Some(Dynamic::from(StageObject(Rc::clone(facts)))),
                "job" => return Some(Dynamic::from(JobObject(Rc::clone(facts)))),
                "user" => return Some(Dynamic::from(UserObject(Rc::clone(facts)))),
                _ => {}
            }
        }
        Some(value_of(facts, find(Subject::Cluster, name)?))
    }
}

fn register_mathematics(engine: &mut Engine) {
    macro_rules! of_one {
        ($($name:literal: $function:expr;)*) => {
            $(
                engine.register_fn($name, |x: FLOAT| -> FLOAT { $function(x) });
                engine.register_fn($name, |x: INT| -> FLOAT { $function(x as FLOAT) });
            )*
        };
    }
    of_one! {
        "sqrt": libm::sqrt;
        "exp": libm::exp;
        "expm1": libm::expm1;
        "ln": libm::log;
        "log2": libm::log2;
        "floor": libm::floor;
        "ceil": libm::ceil;
        "round": libm::round;
        "micros": |seconds: FLOAT| libm::round(seconds * 1e6);
        "float": |x: FLOAT| x;
    }
    macro_rules! of_two {
        ($($name:literal: $function:expr;)*) => {
            $(
                engine.register_fn($name, |x: FLOAT, y: FLOAT| -> FLOAT { $function(x, y) });
                engine.register_fn($name, |x: INT, y: FLOAT| -> FLOAT { $function(x as FLOAT, y) });
                engine.register_fn($name, |x: FLOAT, y: INT| -> FLOAT { $function(x, y as FLOAT) });
            )*
        };
    }
    of_two! {
        "pow": libm::pow;
        "min": |x: FLOAT, y: FLOAT| if x <= y { x } else { y };
        "max": |x: FLOAT, y: FLOAT| if x >= y { x } else { y };
    }
    engine.register_fn("pow", |x: INT, y: INT| libm::pow(x as FLOAT, y as FLOAT));
    engine.register_fn("min", |x: INT, y: INT| x.min(y));
    engine.register_fn("max", |x: INT, y: INT| x.max(y));
    engine.register_fn("int", |x: FLOAT| x as INT);
    engine.register_fn("int", |x: INT| x);
}

/// Refuses to compare an object with a text: that is always false, where the object's name is meant.
fn register_comparisons(engine: &mut Engine) {
    macro_rules! refuse {
        ($object:ident, $what:literal) => {
            for operator in ["==", "!="] {
                let refused = || -> Evaluated<bool> {
                    failed(concat!("a ", $what, " is no text; is `", $what, ".name` meant?"))
                };
                engine.register_fn(operator, move |_: $object, _: ImmutableString| refused());
                engine.register_fn(operator, move |_: ImmutableString, _: $object| refused());
            }
        };
    }
    refuse!(JobObject, "job");
    refuse!(UserObject, "user");
}

fn register_objects(engine: &mut Engine, frame: &Rc<Frame>) {
    register_comparisons(engine);
    engine
        .register_type_with_name::<StageObject>("stage")
        .register_type_with_name::<JobObject>("job")
        .register_type_with_name::<UserObject>("user")
        .register_get("job", |stage: &mut StageObject| JobObject(Rc::clone(&stage.0)))
        .register_get("user", |stage: &mut StageObject| UserObject(Rc::clone(&stage.0)))
        .register_get("user", |job: &mut JobObject| UserObject(Rc::clone(&job.0)))
        .register_get("name", |job: &mut JobObject| ImmutableString::from(&*job.0.job_name))
        .register_get("name", |user: &mut UserObject| ImmutableString::from(&*user.0.user_name));
    macro_rules! note {
        ($object:ident, $list:ident, $index:expr) => {
            let this = Rc::clone(frame);
            engine.register_get("note", move |object: &mut $object| -> Dynamic {
                let index: usize = $index(&object.0);
                this.notes.borrow().$list.get(index).cloned().unwrap_or(Dynamic::UNIT)
            });
            let this = Rc::clone(frame);
            engine.register_set("note", move |object: &mut $object, note: Dynamic| -> Evaluated<()> {
                if !this.is_handler.get() {
                    return failed(format!("a note {ONLY_HANDLERS}"));
                }
                let (index, mut notes) = ($index(&object.0), this.notes.borrow_mut());
                if notes.$list.len() <= index {
                    notes.$list.resize(index + 1, Dynamic::UNIT);
                }
                notes.$list[index] = note;
                Ok(())
            });
        };
    }
    note!(StageObject, stages, |facts: &Facts| facts.stage.index());
    note!(JobObject, jobs, |facts: &Facts| facts.rank.index());
    note!(UserObject, users, |facts: &Facts| facts.user.index());
    for (index, name) in NAMES.iter().enumerate() {
        let this = Rc::clone(frame);
        match name.subject {
            Subject::Cluster => {}
            Subject::Stage => {
                engine.register_get(name.name, move |stage: &mut StageObject| this.read(&stage.0, index));
            }
            Subject::Job => {
                engine.register_get(name.name, move |job: &mut JobObject| this.read(&job.0, index));
            }
            Subject::User => {
                engine.register_get(name.name, move |user: &mut UserObject| this.read(&user.0, index));
            }
        }
    }
}

/// What handlers may call besides.
fn register_actions(engine: &mut Engine, frame: &Rc<Frame>) {
    let this = Rc::clone(frame);
    engine.register_fn("random", move || -> Evaluated<FLOAT> {
        match &mut *this.random.borrow_mut() {
            Some(random) => Ok(random.number()),
            None => failed(format!("a call of `random` {ONLY_HANDLERS}")),
        }
    });
    let this = Rc::clone(frame);
    engine.register_fn("users", move || -> Evaluated<Array> {
        if !this.is_handler.get() {
            return failed(format!("a call of `users` {ONLY_HANDLERS}"));
        }
        let users = this.users.borrow();
        Ok(users.iter().map(|user| Dynamic::from(UserObject(Rc::clone(user)))).collect())
    });
    let wish = |frame: &Rc<Frame>| {
        let this = Rc::clone(frame);
        move |name: &str, wish: Wish| -> Evaluated<()> {
            if !this.is_handler.get() {
                return failed(format!("a call of `{name}` {ONLY_HANDLERS}"));
            }
            let mut wishes = this.wishes.borrow_mut();
            if wishes.len() == MAX_ENTRIES {
                return failed(format!("`{name}` was called more than {MAX_ENTRIES} times by one handler"));
            }
            wishes.push(wish);
            Ok(())
        }
    };
    let start = wish(frame);
    engine.register_fn("start", move |job: JobObject| start("start", Wish::Start(job.0.rank)));
    let drop = wish(frame);
    engine.register_fn("drop", move |job: JobObject| drop("drop", Wish::Drop(job.0.rank)));
    let wake = wish(frame);
    let wake = move |at: FLOAT, token: INT| {
        let (micros, token) = (micros_from_seconds(at), u32::try_from(token));
        match (micros, token) {
            (Ok(micros), Ok(token)) => wake("wake", Wish::Wake { at: Time(micros), token }),
            (Err(error), _) => failed(format!("`wake` takes an instant in seconds: {error}")),
            (_, Err(_)) => failed("`wake` takes a whole number from 0 as its second argument"),
        }
    };
    let wake = Rc::new(wake);
    let again = Rc::clone(&wake);
    engine.register_fn("wake", move |at: FLOAT, token: INT| wake(at, token));
    engine.register_fn("wake", move |at: INT, token: INT| again(at as FLOAT, token));
}
