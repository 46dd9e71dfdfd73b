//! The work that needs more of the program than is loaded at first. The page hands it to its workers, so that this room
//! need not know what else is loaded with it.

use std::future::Future;
use std::pin::Pin;

use js_sys::Array;

use crate::results::measurement::MeasurementRequest;
use crate::store::LogRules;
use fairlane::engine::Control;
use fairlane::metrics::Properties;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

/// Is told the fraction of the work that is done, and says whether to go on.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(f64) -> Control;

type MeasurePoint =
    fn(&Scenario, PolicyId, MeasurementRequest, Option<&str>, ProgressCallback) -> Result<f64, String>;

/// Functions of a worker that are loaded later. Once they are there, programs and trained policies run, too.
pub struct LazyWork {
    /// Reads a real cluster's log.
    pub import: fn(&LogRules, &Array) -> Result<(), String>,
    /// Measures a point of a sweep.
    pub measure: MeasurePoint,
    /// Checks the properties of a policy.
    pub check: fn(&Scenario, PolicyId, ProgressCallback) -> Result<Box<Properties>, String>,
}

/// The parts failed to load, most likely for lack of a connection. They can be asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// Loads the functions, unless they are there.
pub type LoadWork = fn() -> Pin<Box<dyn Future<Output = Result<&'static LazyWork, Unreachable>>>>;
