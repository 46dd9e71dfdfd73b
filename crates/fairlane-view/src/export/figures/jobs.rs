//! The figures of single jobs.

use serde::Serialize;

use fairlane::metrics::{Evaluation, Fairness, ResponseGroup, Summary, slowdown};
use fairlane::units::{MICROS_PER_SECOND, Span, Time};

/// One job under one policy.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct JobFigures<'a> {
    /// Index in the file.
    pub job: usize,
    /// Who submits it.
    pub user: &'a str,
    /// Empty if the file gives none.
    pub name: &'a str,
    /// When it arrives.
    pub arrival_s: f64,
    /// When its last stage ends; `null` if it did not finish.
    pub finish_s: Option<f64>,
    /// From arrival to finish; `null` if it did not finish.
    pub response_s: Option<f64>,
    /// Response time alone on the idle cluster, same policy and partitioning; `null` if it does not even finish alone.
    pub alone_s: Option<f64>,
    /// Response time over that alone, a ratio; `null` if the job alone takes no time.
    pub slowdown: Option<f64>,
    /// Its group by response time: ranks in per cent; `null` if it did not finish.
    pub group: Option<&'static str>,
    /// When it finishes under practical UJF with the same partitioning; `null` where that was not
    /// simulated.
    pub finish_ujf_s: Option<f64>,
    /// Its proportional delay against that, the paper's r, a ratio; `null` if it would take no time.
    pub r_ujf: Option<f64>,
    /// When it finishes under the fluid UJF.
    pub finish_fluid_s: f64,
    /// Its proportional delay against that, a ratio; `null` if it would take no time.
    pub r_fluid: Option<f64>,
    /// Inversion time; `null` under policies that define none, or not computed.
    pub inversion_s: Option<f64>,
    /// Core time that is idle behind its stragglers; `null` where it was not computed.
    pub straggler_idle_core_s: Option<f64>,
    /// `dropped`, `rejected` or `cancelled`; left out if it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// When it was; left out if it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_s: Option<f64>,
}

/// Every job's figures, by index in the file.
pub fn job_figures(run: &Evaluation) -> impl Iterator<Item = JobFigures<'_>> {
    let scenario = &run.scenario;
    let Summary { groups, fluid, ujf, blocking, .. } = &run.summary;
    let (ujf, blocking) = (ujf.as_ref(), blocking.as_ref());
    let finish = |fairness: &Fairness, job: usize| fairness.reference.finishes[job] / MICROS_PER_SECOND;
    let jobs = scenario.jobs().iter().zip(&run.trace.jobs).zip(&run.alone).enumerate();
    jobs.map(move |(index, ((job, job_run), &alone))| JobFigures {
        outcome: job_run.finish().is_none().then(|| job_run.outcome.name()),
        ended_s: job_run.finish().is_none().then(|| job_run.end().seconds()),
        job: index,
        user: &scenario.users()[job.user.index()].name,
        name: &job.name,
        arrival_s: job_run.arrival.seconds(),
        finish_s: job_run.finish().map(Time::seconds),
        response_s: job_run.response().map(Span::seconds),
        alone_s: alone.map(Span::seconds),
        slowdown: job_run.response().zip(alone).and_then(|(response, alone)| slowdown(response, alone)),
        group: groups[index].map(ResponseGroup::label),
        finish_ujf_s: ujf.map(|ujf| finish(ujf, index)),
        r_ujf: ujf.and_then(|ujf| ujf.delays[index]),
        finish_fluid_s: finish(fluid, index),
        r_fluid: fluid.delays[index],
        inversion_s: blocking.and_then(|it| Some(it.inversion.as_ref()?[index].seconds())),
        straggler_idle_core_s: blocking.map(|it| it.straggler_idle_by_job[index].seconds()),
    })
}
