//! The columns of the tables that compare policies: what `fairlane compare` prints and the page's results show, each
//! in its own type.

use super::figures::{Better, DEVIATION, Figure, Figures, Format, PartFigures, TableFormat, UserFigures};
use fairlane::metrics::{Deviation, Evaluation, ResponseGroup};
use fairlane::policy::PolicyKind;
use fairlane::scenario::User;

/// A column: a figure of each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureColumn {
    /// Heading.
    pub name: String,
    /// The figures' unit; empty for ratios and counts.
    pub unit: &'static str,
    /// What it means, with the unit.
    pub meaning: String,
    /// Which figures are the best.
    pub better: Better,
    /// How figures are written.
    pub format: Format,
    /// A figure per policy, `None` where it does not exist.
    pub figures: Vec<Option<f64>>,
}

impl FigureColumn {
    /// A column of figures that are shown like this.
    pub fn new(shown: TableFormat, meaning: &str, figures: Vec<Option<f64>>) -> FigureColumn {
        let TableFormat { heading, unit, better, format } = shown;
        FigureColumn { name: heading.to_owned(), unit, meaning: meaning.to_owned(), better, format, figures }
    }

    /// The column under another heading.
    pub fn named(self, name: &str) -> FigureColumn {
        FigureColumn { name: name.to_owned(), ..self }
    }

    /// The column with another meaning.
    fn meaning(self, meaning: String) -> FigureColumn {
        FigureColumn { meaning, ..self }
    }

    /// Whether a row's figure is the best, or one of several as shown; none is where all are equal.
    pub fn is_best(&self, row: usize) -> bool {
        let known = || self.figures.iter().flatten().map(|&figure| self.format.steps(figure));
        let (least, most) = (known().min(), known().max());
        let best = match self.better {
            Better::Less => least,
            Better::More => most,
            Better::Neither => None,
        };
        let own = self.figures[row].map(|figure| self.format.steps(figure));
        own.is_some() && own == best && least != most
    }

    /// Whether any policy has a figure.
    fn exists(&self) -> bool {
        self.figures.iter().any(Option::is_some)
    }
}

/// Makes the columns of a comparison.
#[derive(Clone, Debug)]
pub struct FigureColumns<'a> {
    /// The users who have columns: those of the first run.
    pub users: &'a [User],
    /// Each policy's run.
    pub runs: &'a [&'a Evaluation],
    /// Their figures.
    figures: Vec<Figures>,
}

impl<'a> FigureColumns<'a> {
    /// Columns of some runs. They need not be of one scenario, as while the page waits for the runs of an edited one: a
    /// user has the figures of the runs that have this user too.
    pub fn new(runs: &'a [&'a Evaluation]) -> FigureColumns<'a> {
        let users = runs.first().map_or(&[][..], |run| run.scenario.users());
        let figures = runs.iter().map(|&run| Figures::unhashed(run)).collect();
        FigureColumns { users, runs, figures }
    }

    /// A column of a figure of what each policy's figures have.
    fn of<T>(&self, figure: &Figure<T>, part: impl Fn(&Figures) -> Option<&T>) -> FigureColumn {
        let figures = self.figures.iter().map(|figures| (figure.value)(part(figures)?)).collect();
        FigureColumn::new(figure.shown, figure.meaning, figures)
    }

    /// A column of the figure of that id.
    pub fn column(&self, id: &str) -> FigureColumn {
        self.of(Figures::find(id), |figures| Some(figures))
    }

    /// The columns of these ids that have any figure.
    fn known(&self, ids: &[&str]) -> Vec<FigureColumn> {
        ids.iter().map(|id| self.column(id)).filter(FigureColumn::exists).collect()
    }

    /// A figure of a user or a group.
    fn of_part(&self, id: &str, part: impl Fn(&Figures) -> Option<&PartFigures>) -> FigureColumn {
        let figure = PartFigures::table().find(|figure| figure.id == id);
        self.of(figure.expect("figures are asked for by ids of the table"), part)
    }

    /// A user's figures of a run; `None` if that is of a scenario without this user at this place.
    fn figures_of<'b>(&self, user: usize, figures: &'b Figures) -> Option<&'b UserFigures> {
        figures.users.get(user).filter(|figures| figures.user == self.users[user].name)
    }

    /// A figure of a user under the user's name.
    fn of_user(&self, id: &str, user: usize) -> FigureColumn {
        let figure = UserFigures::table().find(|figure| figure.id == id);
        let figure = figure.expect("figures are asked for by ids of the table");
        self.of(figure, |figures| self.figures_of(user, figures)).named(&self.users[user].name)
    }

    /// Mean and worst response times, slowdown and makespan of all jobs.
    pub fn overview(&self) -> [FigureColumn; 4] {
        ["mean_response_s", "worst_10_percent_response_s", "mean_slowdown", "makespan_s"]
            .map(|id| self.column(id))
    }

    /// What half, 95 and 99 per cent of the response times do not exceed.
    pub fn percentiles(&self) -> [FigureColumn; 3] {
        ["p50_response_s", "p95_response_s", "p99_response_s"].map(|id| self.column(id))
    }

    /// A user's mean response time.
    pub fn user(&self, user: usize) -> FigureColumn {
        let name = &self.users[user].name;
        let column =
            self.of_part("mean_response_s", |figures| self.figures_of(user, figures).map(|user| &user.part));
        column.named(name).meaning(format!("Mean response time of {name}'s jobs, in seconds"))
    }

    /// Mean response times by rank.
    pub fn groups(&self) -> impl Iterator<Item = FigureColumn> {
        let meanings = [
            "Mean response time of the fastest 80 % of jobs, in seconds",
            "Mean response time of the next 15 %, in seconds",
            "Mean response time of the slowest 5 %, in seconds",
        ];
        ResponseGroup::ALL.into_iter().zip(meanings).map(|(group, meaning)| {
            let column = self.of_part("mean_response_s", |figures| Some(&figures.groups[group.index()].part));
            column.named(group.label()).meaning(meaning.to_owned())
        })
    }

    /// Mean slowdowns by rank.
    pub fn group_slowdowns(&self) -> impl Iterator<Item = FigureColumn> {
        ResponseGroup::ALL
            .into_iter()
            .map(|group| self.of_part("mean_slowdown", |figures| Some(&figures.groups[group.index()].part)))
    }

    /// Violations and slacks against UJF with the same partitioning, and Jain's index. None of UJF itself, which the
    /// others are measured against.
    pub fn against_ujf(&self) -> Vec<FigureColumn> {
        let mut columns = self.deviation("under UJF with the same partitioning", |run, figures| {
            figures.against_ujf.as_ref().filter(|_| run.trace.policy.kind != PolicyKind::Ujf)
        });
        columns.push(self.column("jain_slowdown"));
        columns
    }

    /// Violations and slacks against the fluid ideal, and the largest delay.
    pub fn against_ideal(&self) -> Vec<FigureColumn> {
        let mut columns = self.deviation("under the fluid ideal", |_, figures| Some(&figures.against_fluid));
        columns.push(self.column("furthest_behind_s"));
        columns
    }

    fn deviation(
        &self,
        than: &str,
        of: impl for<'b> Fn(&Evaluation, &'b Figures) -> Option<&'b Deviation>,
    ) -> Vec<FigureColumn> {
        let column = |figure: &Figure<Deviation>| {
            let runs = self.runs.iter().zip(&self.figures);
            let figures = runs.map(|(run, figures)| (figure.value)(of(run, figures)?)).collect();
            FigureColumn::new(figure.shown, &figure.meaning.replace("{than}", than), figures)
        };
        DEVIATION.iter().map(column).collect()
    }

    /// A user's mean response time against that under UJF.
    pub fn user_against_ujf(&self, user: usize) -> FigureColumn {
        let column = self.without_ujf(self.of_user("r_ujf", user));
        let of_user = format!("{}'s jobs", column.name);
        let meaning = column.meaning.replace("the user's jobs", &of_user);
        column.meaning(meaning)
    }

    /// The column without a figure of UJF itself.
    fn without_ujf(&self, column: FigureColumn) -> FigureColumn {
        let figures = self.runs.iter().zip(&column.figures);
        let figures =
            figures.map(|(run, figure)| figure.filter(|_| run.trace.policy.kind != PolicyKind::Ujf));
        FigureColumn { figures: figures.collect(), ..column }
    }

    /// How many users wait longer than under UJF, and how many do not.
    pub fn users_against_ujf(&self) -> [FigureColumn; 2] {
        ["violations", "slacks"].map(|id| {
            let figure = DEVIATION.iter().find(|figure| figure.id == id).expect("a figure of the table");
            let value = |run: &Evaluation| (figure.value)(&run.summary.ujf.as_ref()?.among_users);
            let column = FigureColumn::new(figure.shown, "", self.runs.iter().copied().map(value).collect());
            self.without_ujf(column.named(if id == "violations" { "longer" } else { "no longer" }))
        })
    }

    /// How many jobs did not finish; empty if all did under all policies.
    pub fn unfinished(&self) -> Vec<FigureColumn> {
        self.above_zero(&["dropped", "rejected", "cancelled"])
    }

    /// The columns of these ids in which any figure is above 0.
    fn above_zero(&self, ids: &[&str]) -> Vec<FigureColumn> {
        let columns = ids.iter().map(|id| self.column(id));
        columns.filter(|column| column.figures.iter().any(|&figure| figure > Some(0.0))).collect()
    }

    /// The average progress rate; empty if no job has a performance curve.
    pub fn progress(&self) -> Vec<FigureColumn> {
        self.known(&["progress_rate"])
    }

    /// Deadlines met, productive and wasted time, equality and fairness; empty if jobs are not judged by deadlines.
    pub fn deadlines(&self) -> Vec<FigureColumn> {
        self.known(&[
            "deadlines_met",
            "satisfied_deadlines_ratio",
            "productive_time_ratio",
            "wasted_time_ratio",
            "equality",
            "fairness",
        ])
    }

    /// Average completion by kind of queue; empty if no user is a queue.
    pub fn queues(&self) -> Vec<FigureColumn> {
        self.known(&["latency_queues_mean_response_s", "throughput_queues_mean_response_s"])
    }

    /// A user's dominant share in the long run; none if no user is a queue and memory is not modelled.
    pub fn dominant_share(&self, user: usize) -> Option<FigureColumn> {
        let column = self.of_user("dominant_share", user);
        let of_user = format!("{}'s tasks", column.name);
        let meaning = column.meaning.replace("the user's tasks", &of_user);
        Some(column.meaning(meaning)).filter(FigureColumn::exists)
    }

    /// Memory in use; empty if memory is not modelled.
    pub fn memory(&self) -> Vec<FigureColumn> {
        self.known(&["memory_mean_ratio", "memory_peak_ratio"])
    }

    /// Core time of executors; empty if they do not come and go.
    pub fn executors(&self) -> Vec<FigureColumn> {
        self.known(&["held_core_s", "working_core_s", "idle_core_s"])
    }

    /// Attempts and the core time that came to nothing, if any did; core time that waited for preferred executors, if any
    /// did.
    pub fn attempts(&self) -> Vec<FigureColumn> {
        let mut columns = self.above_zero(&["wasted_core_s", "held_back_core_s"]);
        if columns.iter().any(|column| column.name == "wasted") {
            columns.insert(0, self.column("attempts"));
        }
        columns
    }

    /// Utilization, inversion and stragglers.
    pub fn cores(&self) -> [FigureColumn; 3] {
        ["utilization", "inversion_s", "straggler_idle_core_s"].map(|id| self.column(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::Scenario;
    use fairlane::ids::UserId;
    use fairlane::scenario::Edit;
    use fairlane::units::Weight;

    /// While the page waits for the runs of an edited scenario, some are still of the one before.
    #[test]
    fn a_user_has_figures_of_the_runs_that_have_this_user() {
        let job =
            |user, work| format!(r#"{{"user":"{user}","arrival_s":0,"stages":[{{"tasks_s":[{work}]}}]}}"#);
        let jobs = [job("ana", 1), job("ben", 2), job("cleo", 4)].join(",");
        let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{jobs}]}}"#);
        let before = Scenario::from_json(&text).expect("a good scenario");
        let added = Edit::AddUser { name: "dan".to_owned(), weight: Weight::ONE };
        let means = |edit: &Edit| {
            let after = before.with(edit).expect("it is possible");
            let runs = [evaluated(&after, "fifo"), evaluated(&before, "fair")];
            let runs = runs.each_ref();
            let columns = FigureColumns::new(&runs);
            let users = 0..columns.users.len();
            users
                .map(|user| columns.user(user))
                .map(|column| (column.name, column.figures))
                .collect::<Vec<_>>()
        };
        let [ana, ben, cleo] = [1.0, 2.0, 4.0].map(|mean| vec![Some(mean); 2]);
        let named = |name: &str, figures: Vec<Option<f64>>| (name.to_owned(), figures);
        assert_eq!(
            means(&added),
            [named("ana", ana), named("ben", ben), named("cleo", cleo), named("dan", vec![None; 2])]
        );
        // What was ben's is not shown as cleo's.
        let one = |name, mean| named(name, vec![Some(mean), None]);
        let gone = means(&Edit::RemoveUser(UserId(1)));
        assert_eq!(gone, [named("ana", vec![Some(1.0); 2]), one("cleo", 4.0)]);
    }

    #[track_caller]
    fn assert_best(figures: &[Option<f64>], better: Better, format: Format, expected: &str) {
        let (name, meaning) = (String::new(), String::new());
        let column = FigureColumn { name, unit: "", meaning, better, format, figures: figures.to_vec() };
        let letter = |row: usize| match (figures[row], column.is_best(row)) {
            (None, _) => '-',
            (Some(_), true) => 'B',
            (Some(_), false) => '.',
        };
        assert_eq!((0..figures.len()).map(letter).collect::<String>(), expected, "{figures:?}");
    }

    #[test]
    fn the_best_is_marked_as_shown() {
        let less = |figures: &[Option<f64>], expected: &str| {
            assert_best(figures, Better::Less, Format::Hundredths, expected);
        };
        less(&[Some(1.0), Some(2.0), None], "B.-");
        less(&[Some(1.001), Some(1.0), Some(1.2)], "BB.");
        less(&[Some(1.0), Some(1.0)], "..");
        less(&[Some(1.0)], ".");
        assert_best(&[Some(0.9712), Some(0.9711), Some(0.5)], Better::More, Format::Thousandths, "BB.");
        assert_best(&[Some(57.0), Some(127.0), None], Better::More, Format::Count, ".B-");
        assert_best(&[Some(1.0), Some(2.0)], Better::Neither, Format::Count, "..");
    }
}
