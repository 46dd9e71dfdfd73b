//! An object or a function of Python with the functions of a program.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fairlane::policy::ProgramError;
use fairlane::policy::explain::KeyComponent;
use fairlane_custom::FUNCTIONS;
use fairlane_custom::code::{
    Answer, Argument, Code, Dependence, Facts, HandlerCall, MAX_PARTS, PartValue, Settings, check_count, part,
};
use fairlane_custom::names::{COUNT, Unit};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::Raised;
use super::objects::{Cluster, Reads, job, stage};

/// All names: nobody knows beforehand which are read.
const ALL: [usize; COUNT] = {
    let mut all = [0; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = index;
        index += 1;
    }
    all
};

/// A copy of an object that is a policy.
pub struct Object {
    /// The object, its functions in the order of [`FUNCTIONS`], and what they see; nothing if it could not be copied.
    own: Option<Own>,
    reads: Reads,
    raised: Raised,
    /// What the first key was made of: all others are as well.
    kinds: RefCell<Option<Vec<Kind>>>,
}

/// What parts of keys are told apart by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
}

struct Own {
    object: Py<PyAny>,
    functions: [Option<Py<PyAny>>; FUNCTIONS.len()],
    cluster: Py<Cluster>,
}

impl Object {
    /// A copy of an object, at the start of a simulation.
    ///
    /// # Errors
    /// Why it is no policy; what it raises is kept.
    pub fn new(object: Py<PyAny>, raised: Raised, cores: u32) -> Result<Object, ProgramError> {
        let made = Python::attach(|py| {
            let cluster = Py::new(py, Cluster::new(py, cores))?;
            let object = py.import("copy")?.call_method1("deepcopy", (object,))?;
            let unknown = unknown_event(&object)?;
            Ok((Own::new(&object, cluster)?, unknown))
        });
        match made {
            Ok((own, None)) => {
                Ok(Object { own: Some(own), reads: Reads::default(), raised, kinds: RefCell::default() })
            }
            Ok((_, Some(message))) => Err(error(message)),
            Err(failed) => Err(kept(&raised, "", failed)),
        }
    }

    /// Refuses a key that cannot be compared with those before.
    fn check_kinds(&self, parts: &[KeyComponent]) -> Result<(), String> {
        let kind =
            |part: &KeyComponent| if part.value.number().is_some() { Kind::Number } else { Kind::Text };
        let kinds = || parts.iter().map(kind);
        let mut known = self.kinds.borrow_mut();
        match &*known.get_or_insert_with(|| kinds().collect()) {
            known if known.iter().copied().eq(kinds()) => Ok(()),
            known => Err(format!(
                "the key is {}, one before was {}; answer with the same parts for every stage",
                words(&kinds().collect::<Vec<_>>()),
                words(known)
            )),
        }
    }

    fn own(&self) -> Result<&Own, ProgramError> {
        self.own.as_ref().ok_or_else(|| error("it cannot be copied".to_owned()))
    }

    /// Calls a function if it is there, with whatever it raises kept.
    fn call<T>(
        &self,
        function: &str,
        facts: &Facts,
        reads: Option<&Reads>,
        call: impl FnOnce(&Bound<'_, PyAny>, &Bound<'_, Cluster>) -> PyResult<T>,
    ) -> Result<T, ProgramError> {
        let own = self.own()?;
        let index = FUNCTIONS.iter().position(|(name, ..)| *name == function);
        let Some(called) = index.and_then(|index| own.functions[index].as_ref()) else {
            return Err(error(format!("there is no `{function}`")));
        };
        Python::attach(|py| {
            let cluster = own.cluster.bind(py);
            cluster.borrow_mut().enter(facts, reads);
            call(called.bind(py), cluster)
        })
        .map_err(|failed| kept(&self.raised, function, failed))
    }
}

impl Own {
    fn new(object: &Bound<'_, PyAny>, cluster: Py<Cluster>) -> PyResult<Own> {
        let is_object = object.hasattr("key")?;
        let mut functions = [const { None }; FUNCTIONS.len()];
        for (function, (name, ..)) in functions.iter_mut().zip(FUNCTIONS) {
            *function = match is_object {
                true => object.getattr_opt(*name)?.map(Bound::unbind),
                false => (*name == "key").then(|| object.clone().unbind()),
            };
        }
        if is_object {
            object.setattr("cluster", cluster.bind(object.py()))?;
        }
        Ok(Own { object: object.clone().unbind(), functions, cluster })
    }

    /// Goes on with a state of its own.
    fn copied(&self, py: Python<'_>) -> PyResult<Own> {
        let pair = PyTuple::new(py, [self.object.bind(py), self.cluster.bind(py).as_any()])?;
        let pair = py.import("copy")?.call_method1("deepcopy", (pair,))?;
        let (object, cluster): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        Own::new(&object, cluster.cast_into::<Cluster>()?.unbind())
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        let copied = self.own.as_ref().and_then(|own| {
            let copied = Python::attach(|py| own.copied(py));
            copied.map_err(|failed| kept(&self.raised, "", failed)).ok()
        });
        let reads = Arc::new(self.reads.load(Ordering::Relaxed).into());
        Object { own: copied, reads, raised: Rc::clone(&self.raised), kinds: self.kinds.clone() }
    }
}

impl Code for Object {
    fn nothing() -> Object {
        Object { own: None, reads: Reads::default(), raised: Raised::default(), kinds: RefCell::default() }
    }

    fn has(&self, function: &str) -> bool {
        let index = FUNCTIONS.iter().position(|(name, ..)| *name == function);
        let own = self.own.as_ref().zip(index);
        own.is_some_and(|(own, index)| own.functions[index].is_some())
    }

    fn settings(&self) -> Settings {
        let Some(own) = &self.own else { return Settings::default() };
        Python::attach(|py| {
            let setting = |name: &str| own.object.bind(py).getattr(name).ok();
            let keys = setting("keys").filter(|keys| !keys.is_callable());
            Settings {
                period: setting("period").map(|period| period.extract().unwrap_or(f64::NAN)),
                keys: keys.map(|keys| keys.extract().unwrap_or_default()),
            }
        })
    }

    fn given(&self) -> &[usize] {
        &ALL
    }

    fn read(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    fn dependence(&self) -> Dependence {
        Dependence { state: true, texts: true, users: true, is_stage_alone: false }
    }

    fn key(&self, facts: &Rc<Facts>) -> Result<Vec<KeyComponent>, ProgramError> {
        let parts = self.call("key", facts, Some(&self.reads), |key, cluster| {
            let answer = key.call1((stage(cluster)?,))?;
            named_parts(&answer)
        })?;
        let made = check_count(parts.len()).and_then(|()| {
            parts
                .into_iter()
                .map(|(name, value)| part(name, Unit::None, value))
                .collect::<Result<Vec<_>, _>>()
        });
        let made = made.and_then(|parts| self.check_kinds(&parts).map(|()| parts));
        made.map_err(|message| {
            let stage = format!("stage {} of {}", facts.stage.0, job_of(facts));
            error(format!("`key` of {stage}: {message}"))
        })
    }

    fn cores(&self, function: &str, facts: &Rc<Facts>) -> Result<Option<f64>, ProgramError> {
        let (cores, shown) = self.call(function, facts, Some(&self.reads), |cores, cluster| {
            let answer = cores.call1((job(cluster)?,))?;
            let cores = answer.extract().ok().filter(|cores: &f64| !cores.is_nan());
            Ok((cores, if cores.is_none() { shown(&answer) } else { String::new() }))
        })?;
        if cores.is_none() {
            let job = job_of(facts);
            return Err(error(format!("`{function}` of {job} answers with a number of cores, not {shown}")));
        }
        Ok(cores)
    }

    fn handle(
        &self,
        handler: &str,
        argument: Argument,
        facts: &Rc<Facts>,
        call: &mut HandlerCall,
    ) -> Result<Answer, ProgramError> {
        self.call(handler, facts, None, |function, cluster| {
            cluster.borrow_mut().lend(call);
            let answer = match argument {
                Argument::None => function.call0(),
                Argument::Stage => function.call1((stage(cluster)?,)),
                Argument::Job => function.call1((job(cluster)?,)),
                Argument::Token(token) => function.call1((token,)),
            };
            cluster.borrow_mut().give_back(call);
            let answer = answer?;
            if answer.is_none() {
                return Ok(Answer::default());
            }
            let text: Option<String> = answer.extract().ok();
            // Of other handlers nobody reads what they return.
            let shown = if text.is_none() && handler == "on_arrival" {
                shown(&answer)
            } else {
                answer.str()?.to_string()
            };
            Ok(Answer { text, shown })
        })
        .and_then(|answer| match answer.text.as_deref() {
            _ if handler != "on_arrival" || answer.shown.is_empty() => Ok(answer),
            Some("start" | "wait" | "reject") => Ok(answer),
            _ => {
                let text =
                    answer.text.map(|text| format!("{:?}", text.chars().take(LONGEST).collect::<String>()));
                let job = job_of(facts);
                Err(error(format!(
                    "`on_arrival` of {job} answers \"start\", \"wait\" or \"reject\", or nothing; not {}",
                    text.unwrap_or(answer.shown)
                )))
            }
        })
    }

    fn wrong_answer(&self, _function: &str, message: String) -> ProgramError {
        error(message)
    }

    fn period_is_missing(&self) -> &'static str {
        "say how often: `period = 1.0` in seconds, in the class"
    }
}

/// Most characters of an answer that an error shows.
const LONGEST: usize = 60;

/// A job as an error names it.
fn job_of(facts: &Facts) -> String {
    format!("job {} ({:?} of {:?})", facts.rank.0, facts.job_name, facts.user_name)
}

/// An answer as an error shows it: what it is, and what it says of itself.
pub(super) fn shown(answer: &Bound<'_, PyAny>) -> String {
    let kind = answer.get_type().name().map_or_else(|_| "thing".to_owned(), |name| name.to_string());
    match answer.repr() {
        _ if answer.is_none() => "None".to_owned(),
        Ok(text) if text.to_string_lossy().chars().count() <= LONGEST => format!("the {kind} {text}"),
        // Python refuses to write very long numbers.
        _ => format!("a {kind}"),
    }
}

/// What a key is made of: `a number`, `a text and a number`.
fn words(kinds: &[Kind]) -> String {
    let word = |kind: &Kind| match kind {
        Kind::Number => "a number",
        Kind::Text => "a text",
    };
    kinds.iter().map(word).collect::<Vec<_>>().join(" and ")
}

/// The names of a key's parts that have none, as many as it may have.
const PLACES: [&str; MAX_PARTS] = ["part 1", "part 2", "part 3", "part 4"];

/// A part of a key with its name.
type NamedPart = (Cow<'static, str>, PartValue);

/// The parts of a key with their names.
fn named_parts(answer: &Bound<'_, PyAny>) -> PyResult<Vec<NamedPart>> {
    if let Ok(parts) = answer.cast::<PyTuple>() {
        return parts.iter_borrowed().enumerate().map(|(index, part)| at_place(index, &part)).collect();
    }
    if let Ok(parts) = answer.cast::<PyDict>() {
        return parts
            .iter()
            .map(|(name, part)| Ok((name.str()?.to_string().into(), value(&part)?)))
            .collect();
    }
    if let Ok(parts) = answer.cast::<PyList>() {
        return parts.iter().enumerate().map(|(index, part)| at_place(index, &part)).collect();
    }
    Ok(vec![("key".into(), value(answer)?)])
}

/// A part of a key that has no name.
fn at_place(index: usize, part: &Bound<'_, PyAny>) -> PyResult<NamedPart> {
    let name = PLACES.get(index).map_or_else(|| format!("part {}", index + 1).into(), |&name| name.into());
    Ok((name, value(part)?))
}

fn value(part: &Bound<'_, PyAny>) -> PyResult<PartValue> {
    if part.is_none() {
        return Ok(PartValue::Missing);
    }
    if let Ok(text) = part.cast::<PyString>() {
        return Ok(PartValue::Text(text.to_string()));
    }
    if let Ok(is_last) = part.cast::<PyBool>() {
        return Ok(PartValue::Whole(if is_last.is_true() { 1.0 } else { 0.0 }));
    }
    // Also the numbers of NumPy.
    let is_whole =
        !part.is_instance_of::<PyFloat>() && (part.is_instance_of::<PyInt>() || part.hasattr("__index__")?);
    Ok(match part.extract() {
        Ok(number) if is_whole => PartValue::Whole(number),
        Ok(number) => PartValue::Number(number),
        Err(failed) if is_whole && failed.is_instance_of::<PyOverflowError>(part.py()) => PartValue::TooLarge,
        Err(_) => {
            PartValue::Other(part.get_type().name().map_or_else(|_| "thing".into(), |name| name.to_string()))
        }
    })
}

/// What is wrong with a method that has the name of an event that there is not.
fn unknown_event(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !object.hasattr("key")? {
        return Ok(None);
    }
    for name in object.dir()? {
        let name: String = name.extract()?;
        if name.starts_with("on_") && !FUNCTIONS.iter().any(|(known, ..)| *known == name) {
            let names: Vec<&str> = FUNCTIONS.iter().skip(3).map(|(known, ..)| *known).collect();
            return Ok(Some(format!("there is no event `{name}`; there are {}", names.join(", "))));
        }
    }
    Ok(None)
}

/// Keeps what was raised, the first of all.
fn kept(raised: &Raised, function: &str, failed: PyErr) -> ProgramError {
    let message = format!("`{function}` raised {failed}");
    raised.borrow_mut().get_or_insert(failed);
    error(message)
}

fn error(message: String) -> ProgramError {
    ProgramError { line: 0, column: 0, message }
}
