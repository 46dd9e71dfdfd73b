//! Policies that are objects or functions of Python, by the contract of programs.

mod code;
mod objects;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use fairlane::engine::Control;
use fairlane::policy::{Context, Policy, ProgramError};
use fairlane::scenario::ScenarioError;
use fairlane_custom::CodePolicy;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde_json::Value;

pub use code::Object;
pub use objects::{Cluster, Job, Stage, User};

/// What an object or a function raised, the first of all.
pub type Raised = Rc<RefCell<Option<PyErr>>>;

thread_local! {
    /// The objects of the calls of this thread that simulate now, by the text that stands for each in a scenario.
    static OBJECTS: RefCell<BTreeMap<String, (Py<PyAny>, Raised)>> = const { RefCell::new(BTreeMap::new()) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The policies of one call that are objects. They are known while it lasts.
#[derive(Default)]
pub struct Objects {
    texts: Vec<String>,
    raised: Raised,
}

impl Objects {
    /// Makes an object known, and returns the text that stands for it where a program has its own.
    ///
    /// # Errors
    /// An object that ranks no stages.
    pub fn add(&mut self, object: &Bound<'_, PyAny>) -> PyResult<String> {
        let object = match object.cast::<PyType>() {
            Ok(class) if class.hasattr("key")? => class.call0()?,
            Ok(class) => {
                let message =
                    format!("the class {} has no method `key(stage)`, which ranks a stage", class.name()?);
                return Err(PyTypeError::new_err(message));
            }
            _ => object.clone(),
        };
        if !object.hasattr("key")? && !object.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "a policy is a name, a program, a function of a stage, or an object with `key(stage)`, not {}",
                object.get_type().name()?
            )));
        }
        let number = COUNT.with(|count| count.replace(count.get() + 1));
        let text = format!("an object of Python, {number}");
        let known = (object.unbind(), Rc::clone(&self.raised));
        OBJECTS.with(|objects| objects.borrow_mut().insert(text.clone(), known));
        self.texts.push(text.clone());
        Ok(text)
    }

    /// Whether a policy of a request is one of them.
    pub fn has(&self, requested: &Value) -> bool {
        let text = requested.get("program").and_then(Value::as_str);
        text.is_some_and(|text| self.texts.iter().any(|known| known == text))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a simulation goes on: until something was raised, such as by a handler of a signal.
    pub fn control(&self, py: Python<'_>) -> Control {
        if let Err(error) = py.check_signals() {
            self.raised.borrow_mut().get_or_insert(error);
        }
        if self.raised.borrow().is_some() { Control::Stop } else { Control::Continue }
    }

    /// The result of a call, unless something was raised in it.
    ///
    /// # Errors
    /// What was raised, with its traceback.
    pub fn checked<T>(&self, result: Result<T, ScenarioError>) -> PyResult<T> {
        match self.raised.take() {
            Some(error) => Err(error),
            None => result.map_err(crate::raised),
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        OBJECTS.with(|objects| {
            let gone: Vec<_> = self.texts.iter().map(|text| objects.borrow_mut().remove(text)).collect();
            // An object may simulate when it goes.
            drop(gone);
        });
    }
}

/// The policy that a program's text says, or the object that it stands for.
pub fn create(context: &Context, text: &str, seed: u32) -> Result<Box<dyn Policy>, ProgramError> {
    let known = OBJECTS.with(|objects| {
        let objects = objects.borrow();
        objects
            .get(text)
            .map(|(object, raised)| (Python::attach(|py| object.clone_ref(py)), Rc::clone(raised)))
    });
    match known {
        Some((object, raised)) => {
            Ok(Box::new(CodePolicy::of(context, Object::new(object, raised, context.cores())?, seed)?))
        }
        None => fairlane_custom::create(context, text, seed),
    }
}
