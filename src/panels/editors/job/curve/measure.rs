//! A job measured alone, by workers: the button, how far it is, and what has been measured.

use yew::prelude::*;

use crate::panels::editors::field::{ChoiceField, EditorFields};
use crate::panels::editors::job::Workers;
use crate::panels::measurements::use_points;
use crate::results::measurement::SweepSetting;
use crate::results::shared::Shared;
use crate::store::{Action, Approvals, Document, DocumentAction, SimulationInput};
use crate::ui::send::Handlers;
use crate::ui::table::{Table, columns, plain_row};
use fairlane::ernest::{self, Fit, Sample};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{Cluster, Edit, PartitionMode, Partitioning, PerformanceCurve, Stage};
use fairlane::units::Span;
use fairlane_view::curve;

/// All that the times of a job alone depend on.
#[derive(Clone, PartialEq)]
struct CurveInput {
    job: JobId,
    stages: Vec<Stage>,
    warm_factor: f64,
    cluster: Cluster,
    partitioning: Partitioning,
    mode: PartitionMode,
}

impl CurveInput {
    fn new(document: &Document, job: JobId, mode: PartitionMode) -> CurveInput {
        let scenario = &document.scenario;
        let spec = &scenario.jobs()[job.index()];
        CurveInput {
            job,
            stages: spec.stages.clone(),
            warm_factor: spec.warm_factor,
            cluster: scenario.cluster().clone(),
            partitioning: scenario.partitioning().clone(),
            mode,
        }
    }
}

/// What has been measured: a sample for each number of cores, or why there is none.
type Result<T> = std::result::Result<T, String>;

/// How far a measurement is.
#[derive(Clone, PartialEq)]
enum MeasureStatus {
    /// Nobody has asked for it.
    None,
    /// Numbers of cores that are measured, and of all of them.
    UnderWay(usize, usize),
    Done(Result<Vec<Sample>>),
}

/// The measurement of a job as it is now.
pub(super) struct Measurement {
    status: MeasureStatus,
    start: Callback<MouseEvent>,
    cancel: Callback<MouseEvent>,
}

impl Measurement {
    /// All samples, once they are there.
    pub(super) fn samples(&self) -> &[Sample] {
        match &self.status {
            MeasureStatus::Done(Ok(samples)) => samples,
            _ => &[],
        }
    }
}

/// Makes workers measure the job on one number of cores after the other, once that is asked for. What has been measured
/// stays as long as the job is the same, whatever curve it is given.
#[hook]
pub(super) fn use_measurement(
    document: &Shared<Document>,
    job: JobId,
    mode: PartitionMode,
    workers: &Workers,
) -> Measurement {
    let asked = use_state_eq(|| None::<CurveInput>);
    let done = use_state_eq(|| None::<(CurveInput, Result<Vec<Sample>>)>);
    let subject = CurveInput::new(document, job, mode);
    let under_way = asked.as_ref() == Some(&subject);
    let counts = ernest::core_counts(&document.scenario);
    let policy = PolicyId { kind: PolicyKind::Fifo, partitioning: mode };
    let point = |&cores: &u32| SweepSetting::alone(job, cores).under(policy);
    let figure = |cores: &u32| match workers.means.get(&point(cores))? {
        Ok(micros) => Some(Ok(Sample { cores: *cores, response: Span(*micros as u64) })),
        Err(why) => Some(Err(why.clone())),
    };
    let known: Vec<Result<Sample>> = counts.iter().filter_map(figure).collect();
    let failed = known.iter().any(Result::is_err);
    let wanted = match under_way && !failed {
        true => counts.iter().map(point).filter(|point| !workers.means.contains_key(point)).collect(),
        false => Vec::new(),
    };
    // FIFO is no program.
    let source = SimulationInput::whole(document.clone(), Approvals::default());
    use_points(workers.revision, source, wanted, &workers.pool);
    let complete = under_way && (failed || known.len() == counts.len());
    {
        let (asked, done) = (asked.setter(), done.setter());
        let result: Result<Vec<Sample>> = known.iter().cloned().collect();
        use_effect_with((complete, subject.clone()), move |(complete, subject)| {
            if *complete {
                done.set(Some((subject.clone(), result)));
                asked.set(None);
            }
        });
    }
    let status = match &*done {
        _ if under_way => MeasureStatus::UnderWay(known.len(), counts.len()),
        Some((of, result)) if *of == subject => MeasureStatus::Done(result.clone()),
        _ => MeasureStatus::None,
    };
    let start = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| asked.set(Some(subject.clone())))
    };
    let cancel = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| asked.set(None))
    };
    Measurement { status, start, cancel }
}

/// The button that measures, and what has been measured.
pub(super) fn measuring(
    fields: &EditorFields,
    job: JobId,
    mode: &UseStateHandle<PartitionMode>,
    measurement: &Measurement,
    fit: Option<&Fit>,
) -> Html {
    let pick = {
        let mode = mode.setter();
        Callback::from(move |word: String| {
            mode.set(if word == "runtime" { PartitionMode::Runtime } else { PartitionMode::Default })
        })
    };
    let use_curve = |curve: Option<PerformanceCurve>| {
        let edit = Action::Document(DocumentAction::Edit(Edit::Curve { job, curve, handle: None }));
        fields.send.press(edit)
    };
    // Always there, so that screen readers notice when it changes.
    let words = match (&measurement.status, fit) {
        (MeasureStatus::None, _) => String::new(),
        (MeasureStatus::UnderWay(known, all), _) => format!("Measured on {known} of {all} numbers of cores…"),
        (MeasureStatus::Done(Err(why)), _) => format!("Not measured: {why}."),
        (MeasureStatus::Done(Ok(_)), None) => "The job takes no time, so it has no curve.".to_owned(),
        (MeasureStatus::Done(Ok(_)), Some(fit)) => {
            let off = number::percent(fit.largest_error, 1);
            format!("Fit: {} seconds on x cores, at most {off} off.", curve::formula(&fit.coefficients))
        }
    };
    let failed = matches!(measurement.status, MeasureStatus::Done(Err(_)));
    let options = vec![("default".into(), "default".into()), ("runtime".into(), "runtime (-P)".into())];
    html! {
        <>
            <ChoiceField id="curve-mode" label="Measured with"
                help="The partitioning under which the job is measured alone." {pick} {options}
                value={if **mode == PartitionMode::Runtime { "runtime" } else { "default" }} />
            if let MeasureStatus::UnderWay(known, all) = measurement.status {
                <div class="buttons">
                    <progress id="curve-progress" max={all.to_string()} value={known.to_string()}
                        aria-label="Measuring"></progress>
                    <button type="button" class="small" id="curve-cancel"
                        onclick={measurement.cancel.clone()}>{ "Cancel" }</button>
                </div>
            } else {
                <button type="button" id="curve-measure" onclick={measurement.start.clone()}
                    title="Simulates the job alone on 1, 2, 4, … cores up to the cluster's and fits Ernest's model">{ "Measure the job alone" }</button>
            }
            <p class={classes!("hint", failed.then_some("bad"))} role="status" id="curve-measured">{ words }</p>
            if let (MeasureStatus::Done(Ok(samples)), Some(fit)) = (&measurement.status, fit) {
                { table(samples, fit) }
                <div class="buttons">
                    <button type="button" class="small" id="curve-use-fit"
                        onclick={use_curve(Some(fit.curve()))}>{ "Use the fit" }</button>
                    <button type="button" class="small" id="curve-use-points"
                        onclick={use_curve(ernest::points(samples))}>{ "Use the points" }</button>
                </div>
            }
        </>
    }
}

/// The measured times beside those of the fit.
fn table(samples: &[Sample], fit: &Fit) -> Html {
    html! {
        <Table id="curve-samples" label="Response time of the job alone by number of cores"
            columns={columns(["Cores", "Alone, s", "Fit, s", "Progress"])}>
            { for samples.iter().map(|sample| {
                let alone = sample.response.seconds();
                plain_row(sample.cores, [alone, fit.seconds(sample.cores), fit.shortest / alone].map(number::short))
            }) }
        </Table>
    }
}
