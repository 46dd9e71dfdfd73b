//! Executors that come and go, over a chart: their number as a staircase, and the cores that are not there.

use yew::prelude::*;

use super::marks::MarksProps;
use fairlane_view::executors;

/// Nothing where all executors are always there.
#[component]
pub fn Executors(props: &MarksProps) -> Html {
    let MarksProps { analysis, axis, rows } = props;
    let cluster = analysis.scenario.cluster();
    let steps = executors::steps(&analysis.trace, *axis);
    if steps.is_empty() {
        return Html::default();
    }
    let (height, all) = (f64::from(rows.height), f64::from(cluster.executors));
    // From the top down, as the rows of executors 0, 1, … are.
    let y = |count: u32| height * f64::from(count) / all;
    let path: String = steps
        .windows(2)
        .enumerate()
        .map(|(index, step)| {
            let begin = if index == 0 { 'M' } else { 'L' };
            format!("{begin}{:.4} {:.2}H{:.4}", step[0].0, y(step[0].1), step[1].0)
        })
        .collect();
    // Of cores that share rows only the staircase is shown.
    let distinct = rows.bands.len() == rows.cores as usize;
    let absences =
        if distinct { executors::absences(&analysis.trace, cluster.executors, *axis) } else { Vec::new() };
    let band = |core: u32| rows.bands.get(core.checked_sub(rows.first)? as usize);
    let absent = |(executor, from, to): (u32, f64, f64)| {
        let cores = executor * cluster.cores_per_executor..(executor + 1) * cluster.cores_per_executor;
        let (top, bottom) = (cores.clone().find_map(band)?.0, cores.rev().find_map(band)?.1);
        let style = format!(
            "left:{:.3}%;width:{:.3}%;top:{top}px;height:{}px",
            from * 100.0,
            (to - from) * 100.0,
            bottom - top
        );
        Some(html! { <i class="absent" {style}></i> })
    };
    let counts = steps.iter().map(|step| step.1);
    let words = format!(
        "{} to {} of {} executors are there",
        counts.clone().min().unwrap_or_default(),
        counts.max().unwrap_or_default(),
        cluster.executors
    );
    html! {
        <>
            { for absences.into_iter().filter_map(absent) }
            if rows.cores == cluster.cores() {
                <svg class="executors" viewBox={format!("0 0 1 {height}")} preserveAspectRatio="none" role="img"
                    aria-label={words.clone()}>
                    <title>{ words }</title>
                    <path d={path} vector-effect="non-scaling-stroke" />
                </svg>
            }
        </>
    }
}
