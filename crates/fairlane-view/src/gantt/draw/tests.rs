use super::*;
use crate::gantt::{Pattern, Stripe, stripe};
use fairlane::ids::CoreId;
use fairlane::scenario::Scenario;
use fairlane::trace::{TaskRun, Trace};
use fairlane::units::Time;

const IDLE: Rgb = Rgb(0, 0, 0);
const RED: Rgb = Rgb(200, 0, 0);
const BLUE: Rgb = Rgb(0, 0, 100);
const COLOURS: [Rgb; 4] = [RED, BLUE, Rgb(0, 180, 0), Rgb(90, 90, 30)];

fn trace_of(cluster: &str, jobs: &[String]) -> Trace {
    let text =
        format!(r#"{{"format":"fairlane/scenario@1","cluster":{cluster},"jobs":[{}]}}"#, jobs.join(","));
    let scenario = Scenario::from_json(&text).expect("a good scenario");
    fairlane::simulate(&scenario, "fifo".parse().expect("a policy"))
}

fn number(run: &TaskRun) -> u8 {
    (run.job.0 % COLOURS.len() as u32) as u8
}

fn image_of(trace: &Trace, rows: &ChartRows, axis: TimeAxis, width: u32) -> Image {
    let spans = Spans::new(trace);
    let shares = ColourShares::new(trace, &spans, &number);
    let palette = Palette { surface: IDLE, row: IDLE, tasks: &COLOURS };
    let mut image = Image::default();
    draw(&mut image, &spans, &shares, axis, rows, width, &palette);
    image
}

/// One core: job 0 from 0 to 1 s, job 1 from 1 to 2 s.
fn image(width: u32, to: u64) -> Image {
    let job = r#"{"user":"a","arrival_s":0,"stages":[{"tasks_s":[1]}]}"#.to_owned();
    let trace = trace_of(r#"{"cores_per_executor":1}"#, &[job.clone(), job]);
    image_of(&trace, &ChartRows::new(1, 1, 1.0), TimeAxis { from: Time(0), to: Time(to) }, width)
}

fn pixel_at(image: &Image, x: usize, y: usize) -> [u8; 3] {
    let at = 4 * (y * image.width as usize + x);
    [image.bytes[at], image.bytes[at + 1], image.bytes[at + 2]]
}

#[test]
fn a_pixel_with_two_tasks_shows_the_mix() {
    // One pixel for 4 s: a quarter red, a quarter blue, half idle.
    assert_eq!(pixel_at(&image(1, 4_000_000), 0, 0), [50, 0, 25]);
}

#[test]
fn wide_tasks_leave_a_hairline() {
    let image = image(20, 2_000_000);
    assert_eq!(pixel_at(&image, 0, 0), [200, 0, 0]);
    assert_eq!(pixel_at(&image, 8, 0), [200, 0, 0]);
    assert_eq!(pixel_at(&image, 9, 0), [0, 0, 0]);
    assert_eq!(pixel_at(&image, 10, 0), [0, 0, 100]);
}

#[test]
fn a_column_of_many_tasks_stacks_their_shares() {
    // In 4 s of one core: job 0 has a half in two parts, job 1 a quarter, the rest is idle.
    let job = |tasks: &str| format!(r#"{{"user":"a","arrival_s":0,"stages":[{{"tasks_s":[{tasks}]}}]}}"#);
    let trace = trace_of(r#"{"cores_per_executor":1}"#, &[job("1,1"), job("0.5,0.5")]);
    let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
    let image = image_of(&trace, &ChartRows::new(1, 1, 1.0), axis, 1);
    let column: Vec<_> = (0..18).map(|y| pixel_at(&image, 0, y)).collect();
    assert_eq!(column[..4], [[0, 0, 0]; 4]);
    assert_eq!(column[4], [0, 0, 50], "half of a pixel");
    assert_eq!(column[5..9], [[0, 0, 100]; 4]);
    assert_eq!(column[9..], [[200, 0, 0]; 9]);
}

#[test]
fn stripes_stay_within_their_stretch() {
    let mut striped = image(20, 2_000_000);
    let before = striped.clone();
    let green = Rgb(0, 255, 0);
    let (from, to) = (Time(1_000_000), Time(1_600_000));
    let stretch = Stripe { core: CoreId(0), from, to, colour: green, pattern: Pattern::Mark };
    let axis = TimeAxis { from: Time(0), to: Time(2_000_000) };
    stripe(&mut striped, axis, &ChartRows::new(1, 1, 1.0), &[stretch]);
    let changed: Vec<usize> =
        (0..20).filter(|&x| pixel_at(&striped, x, 0) != pixel_at(&before, x, 0)).collect();
    assert_eq!(changed, [14, 15]);
}

#[test]
fn an_image_is_used_again_at_another_size() {
    let job = r#"{"user":"a","arrival_s":0,"stages":[{"tasks_s":[1]}]}"#.to_owned();
    let trace = trace_of(r#"{"cores_per_executor":2}"#, &[job]);
    let axis = TimeAxis { from: Time(0), to: Time(3_000_000) };
    let spans = Spans::new(&trace);
    let shares = ColourShares::new(&trace, &spans, &number);
    let palette = Palette { surface: Rgb(9, 9, 9), row: Rgb(1, 2, 3), tasks: &COLOURS };
    let mut used = Image::default();
    for (width, scale) in [(7, 1.0), (50, 2.0), (3, 1.5), (0, 1.0)] {
        let rows = ChartRows::new(1, 2, scale);
        let mut fresh = Image::default();
        draw(&mut used, &spans, &shares, axis, &rows, width, &palette);
        draw(&mut fresh, &spans, &shares, axis, &rows, width, &palette);
        assert_eq!(used, fresh);
        assert_eq!(used.bytes.len(), 4 * (used.width * used.height) as usize);
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod against_brute_force {
    use proptest::prelude::*;

    use super::*;

    /// Some jobs of up to a few hundred tasks each, from microseconds to seconds, with gaps between them.
    fn jobs() -> impl Strategy<Value = Vec<String>> {
        let tasks = proptest::collection::vec(
            prop_oneof![5 => 1_u64..5_000, 2 => 5_000_u64..2_000_000, 1 => Just(0_u64)],
            1..300,
        );
        let job = (0_u64..20_000_000, tasks).prop_map(|(arrival, tasks)| {
            let seconds = |micros: &u64| format!("{:.6}", *micros as f64 / 1e6);
            let tasks: Vec<String> = tasks.iter().map(seconds).collect();
            format!(
                r#"{{"user":"a","arrival_s":{},"stages":[{{"tasks_s":[{}]}}]}}"#,
                seconds(&arrival),
                tasks.join(",")
            )
        });
        proptest::collection::vec(job, 1..12)
    }

    /// The time that each colour has of a pixel column of a core, task by task.
    fn slowly(trace: &Trace, core: u32, left: f64, right: f64) -> ([f64; 4], usize) {
        let mut busy = [0.0; 4];
        let mut tasks = 0;
        for run in trace.tasks.iter().filter(|run| run.core.0 == core) {
            let (start, end) = (run.start.0 as f64, run.end.0 as f64);
            let wide = end - start > super::super::super::sums::HAIRLINE_FROM * (right - left);
            let shown = if wide { end - (right - left) } else { end };
            busy[usize::from(number(run))] += (shown.min(right) - start.max(left)).max(0.0);
            tasks += usize::from(start < right && end > left);
        }
        (busy, tasks)
    }

    fn trace_and_axis() -> impl Strategy<Value = (Trace, TimeAxis, u32)> {
        (jobs(), 1_u32..5, 0.0_f64..1.0, 0.0_f64..12.0, 1_u32..90).prop_map(
            |(jobs, cores, at, zoom, width)| {
                let trace = trace_of(&format!(r#"{{"cores_per_executor":{cores}}}"#), &jobs);
                let whole = TimeAxis::whole(trace.end());
                let axis = whole.zoomed(at, zoom.exp(), whole);
                (trace, axis, width)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// At any zoom each column has the colours' true shares, to a millionth of the column.
        #[test]
        fn every_column_has_the_true_shares((trace, axis, width) in trace_and_axis()) {
            let spans = Spans::new(&trace);
            let shares = ColourShares::new(&trace, &spans, &number);
            let span = axis.length() as f64 / f64::from(width);
            let walk =
                ColumnWalk { spans: &spans, shares: &shares, from: axis.from.0 as f64, span, columns: width as usize };
            for core in 0..trace.cores {
                let mut next = 0;
                let mut wrong = None;
                walk.along(core as usize, |columns, column| {
                    assert_eq!(columns.start, next);
                    next = columns.end;
                    for index in columns.clone() {
                        let left = walk.from + index as f64 * span;
                        let (busy, tasks) = slowly(&trace, core, left, left + span);
                        let mut shown = [0.0; 4];
                        for colour in bits(column.touched) {
                            shown[usize::from(shares.numbers[colour])] = column.busy[colour];
                        }
                        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * span + 1e-6;
                        if !busy.iter().zip(&shown).all(near) {
                            wrong = Some((index, busy, shown, tasks));
                        }
                    }
                });
                prop_assert_eq!(next, width as usize);
                prop_assert_eq!(wrong, None);
            }
        }

        /// The mean of a column's pixels is the mix of the shares, to one of 255 steps; blended or stacked, and
        /// over several cores in a row.
        #[test]
        fn the_pixels_keep_the_shares((trace, axis, width) in trace_and_axis(), merged in any::<bool>()) {
            let mut rows = ChartRows::new(1, trace.cores, 1.0);
            if merged {
                rows = ChartRows { bands: vec![(0, 5)], height: 5, ..rows };
            }
            let image = image_of(&trace, &rows, axis, width);
            let span = axis.length() as f64 / f64::from(width);
            for (row, &(top, bottom)) in rows.bands.iter().enumerate() {
                for x in 0..width {
                    let left = axis.from.0 as f64 + f64::from(x) * span;
                    let mut expected = [0.0; 3];
                    for core in rows.cores_of(row) {
                        let (busy, _) = slowly(&trace, core, left, left + span);
                        for (busy, Rgb(red, green, blue)) in busy.iter().zip(COLOURS) {
                            for (sum, channel) in expected.iter_mut().zip([red, green, blue]) {
                                *sum += f64::from(channel) * busy / span / rows.cores_of(row).len() as f64;
                            }
                        }
                    }
                    for channel in 0..3 {
                        let sum: f64 =
                            (top..bottom).map(|y| f64::from(pixel_at(&image, x as usize, y as usize)[channel])).sum();
                        let mean = sum / f64::from(bottom - top);
                        prop_assert!((mean - expected[channel]).abs() <= 0.51, "{x}: {mean} {expected:?}");
                    }
                }
            }
        }
    }
}
