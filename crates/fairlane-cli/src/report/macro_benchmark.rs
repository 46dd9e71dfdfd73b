//! The report on Table 2 of the UWFQ paper.

use super::{TableFormatting, percent, unsigned};
use crate::table::wrapped;
use fairlane::number;
use fairlane::policy::PolicyKind;
use fairlane_study::fidelity::table_2::{self, Assumption, Table2Row, Times};

/// The columns of ranks.
const RANKS: [&str; 3] = ["0-80 %", "80-95 %", "95-100 %"];

/// All tables about it.
pub(super) fn text(layout: TableFormatting, rows: &[Table2Row]) -> String {
    let part = |sentences: &str, table: String| format!("{}\n\n{table}", wrapped(sentences, 118).join("\n"));
    layout.heading("The paper's Table 2: measured on real Spark, and simulated")
        + &part(
            "Response times of job groups in seconds, counted as the authors counted, those of some users twice. \
             Two figures in a cell are published/simulated; published are averages over all runs.",
            as_published(layout, rows),
        )
        + &part(
            "Outlier runs left out: measured and simulated means, and the errors of the mean, of the ranks and of the \
             makespan. Once: the simulated mean with each group counted once, as it should be.",
            without_outliers(layout, rows),
        )
        + &part(
            "Against UJF with the same partitioning: published / without outlier runs / simulated / simulated, with \
             each group counted once.",
            against_ujf(layout, rows),
        )
        + &part(
            "What the simulation rests on: errors over the eight rows, without outlier runs, and two of the errors of \
             UWFQ-P.",
            assumptions(layout),
        )
}

fn columns<'a>(first: &[&'a str], ranks: &[&'a str], last: &[&'a str]) -> Vec<&'a str> {
    [first, ranks, last].concat()
}

fn as_published(layout: TableFormatting, rows: &[Table2Row]) -> String {
    let row = |row: &Table2Row| {
        let pairs = row.published.all().into_iter().zip(row.simulated.all());
        let cells = pairs.map(|(published, simulated)| format!("{published:.1}/{simulated:.1}"));
        [row.policy.title()].into_iter().chain(cells).collect()
    };
    layout.table(&columns(&["policy", "mean"], &RANKS, &["makespan"]), 1, rows.iter().map(row).collect())
}

fn without_outliers(layout: TableFormatting, rows: &[Table2Row]) -> String {
    let row = |row: &Table2Row| {
        let figures = [
            row.policy.title(),
            row.regular_runs.to_string(),
            format!("{:.2}", row.measured.mean),
            format!("{:.2}", row.simulated.mean),
        ];
        let once = format!("{:.2}", row.once.mean);
        figures.into_iter().chain(row.errors().map(percent)).chain([once]).collect()
    };
    let first = ["policy", "runs", "measured s", "simulated s", "error"];
    layout.table(&columns(&first, &RANKS, &["makespan", "once s"]), 1, rows.iter().map(row).collect())
}

fn against_ujf(layout: TableFormatting, rows: &[Table2Row]) -> String {
    let row = |row: &Table2Row| {
        let ujf = rows.iter().find(|ujf| {
            ujf.policy.kind == PolicyKind::Ujf && ujf.policy.partitioning == row.policy.partitioning
        })?;
        if row.policy == ujf.policy {
            return None;
        }
        let of: [fn(&Table2Row) -> &Times; 4] =
            [|row| &row.published, |row| &row.measured, |row| &row.simulated, |row| &row.once];
        let changes = of.map(|times| times(row).against(times(ujf)));
        let cell = |index: usize| {
            let figures = changes.map(|change| number::signed_percent(change[index], 0).replace(" %", ""));
            figures.join(" / ") + " %"
        };
        Some([row.policy.title()].into_iter().chain((0..4).map(cell)).collect())
    };
    layout.table(&columns(&["policy", "mean"], &RANKS, &[]), 1, rows.iter().filter_map(row).collect())
}

fn assumptions(layout: TableFormatting) -> String {
    let row = |assumption: Assumption| {
        let rows = table_2::rows_under(assumption);
        let errors: Vec<[f64; 5]> = rows.iter().map(Table2Row::errors).collect();
        let worst = |range: std::ops::Range<usize>| {
            let all = errors.iter().flat_map(|row| row[range.clone()].iter().map(|error| error.abs()));
            unsigned(all.fold(0.0, f64::max))
        };
        let mean = errors.iter().map(|row| row[0].abs()).sum::<f64>() / errors.len().max(1) as f64;
        let last = errors.last().copied().unwrap_or_default();
        vec![
            assumption.title().to_owned(),
            unsigned(mean),
            worst(0..1),
            worst(1..4),
            worst(4..5),
            percent(last[2]),
            percent(last[3]),
        ]
    };
    let columns =
        ["assumption", "means", "worst mean", "worst rank", "worst makespan", "80-95 %", "95-100 %"];
    layout.table(&columns, 1, Assumption::ALL.map(row).into())
}
