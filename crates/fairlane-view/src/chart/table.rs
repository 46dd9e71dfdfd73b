//! A chart's numbers as rows and columns.

use super::{Chart, ChartPoint, SeriesShape, between};
use crate::export::csv::record;

/// A chart's numbers: a row for each item, a column for each series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartTable {
    /// Headings, with units.
    pub head: Vec<String>,
    /// As many cells in each as there are headings; a dash where there is no figure.
    pub rows: Vec<Vec<String>>,
    /// Rows that were left out at the end.
    pub left_out: usize,
}

impl ChartTable {
    /// Headings first, with lines ending in CR LF; a field is empty where there is no figure.
    pub fn csv(&self) -> String {
        // A minus is a hyphen here, as programs expect.
        let plain =
            |cell: &String| if cell == ChartTable::NONE { String::new() } else { cell.replace('−', "-") };
        let line = |cells: &Vec<String>| record(&cells.iter().map(plain).collect::<Vec<_>>()) + "\r\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

impl Chart {
    /// The chart's numbers, `most` rows at most.
    pub fn table(&self, most: usize) -> ChartTable {
        let mut items: Vec<ChartPoint> =
            self.series.iter().flat_map(|series| series.points.iter().copied()).collect();
        match self.shape {
            // Each line has points of its own: a row for each value of the axis.
            SeriesShape::Lines => {
                items.sort_by(|one, other| one.x.total_cmp(&other.x));
                items.dedup_by_key(|point| point.x);
            }
            // In the order of the items, which is that of the file, of ranks or of time.
            _ => {
                items.sort_by_key(|point| point.item);
                items.dedup_by_key(|point| point.item);
            }
        }
        let left_out = items.len().saturating_sub(most);
        items.truncate(most);
        let answers = match self.shape {
            SeriesShape::Shares | SeriesShape::Bars => &self.x,
            _ => &self.y,
        };
        let own = self.item_axis();
        let mut head = vec![self.item.clone()];
        head.extend(own.map(|axis| axis.name.clone()));
        head.extend(self.series.iter().map(|series| match self.series.len() {
            // With a single series the heading must say what the figures are.
            1 => format!("{}, {}", series.name, answers.name),
            _ => series.name.clone(),
        }));
        // Each series is walked along once, however many points it has.
        let mut sorted: Vec<Vec<ChartPoint>> =
            self.series.iter().map(|series| series.points.clone()).collect();
        for points in &mut sorted {
            points.sort_by_key(|point| point.item);
        }
        let rows = items.iter().map(|item| {
            let mut row = vec![self.item_text(*item)];
            row.extend(own.map(|axis| axis.unit.text(item.x)));
            row.extend(sorted.iter().map(|points| {
                if self.shape == SeriesShape::Lines {
                    return between(points, item.x)
                        .map_or(ChartTable::NONE.to_owned(), |y| answers.unit.text(y));
                }
                let index = points.binary_search_by_key(&item.item, |point| point.item);
                index.map_or(ChartTable::NONE.to_owned(), |index| {
                    let point = points[index];
                    let figure = if matches!(self.shape, SeriesShape::Shares | SeriesShape::Bars) {
                        point.x
                    } else {
                        point.y
                    };
                    answers.unit.text(figure)
                })
            }));
            row
        });
        let rows = rows.collect();
        ChartTable { head, rows, left_out }
    }

    /// The axis of a figure that belongs to the item itself, such as a job's size.
    fn item_axis(&self) -> Option<&super::Axis> {
        (self.shape == SeriesShape::Dots).then_some(&self.x)
    }

    /// An item without its unit, which the heading has.
    fn item_text(&self, point: ChartPoint) -> String {
        match self.names.get(point.item as usize) {
            Some(name) => name.clone(),
            None if self.shape == SeriesShape::Shares => self.y.unit.text(point.y),
            None => self.x.unit.text(point.x),
        }
    }
}

impl ChartTable {
    /// Shown where there is no figure.
    pub const NONE: &str = "–";
}

#[cfg(test)]
mod tests {
    use super::super::{Bars, Grouping, ecdf, user_bars};
    use super::ChartTable;
    use fairlane::ids::UserId;
    use fairlane::trace::{JobRun, Outcome};
    use fairlane::units::Time;

    #[test]
    fn a_table_of_bars_has_a_row_for_each_group_and_a_dash_for_no_figure() {
        let rows = [
            ("fair".parse().expect("a policy"), vec![Some(1.0), None]),
            ("uwfq-p".parse().expect("a policy"), vec![Some(123.46), Some(2.0)]),
        ];
        let users = ["ana".to_owned(), "ben, the 2nd".to_owned()];
        let table = user_bars(&Bars::RESPONSE, &rows, &users, Grouping::Policy).table(100);
        assert_eq!(table.head, ["policy", "ana", "ben, the 2nd"]);
        assert_eq!(table.rows, [["Fair", "1.00", "–"], ["UWFQ-P", "123.5", "2.00"]]);
        let table = user_bars(&Bars::RESPONSE, &rows, &users, Grouping::User).table(1);
        assert_eq!(table.head, ["user", "Fair", "UWFQ-P"]);
        assert_eq!(
            (table.rows, table.left_out),
            (vec![vec!["ana".into(), "1.00".into(), "123.5".into()]], 1)
        );
    }

    #[test]
    fn a_table_of_shares_shows_when_each_share_is_completed() {
        let run = |finish| JobRun {
            user: UserId(0),
            arrival: Time(0),
            started: Some(Time(0)),
            outcome: Outcome::Finished(Time(finish)),
        };
        let (one, other) = ([run(4_000_000), run(1_000_000)], [run(2_000_000), run(3_000_000)]);
        let inputs =
            [("fair".parse().expect("a policy"), &one[..]), ("uwfq".parse().expect("a policy"), &other[..])];
        let table = ecdf(&inputs, None, &["ana".to_owned()]).table(100);
        assert_eq!(table.head, ["share of jobs", "Fair", "UWFQ"]);
        assert_eq!(table.rows, [["50 %", "1.00", "2.00"], ["100 %", "4.00", "3.00"]]);
    }

    #[test]
    fn a_file_has_no_typography() {
        let text = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rows = vec![text(&["Fair", "−1.5 %", ChartTable::NONE])];
        let table = ChartTable { head: text(&["policy", "ana", "ben, the 2nd"]), rows, left_out: 0 };
        assert_eq!(table.csv(), "policy,ana,\"ben, the 2nd\"\r\nFair,-1.5 %,\r\n");
    }
}
