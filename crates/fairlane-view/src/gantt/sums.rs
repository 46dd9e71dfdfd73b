//! What a chart of any number of tasks is drawn from in a frame's time: each core's tasks in the order of
//! time, and running sums of the time that each colour has had.
//!
//! A sum up to one instant less the sum up to another is what the colour has had between them, however long that
//! is: one table serves every zoom, exactly. A picture of a million tasks drops nothing and estimates nothing.

use fairlane::trace::{TaskRun, Trace};

/// Most colours that a chart distinguishes.
pub const MAX_COLOURS: usize = 64;

/// Tasks from one entry of the running sums to the next: the fewer, the more memory; the more, the more tasks
/// are looked at one by one.
pub(super) const STRIDE: usize = 16;

/// The tasks of a trace by core, in the order of time, apart from everything that is not drawn: 16 bytes a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spans {
    /// Microseconds at which tasks start, core by core. Whole numbers, which `f64` holds exactly; as such they
    /// need not be converted a million times a frame.
    pub(super) starts: Vec<f64>,
    /// Microseconds at which they end.
    pub(super) ends: Vec<f64>,
    /// Where each core's tasks begin; one entry more than there are cores.
    pub(super) first: Vec<usize>,
}

impl Spans {
    /// The tasks of a trace; takes time in proportion to them.
    pub fn new(trace: &Trace) -> Spans {
        let mut first = vec![0; trace.cores as usize + 1];
        for run in &trace.tasks {
            first[run.core.index() + 1] += 1;
        }
        for core in 0..trace.cores as usize {
            first[core + 1] += first[core];
        }
        let mut spans =
            Spans { starts: vec![0.0; trace.tasks.len()], ends: vec![0.0; trace.tasks.len()], first };
        let mut index_of = indices(&spans);
        // Launch order is the order of time on each core, because a core runs one task at a time.
        for run in &trace.tasks {
            let index = index_of(run);
            spans.starts[index] = run.start.0 as f64;
            spans.ends[index] = run.end.0 as f64;
        }
        spans
    }

    pub(super) fn cores(&self) -> usize {
        self.first.len().saturating_sub(1)
    }
}

/// Gives each task, in launch order, its index when the cores' tasks follow one another.
fn indices(spans: &Spans) -> impl FnMut(&TaskRun) -> usize + use<> {
    let mut next = spans.first.clone();
    move |run| {
        let next = &mut next[run.core.index()];
        *next += 1;
        *next - 1
    }
}

/// Which colour each task has, and the running sums: a byte a task, and eight bytes a colour for every
/// 16 tasks of a core (with 20 colours, 11 bytes a task).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColourShares {
    /// Numbers of the colours in use, ascending; elsewhere they go by their index here.
    pub(super) numbers: Vec<u8>,
    /// Each task's colour, by index in [`Spans`].
    pub(super) colour: Vec<u8>,
    /// For every [`STRIDE`] tasks of a core, the microseconds that each colour has had on it before them.
    pub(super) sums: Vec<f64>,
    /// Where each core's entries begin in `sums`.
    pub(super) first: Vec<usize>,
}

impl ColourShares {
    /// The shares of colours given by number, each below [`MAX_COLOURS`]; higher ones wrap around. Takes time
    /// in proportion to the tasks.
    pub fn new(trace: &Trace, spans: &Spans, number_of: &dyn Fn(&TaskRun) -> u8) -> ColourShares {
        let mut colour = vec![0; trace.tasks.len()];
        let mut task_index = indices(spans);
        let mut used = 0_u64;
        for run in &trace.tasks {
            let number = number_of(run) % MAX_COLOURS as u8;
            colour[task_index(run)] = number;
            used |= 1 << number;
        }
        let numbers: Vec<u8> = (0..MAX_COLOURS as u8).filter(|number| used >> number & 1 == 1).collect();
        let mut index_of = [0; MAX_COLOURS];
        for (index, &number) in numbers.iter().enumerate() {
            index_of[number as usize] = index as u8;
        }
        colour.iter_mut().for_each(|number| *number = index_of[*number as usize]);
        let mut shares = ColourShares { numbers, colour, sums: Vec::new(), first: Vec::new() };
        shares.add_up(spans);
        shares
    }

    fn add_up(&mut self, spans: &Spans) {
        let entries: usize = spans.first.windows(2).map(|core| (core[1] - core[0]) / STRIDE + 1).sum();
        self.sums.reserve_exact(entries * self.numbers.len());
        let mut now = vec![0.0; self.numbers.len()];
        for core in spans.first.windows(2) {
            self.first.push(self.sums.len());
            now.fill(0.0);
            for (count, index) in (core[0]..core[1]).enumerate() {
                if count % STRIDE == 0 {
                    self.sums.extend_from_slice(&now);
                }
                now[self.colour[index] as usize] += spans.ends[index] - spans.starts[index];
            }
        }
    }

    /// What the colours have had on a core before its task number `count`, a multiple of [`STRIDE`].
    pub(super) fn before(&self, core: usize, count: usize) -> &[f64] {
        let colours = self.numbers.len();
        let at = self.first[core] + count / STRIDE * colours;
        &self.sums[at..at + colours]
    }
}

/// What a pixel column of a core shows.
pub(super) struct PixelColumn {
    /// Microseconds that each colour has of it, by index in [`ColourShares`].
    pub(super) busy: [f64; MAX_COLOURS],
    /// Which of them are not nothing, a bit each.
    pub(super) touched: u64,
    /// The number of tasks in it, exact up to [`FEW`].
    pub(super) tasks: u32,
}

/// Up to this many tasks in a column are drawn side by side.
pub(super) const FEW: u32 = 2;

impl PixelColumn {
    fn add(&mut self, colour: u8, span: f64) {
        // Always below the number of colours, which the compiler cannot know.
        self.busy[usize::from(colour) % MAX_COLOURS] += span;
        self.touched |= 1 << (colour % MAX_COLOURS as u8);
        self.tasks += 1;
    }

    fn clear(&mut self) {
        for colour in bits(self.touched) {
            self.busy[colour] = 0.0;
        }
        self.touched = 0;
        self.tasks = 0;
    }
}

/// The indices of the bits that are set, ascending.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}

/// A walk along a core's tasks, pixel column by pixel column.
pub(super) struct ColumnWalk<'a> {
    pub(super) spans: &'a Spans,
    pub(super) shares: &'a ColourShares,
    /// The instant at the left edge, in microseconds.
    pub(super) from: f64,
    /// Microseconds that a column shows.
    pub(super) span: f64,
    pub(super) columns: usize,
}

impl ColumnWalk<'_> {
    /// Visits each column of a core. Columns within one task, and those within one gap, look alike
    /// and are visited together, as a range.
    pub(super) fn along(&self, core: usize, mut visit: impl FnMut(std::ops::Range<usize>, &PixelColumn)) {
        let (first, last) = (self.spans.first[core], self.spans.first[core + 1]);
        let (starts, ends) = (&self.spans.starts[first..last], &self.spans.ends[first..last]);
        let colours = &self.shares.colour[first..last];
        let mut column = PixelColumn { busy: [0.0; MAX_COLOURS], touched: 0, tasks: 0 };
        let mut task = ends.partition_point(|&end| end <= self.from);
        let mut index = 0;
        while index < self.columns {
            let (left, right) = (self.edge(index), self.edge(index + 1));
            let alike = self.alike(index, right, starts.get(task), ends.get(task));
            column.clear();
            while task < starts.len() && starts[task] < right {
                let (start, end) = (starts[task], ends[task]);
                if start >= left && end <= right {
                    // Wholly within the column: the usual case where there are many.
                    if task.is_multiple_of(STRIDE) {
                        let skipped = self.skip(core, starts, task, right, &mut column);
                        if skipped > task {
                            task = skipped;
                            continue;
                        }
                    }
                    column.add(colours[task], end - start);
                    task += 1;
                } else {
                    let shown = (self.shown_end(start, end).min(right) - start.max(left)).max(0.0);
                    column.add(colours[task], shown);
                    if end > right {
                        break;
                    }
                    task += 1;
                }
            }
            visit(index..alike, &column);
            index = alike;
        }
    }

    fn edge(&self, index: usize) -> f64 {
        self.from + index as f64 * self.span
    }

    /// The end of the columns from this one on that are within one gap or within one task.
    fn alike(&self, index: usize, right: f64, start: Option<&f64>, end: Option<&f64>) -> usize {
        let until = match (start, end) {
            (Some(&start), _) if start >= right => start,
            (Some(&start), Some(&end)) if start <= right - self.span => self.shown_end(start, end),
            (None, _) => return self.columns,
            _ => return index + 1,
        };
        if until < right + self.span {
            return index + 1;
        }
        // Rounding down and one less: the column with the edge in it is visited on its own, whatever is lost in
        // rounding.
        let whole = ((until - self.from) / self.span).floor() - 1.0;
        (whole.max(0.0) as usize).clamp(index + 1, self.columns)
    }

    /// From a task on, all that end before an instant, as far as the running sums go: the task after them.
    fn skip(&self, core: usize, starts: &[f64], task: usize, right: f64, column: &mut PixelColumn) -> usize {
        // A task that starts before the instant means that those before it have ended by then.
        let ended = |count: usize| starts.get(count).is_some_and(|&start| start < right);
        if !ended(task + STRIDE) {
            return task;
        }
        let mut step = STRIDE;
        while ended(task + 2 * step) {
            step *= 2;
        }
        let mut to = task + step;
        while step > STRIDE {
            step /= 2;
            if ended(to + step) {
                to += step;
            }
        }
        let (before, after) = (self.shares.before(core, task), self.shares.before(core, to));
        // Without a branch for each colour: which of them are there cannot be foreseen.
        let sums = before.iter().zip(after).zip(&mut column.busy);
        for (index, ((before, after), busy)) in sums.enumerate() {
            let span = after - before;
            *busy += span;
            column.touched |= u64::from(span > 0.0) << index;
        }
        column.tasks += FEW + 1;
        to
    }

    /// Where a task ends as drawn: one wide enough leaves a hairline to the next, so that two tasks of one
    /// colour can be distinguished.
    fn shown_end(&self, start: f64, end: f64) -> f64 {
        if end - start > HAIRLINE_FROM * self.span { end - self.span } else { end }
    }
}

/// Tasks wider than this many pixels leave a hairline to the next one.
pub(super) const HAIRLINE_FROM: f64 = 4.0;
