//! What other papers published comes out of the catalog's scenarios, as far as their inputs are public.

use fairlane::catalog::CatalogSection;
use fairlane::scenario::Generator;
use fairlane_study::fidelity::papers::{Finding, Paper, findings, reproduction};

#[test]
fn every_scenario_is_small_enough_for_the_page() {
    for entry in CatalogSection::Papers.entries() {
        assert!(entry.scenario().jobs().len() <= 200, "{}", entry.name);
    }
}

#[test]
fn every_finding_is_of_a_scenario_of_the_catalog() {
    let names: Vec<&str> = CatalogSection::Papers.entries().map(|entry| entry.name).collect();
    for paper in Paper::ALL {
        let findings = findings(paper);
        assert!(!findings.is_empty() && !reproduction(paper).remark.is_empty());
        assert!(findings.iter().all(|finding| names.contains(&finding.scenario)
            && finding.values.iter().all(|value| value.is_finite())));
    }
}

/// Looks up figures by scenario and the words of their quantity.
struct Figures(Vec<Finding>);

impl Figures {
    fn of(paper: Paper) -> Figures {
        Figures(findings(paper))
    }

    /// As the report shows it.
    fn text(&self, scenario: &str, quantity: &str) -> String {
        self.find(scenario, quantity).simulated.clone()
    }

    fn value(&self, scenario: &str, quantity: &str) -> f64 {
        self.values(scenario, quantity)[0]
    }

    fn values(&self, scenario: &str, quantity: &str) -> Vec<f64> {
        self.find(scenario, quantity).values.clone()
    }

    fn find(&self, scenario: &str, quantity: &str) -> &Finding {
        let found =
            self.0.iter().find(|finding| finding.scenario == scenario && finding.quantity == quantity);
        found.unwrap_or_else(|| panic!("no finding \"{quantity}\" of {scenario}"))
    }
}

#[test]
fn paf_moves_the_published_slots_and_raises_the_published_averages() {
    let figures = Figures::of(Paper::Paf);
    let texts = |scenario: &str, quantities: &[&str]| -> Vec<String> {
        quantities.iter().map(|quantity| figures.text(scenario, quantity)).collect()
    };
    let two =
        ["KMeans: with PAF, on paper", "PageRank: with PAF, on paper", "average progress, PAF, scheduled"];
    assert_eq!(texts("paf-two-jobs", &two), ["8", "24", "0.88"]);
    let three = ["slots moved at alpha 0.9, on paper", "slots moved at alpha 0.99, on paper"];
    assert_eq!(texts("paf-three-jobs", &three), ["61", "20"]);
    let averages = [
        "average progress, fair, on paper",
        "average progress at alpha 0.9, on paper",
        "average progress at alpha 0.99, on paper",
    ];
    assert_eq!(texts("paf-three-jobs", &averages), ["0.59", "0.75", "0.68"]);
    // What is scheduled is near to what is promised on paper.
    for finding in figures.0.iter().filter(|finding| finding.quantity.ends_with(", scheduled")) {
        let published: f64 = finding.published.parse().expect("a number");
        assert!((finding.values[0] - published).abs() < 0.025, "{finding:?}");
    }
    // Half the slots, hardly slower.
    let [six, three] =
        ["response in 6 slots", "response in 3 slots"].map(|quantity| figures.value("paf-packing", quantity));
    assert!(six < three && three < 1.1 * six, "{six} s and {three} s");
}

#[test]
fn bopf_is_as_quick_as_priority_and_as_fair_as_fair_sharing() {
    let figures = Figures::of(Paper::Bopf);
    let small = |title: &str| {
        figures.value("bopf-growing", &format!("mean response of the two small bursts, {title}"))
    };
    let (sp, drf) = (small("SP"), small("DRF"));
    assert!(drf > 1.6 * sp, "{drf} s and {sp} s");
    for burst in 1..=2 {
        let bopf = figures.value("bopf-growing", &format!("response of small burst {burst}, BoPF"));
        assert!(bopf < 1.1 * sp, "{bopf} s");
        // 130 s of the cluster, but for the tasks that run.
        let short = figures.value("bopf-growing", &format!("response of small burst {burst}, BoPF-P"));
        assert!(short < 131.0, "{short} s");
    }
    let part = |title: &str| {
        figures.value("bopf-growing", &format!("the batch queue's part while bursts are large, {title}"))
    };
    assert!(part("SP") < 30.0 && part("DRF") > 45.0 && part("BoPF") > 45.0, "per cent");
}

#[test]
fn bopfs_factor_of_improvement_grows_with_the_batch_queues() {
    let figures = Figures::of(Paper::Bopf);
    for table in ["Table 3", "Table 4"] {
        let rows: Vec<&Finding> = figures.0.iter().filter(|finding| finding.figure == table).collect();
        assert!(rows.is_sorted_by(|one, next| one.values[0] < next.values[0]), "{rows:?}");
        for row in rows {
            let (least, most) = row.published.split_once(" to ").expect("a range");
            let [least, most]: [f64; 2] = [least, most].map(|number| number.parse().expect("a number"));
            let factor = row.values[0];
            // The right size: between three fifths of the least and the most that was published.
            assert!(0.6 * least < factor && factor < 1.1 * most, "{row:?}");
        }
    }
}

#[test]
fn bopf_keeps_its_promise_once_tasks_are_short() {
    let figures = Figures::of(Paper::Bopf);
    let guarantee = |user: &str| figures.text("bopf-queues", &format!("guarantee of {user}"));
    assert_eq!(["LQ-0", "LQ-1", "LQ-2", "TQ-0"].map(guarantee), ["hard", "soft", "elastic", "elastic"]);
    let means = |user: &str| {
        figures.values("bopf-queues", &format!("{user}'s mean: DRF / SP / N-BoPF / BoPF / BoPF-P"))
    };
    let [drf, sp, naive, bopf, short] = means("LQ-0")[..] else { panic!("five policies") };
    assert!(bopf <= naive && naive < sp && sp < drf && 40.0 < bopf, "{:?}", means("LQ-0"));
    assert!((short - 27.0).abs() < 0.5, "the promised 27 s: {short} s");
    let [drf, sp, naive, bopf, short] = means("LQ-1")[..] else { panic!("five policies") };
    assert!(bopf <= sp && bopf < naive && bopf < drf && short < bopf, "{:?}", means("LQ-1"));
}

#[test]
fn justice_meets_more_deadlines_when_cores_are_scarce_and_tasks_are_equal() {
    let figures = Figures::of(Paper::Justice);
    let rows = |figure: &'static str| figures.0.iter().filter(move |finding| finding.figure == figure);
    assert_eq!((rows("2a").count(), rows("2b").count()), (8, 8));
    for row in rows("2a").chain(rows("2b")).filter(|row| row.values.len() == 4) {
        let [baseline, reactive, justice, oracle] = row.values[..] else { panic!("four policies") };
        assert!(baseline <= reactive && justice <= oracle, "{row:?}");
        // The published order where a job needs all the cores it can use.
        assert!(!row.quantity.contains("Fixed1x") || reactive * 5.0 < justice, "{row:?}");
    }
    let ratio = figures.value("justice-severe", "Justice's over the oracle's, mean, few cores");
    assert!((0.75..0.95).contains(&ratio), "{ratio} of the oracle's, 0.8 published");
    let ours = |scenario: &str, quantity: &str, words: &str| {
        let name = format!("{quantity}, Fixed1x, {words}: Baseline / Reactive / Justice / oracle");
        figures.values(scenario, &name)[2]
    };
    let [met, productive, wasted] = ["SDR", "PTR", "WTR"];
    assert!(ours("justice-severe", wasted, "equal tasks") < 0.005, "nothing is wasted");
    assert!(ours("justice-uneven", wasted, "uneven tasks") > 0.02);
    for quantity in [met, productive] {
        let [equal, uneven] = [("justice-severe", "equal tasks"), ("justice-uneven", "uneven tasks")]
            .map(|(scenario, words)| ours(scenario, quantity, words));
        assert!(uneven < equal, "{quantity}: {uneven} and {equal}");
    }
}

#[test]
fn decimas_heuristics_come_in_the_published_order() {
    let figures = Figures::of(Paper::Decima);
    let value = |quantity: &str| figures.value("decima-batch", quantity);
    let (fair, shortest) = (value("FIFO's mean response over fair's"), value("FIFO's over SJF-CP's"));
    // About 2.5 and 1.6 published.
    assert!((2.3..2.7).contains(&fair) && (1.4..1.8).contains(&shortest), "{fair} and {shortest}");
    assert!(value("naive weighted fair's (alpha 1) over fair's") > 1.3);
    let best = value("fair's over that with each batch's best alpha");
    assert!((1.0..1.15).contains(&best), "{best}");
    assert!((-2.0..0.0).contains(&value("best alpha, mean of the batches")));
    // All executors on one query slow each other down.
    let [fair, shortest] =
        ["fair", "SJF-CP"].map(|title| value(&format!("core time held over work, {title}")));
    assert!(shortest > fair, "{shortest} and {fair}");
}

#[test]
fn workloads_are_sound_with_any_seed() {
    for entry in CatalogSection::Papers.entries() {
        let Some(generator) = entry.generator() else { continue };
        let made = [1, 2, 3, 99].map(|seed| {
            let generator = Generator { seed, ..generator.clone() };
            generator.scenario().expect("sound with any seed")
        });
        assert_eq!(made[0], entry.scenario(), "{}", entry.name);
        assert_ne!(made[0], made[1], "{}", entry.name);
    }
}

#[test]
fn pafs_suite_gains_on_paper_and_with_kept_cores_but_not_when_cores_are_handed_around() {
    let figures = Figures::of(Paper::Paf);
    let gain = |quantity: &str| {
        let values = figures.values("paf-suite", quantity);
        values[values.len() - 1] / values[0] - 1.0
    };
    let paper = |words: &str| gain(&format!("average progress on paper, {words}: fair / alpha 0.99 / 0.9"));
    // 15 % published on the large cluster, less on the smaller ones.
    assert!((0.05..0.2).contains(&paper("many slots")), "{}", paper("many slots"));
    assert!(paper("fewer slots") < paper("many slots") && paper("few slots") < paper("many slots"));
    for stages in ["one stage", "eight stages", "one stage, no warm-up", "eight stages, no warm-up"] {
        let kept = gain(&format!("average progress, {stages}, each job's cores kept: fair / PAF"));
        let scheduled = gain(&format!("average progress, {stages}, scheduled: fair / PAF"));
        assert!(
            scheduled < 0.03 && scheduled < 0.5 * kept,
            "{stages}: {scheduled} and {kept} if cores are kept"
        );
    }
    let thirds = |name: &str| {
        figures.values("paf-suite", &format!("gain on paper by {name}: least / middle / greatest third"))
    };
    let ratio = thirds("parallelism over weight");
    assert!(ratio[0] < ratio[1] && ratio[1] < ratio[2], "{ratio:?}");
}

#[test]
fn bopfs_bursts_that_vary_are_in_time_with_the_alpha_strategy_alone() {
    let figures = Figures::of(Paper::Bopf);
    let scenario = "bopf-eight-batch-queues";
    for percent in [10, 20, 30, 40] {
        let name = format!("bursts in time, deviation {percent} %: mean / alpha-strategy");
        let [mean, alpha] = figures.values(scenario, &name)[..] else { panic!("two demands") };
        assert!(mean <= 50.0 && alpha >= 90.0, "{percent} %: {mean} and {alpha}");
        let name = format!("LQ's part of the cores, deviation {percent} %: mean / alpha-strategy");
        let [mean, alpha] = figures.values(scenario, &name)[..] else { panic!("two demands") };
        assert!((mean - alpha).abs() < 1.0, "{percent} %: {mean} and {alpha} per cent of the cores");
    }
    // One and 1.645 standard deviations.
    let demand = figures.text(scenario, "demand of the alpha-strategy over the mean, deviation 20 %");
    assert_eq!(demand, "1.33");
}

#[test]
fn bopf_bears_errors_of_a_fifth_and_is_always_better_than_drf() {
    let figures = Figures::of(Paper::Bopf);
    let means = |percent: u32| {
        let name = format!("mean response of bursts, errors of {percent} %: BoPF / BoPF-P / DRF");
        figures.values("bopf-eight-batch-queues", &name)
    };
    let [none, ten, twenty, thirty, fifty] = [0, 10, 20, 30, 50].map(means);
    assert!(ten[0] < 1.1 * none[0] && twenty[0] < 1.1 * none[0], "{none:?} {ten:?} {twenty:?}");
    assert!(fifty[0] > 1.1 * thirty[0] && fifty[1] > 1.1 * none[1], "{none:?} {thirty:?} {fifty:?}");
    for means in [none, ten, twenty, thirty, fifty] {
        assert!(1.5 * means[0] < means[2] && means[1] < means[0], "{means:?}");
    }
}

#[test]
fn bopfs_table_1_shows_its_promise_where_tasks_are_short() {
    let figures = Figures::of(Paper::Bopf);
    let row = |property: &str| {
        figures.text("bopf-queues", &format!("{property}: SP / DRF / M-BVT / BoPF / BoPF-P"))
    };
    assert_eq!(row("burst guarantee"), "no / no / no / no / yes");
    assert!(row("long-term fairness").starts_with("no / yes"), "{}", row("long-term fairness"));
    assert_eq!(row("Pareto-efficient"), "yes / yes / yes / yes / yes");
}

#[test]
fn justice_shares_more_equally_and_more_fairly() {
    let figures = Figures::of(Paper::Justice);
    for words in ["few cores", "more cores"] {
        for index in ["equality", "fairness"] {
            let name = format!("{index}, mean, {words}: Baseline / Reactive / Justice / oracle");
            let values = figures.values("justice-severe", &name);
            let [baseline, reactive, justice, oracle] = values[..] else { panic!("four policies") };
            assert!(
                baseline < justice && reactive <= justice + 0.01 && justice <= oracle,
                "{name}: {values:?}"
            );
        }
    }
}

/// What runtime partitioning does to each paper's schedulers, as docs/papers.md says.
#[test]
fn runtime_partitioning_keeps_guarantees_and_widens_stages() {
    let bopf = Figures::of(Paper::Bopf);
    let means = bopf.values("bopf-queues", "LQ-0's mean under -p: DRF / SP / M-BVT / N-BoPF / BoPF");
    assert!(means[3..].iter().all(|mean| (mean - 27.0).abs() < 0.05), "{means:?}");
    assert!(means[..3].iter().all(|mean| *mean > 27.0), "{means:?}");
    let paf = Figures::of(Paper::Paf);
    let ratios = paf.values("paf-suite", "response, -p over default: PAF / equal shares");
    assert!(ratios.iter().all(|ratio| *ratio < 0.4), "{ratios:?}");
    let justice = Figures::of(Paper::Justice);
    let titles = "Baseline / Reactive / Justice / oracle";
    let [whole, cut] = ["uneven tasks", "uneven tasks, -p"]
        .map(|words| justice.values("justice-uneven", &format!("SDR, Fixed1x, {words}: {titles}")));
    assert!(cut[0] > 2.0 * whole[0] && cut[1] > 2.0 * whole[1], "{whole:?} {cut:?}");
    assert!(cut[2] < 1.1 * whole[2] && cut[3] < 1.1 * whole[3], "{whole:?} {cut:?}");
    let decima = Figures::of(Paper::Decima);
    let titles = "FIFO / SJF-CP / fair / Graphene / Tetris";
    let ratios = decima.values("decima-batch", &format!("response, -p over default: {titles}"));
    assert!(
        [0, 1, 4].iter().all(|at| ratios[*at] < 0.85)
            && [2, 3].iter().all(|at| (0.9..1.0).contains(&ratios[*at])),
        "{ratios:?}"
    );
}
