//! The performance curve of a job: drawn, pulled by its handles, or measured.

mod measure;
mod picture;

use yew::prelude::*;

use super::Workers;
use crate::panels::editors::field::{ChoiceField, EditorFields};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction};
use crate::ui::send::use_send;
use fairlane::ernest;
use fairlane::ids::JobId;
use fairlane::scenario::field::FieldError;
use fairlane::scenario::{Edit, PartitionMode, PerformanceCurve, field};
use fairlane_view::curve::{self, TERMS};
use measure::{measuring, use_measurement};
use picture::Picture;

#[derive(Properties, PartialEq)]
pub struct CurveEditorProps {
    pub document: Shared<Document>,
    pub job: JobId,
    pub workers: Workers,
}

#[component]
pub fn CurveEditor(props: &CurveEditorProps) -> Html {
    let send = use_send();
    let CurveEditorProps { document, job, workers } = props;
    let (scenario, job) = (&document.scenario, *job);
    let cores = scenario.cluster().cores();
    let given = scenario.jobs()[job.index()].curve.as_ref();
    let mode = use_state_eq(|| PartitionMode::Default);
    let measurement = use_measurement(document, job, *mode, workers);
    let fit = ernest::fit(measurement.samples());
    let fields = EditorFields { document, send: &send };
    let form = match given {
        None => "none",
        Some(PerformanceCurve::Points(_)) => "points",
        Some(PerformanceCurve::Ernest(_)) => "ernest",
    };
    let now = given.cloned();
    let pick = send.reform(move |word: String| {
        let from = now.clone().unwrap_or_else(|| curve::first_drawn(cores));
        let curve = match word.as_str() {
            "points" => Some(curve::as_points(&from, cores)),
            "ernest" => Some(curve::as_ernest(&from, cores)),
            _ => None,
        };
        Action::Document(DocumentAction::Edit(Edit::Curve { job, curve, handle: None }))
    });
    html! {
        <div class="curve-editor">
            <ChoiceField id="curve-form" label="Curve"
                help="Progress by number of slots. PAF moves slots by it; a job without one keeps its fair share."
                {pick} value={form}
                options={vec![("none".into(), "none".into()), ("points".into(), "points".into()),
                ("ernest".into(), "Ernest's model".into())]} />
            if given.is_some() || fit.is_some() {
                <Picture {cores} curve={given.cloned()} samples={measurement.samples().to_vec()} fit={fit.clone()}
                    {job} />
            }
            { figures(&fields, job, given) }
            { measuring(&fields, job, &mode, &measurement, fit.as_ref()) }
        </div>
    }
}

/// The curve in figures.
fn figures(fields: &EditorFields, job: JobId, given: Option<&PerformanceCurve>) -> Html {
    let whole = move |curve| Edit::Curve { job, curve: Some(curve), handle: None };
    match given {
        None => Html::default(),
        Some(PerformanceCurve::Points(points)) => html! {
            <div class="wide">
                { fields.typed("curve-points", "Points", "",
                    "Slots and progress, such as 1 0.2, 8 0.9. Between points the curve is straight.",
                        field::points_text(points),
                    None, move |text| field::points(text).map(|points| whole(PerformanceCurve::Points(points)))) }
            </div>
        },
        Some(&PerformanceCurve::Ernest(coefficients)) => {
            let helps = [
                "Time that is divided by the number of slots, in units of progress 1.",
                "Time that stays the same on any number of slots.",
                "Time that grows with the logarithm of the slots, such as that of a tree of sums.",
                "Time that each further slot adds.",
            ];
            html! {
                <>
                    { for TERMS.iter().zip(helps).map(|(&(name, index), help)| {
                        let (first, rest) = name.split_at(1);
                        let read = move |text: &str| {
                            let mut coefficients = coefficients;
                            coefficients[index] = field::number(text)?;
                            Ok::<_, FieldError>(whole(PerformanceCurve::Ernest(coefficients)))
                        };
                        let label = format!("{}{rest}", first.to_uppercase());
                        fields.typed(format!("curve-a{index}"), label, "", help, coefficients[index].to_string(),
                            None, read)
                    }) }
                    <p class="hint">{ format!("Progress on x slots: 1 / ({})", curve::formula(&coefficients)) }</p>
                </>
            }
        }
    }
}
