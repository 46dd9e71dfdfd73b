//! The rows of a chart: one for each core, or one for several cores where there are too many.

use fairlane::ids::CoreId;
use fairlane::scenario::Cluster;

/// The cores that a chart shows, one next to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreWindow {
    /// The first.
    pub first: u32,
    /// How many; at least one.
    pub count: u32,
}

impl CoreWindow {
    /// All cores of a cluster.
    pub fn whole(cores: u32) -> CoreWindow {
        CoreWindow { first: 0, count: cores.max(1) }
    }

    /// The window with `factor` times as many cores, of `cores` at most; the core at `at`, a fraction of
    /// the height, stays about where it is.
    pub fn zoomed(self, at: f64, factor: f64, cores: u32) -> CoreWindow {
        if !(factor.is_finite() && factor > 0.0 && at.is_finite()) {
            return self.within(cores);
        }
        let wanted = f64::from(self.count) * factor;
        // One core more or less at least, so that a small step is not lost in rounding.
        let wanted = if factor < 1.0 { wanted.floor() } else { wanted.ceil() };
        let count = wanted.clamp(1.0, f64::from(cores.max(1)));
        let first = f64::from(self.first) + at * (f64::from(self.count) - count);
        CoreWindow { first: first.round().max(0.0) as u32, count: count as u32 }.within(cores)
    }

    /// The window moved by a number of cores, downwards if positive.
    pub fn moved(self, by: i64, cores: u32) -> CoreWindow {
        let first = (i64::from(self.first) + by).clamp(0, i64::from(cores));
        CoreWindow { first: first as u32, ..self }.within(cores)
    }

    /// The window as far as there are cores: cut if it is longer, moved if it reaches beyond.
    pub fn within(self, cores: u32) -> CoreWindow {
        let count = self.count.clamp(1, cores.max(1));
        CoreWindow { first: self.first.min(cores.max(1) - count), count }
    }
}

/// The positions of a chart's rows, in device pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartRows {
    /// Each row's top and bottom, by row; with more cores than fit, several share a row.
    pub bands: Vec<(u32, u32)>,
    /// The first core that is shown.
    pub first: u32,
    /// Number of cores shown, which are distributed evenly over the rows.
    pub cores: u32,
    /// Height of the whole chart.
    pub height: u32,
}

/// Most rows that a chart has; more cores than that share rows.
const MAX_ROWS: u32 = 400;

/// Most cores whose rows are all tall enough to be distinguished.
const MAX_DISTINCT: u32 = 100;

/// Rows at least this many logical pixels high are separated by a hairline.
const MIN_SEPARATED: f64 = 4.0;

/// Logical pixels of an executor's memory, and the gap above it.
const MEMORY_PX: u32 = 12;
const ABOVE_MEMORY_PX: u32 = 2;
/// Most executors whose memory is shown one by one.
const MAX_WITH_MEMORY: u32 = 16;

/// The owner of the memory that a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOf {
    /// Each executor's, below its cores.
    Executors,
    /// That of all executors together, below all cores, because they are too many.
    Cluster,
}

impl MemoryOf {
    /// The owner of the memory that the charts of a cluster show; `None` if it is not modelled.
    pub fn cluster(cluster: &Cluster) -> Option<MemoryOf> {
        let few = cluster.executors <= MAX_WITH_MEMORY && cluster.cores() <= MAX_ROWS;
        cluster.memory_per_executor.map(|_| if few { MemoryOf::Executors } else { MemoryOf::Cluster })
    }

    /// Logical pixels below each executor's cores, and below all cores.
    fn room(cluster: &Cluster) -> (u32, u32) {
        let room = MEMORY_PX + 2 * ABOVE_MEMORY_PX;
        match MemoryOf::cluster(cluster) {
            None => (0, 0),
            Some(MemoryOf::Executors) => (room, room),
            Some(MemoryOf::Cluster) => (0, room),
        }
    }
}

impl ChartRows {
    /// Rows for a cluster: cores of one executor close together, a wider gap between executors.
    /// `scale` is device pixels per logical pixel.
    pub fn new(executors: u32, cores_per_executor: u32, scale: f64) -> ChartRows {
        ChartRows::spaced(executors, cores_per_executor, scale, (0, 0))
    }

    /// Rows for a cluster, with room for [`ChartRows::memory_bands`] if it has memory. The bands are as high at every
    /// scale.
    pub fn of_cluster(cluster: &Cluster, scale: f64) -> ChartRows {
        ChartRows::spaced(cluster.executors, cluster.cores_per_executor, scale, MemoryOf::room(cluster))
    }

    /// With more room than the gap below each executor but the last, and below that one, in pixels.
    fn spaced(
        executors: u32,
        cores_per_executor: u32,
        scale: f64,
        (between, below): (u32, u32),
    ) -> ChartRows {
        let cores = executors * cores_per_executor;
        let pixels = |logical: f64| ((logical * scale).round() as u32).max(1);
        let (row, gap, executor_gap) = match cores {
            0..=4 => (18.0, 2.0, 8.0),
            5..=8 => (14.0, 2.0, 7.0),
            9..=12 => (11.0, 2.0, 6.0),
            13..=20 => (7.0, 1.0, 4.0),
            21..=40 => (4.0, 1.0, 3.0),
            41..=MAX_DISTINCT => (2.0, 0.0, 1.0),
            _ => (1.0, 0.0, 0.0),
        };
        let rows = cores.min(MAX_ROWS);
        // Very low rows leave no room for gaps.
        let gap = (gap * scale).round() as u32;
        let executor_gap = (executor_gap * scale).round() as u32 + between;
        let mut bands = Vec::with_capacity(rows as usize);
        let mut y = 0;
        for row_index in 0..rows {
            if row_index > 0 {
                let first_of_executor = rows == cores && row_index.is_multiple_of(cores_per_executor);
                y += if first_of_executor { executor_gap } else { gap };
            }
            bands.push((y, y + pixels(row)));
            y += pixels(row);
        }
        ChartRows { bands, first: 0, cores, height: y + below }
    }

    /// Where memory is shown: a band for each executor, or a single one for the cluster (see [`MemoryOf`]). None
    /// where memory is not modelled, or where executors have bands and only some of the cores are shown.
    pub fn memory_bands(&self, cluster: &Cluster) -> Vec<(u32, u32)> {
        let below = |bottom| (bottom + ABOVE_MEMORY_PX, bottom + ABOVE_MEMORY_PX + MEMORY_PX);
        match MemoryOf::cluster(cluster) {
            Some(MemoryOf::Cluster) => vec![below(self.height - MEMORY_PX - 2 * ABOVE_MEMORY_PX)],
            Some(MemoryOf::Executors) if self.bands.len() == cluster.cores() as usize => {
                let executors = self.bands.chunks(cluster.cores_per_executor as usize);
                executors.filter_map(|bands| bands.last()).map(|&(_, bottom)| below(bottom)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a cluster has too many cores to show each clearly, so that a window of them can be chosen.
    pub fn has_windows(cores: u32) -> bool {
        cores > MAX_DISTINCT
    }

    /// Rows for a part of a cluster's cores; the chart is as high as with all of them, so that nothing on
    /// the page moves.
    pub fn of_window(cluster: &Cluster, scale: f64, window: CoreWindow) -> ChartRows {
        let whole = ChartRows::of_cluster(cluster, scale);
        let window = window.within(whole.cores);
        if window.count >= whole.cores {
            return whole;
        }
        let rows = window.count.min(whole.bands.len() as u32);
        let for_cores = match MemoryOf::cluster(cluster) {
            Some(MemoryOf::Cluster) => whole.height - MemoryOf::room(cluster).1,
            _ => whole.height,
        };
        let edge = |row: u32| (u64::from(row) * u64::from(for_cores) / u64::from(rows)) as u32;
        let separated = f64::from(for_cores) / f64::from(rows) >= MIN_SEPARATED * scale;
        let gap = if separated { scale.round().max(1.0) as u32 } else { 0 };
        let bands = (0..rows).map(|row| (edge(row), edge(row + 1) - gap)).collect();
        ChartRows { bands, first: window.first, cores: window.count, height: whole.height }
    }

    /// The same rows on a display with `scale` device pixels per logical pixel.
    pub fn at_scale(&self, scale: f64) -> ChartRows {
        let pixels = |logical: u32| (f64::from(logical) * scale).round() as u32;
        let band = |&(top, bottom): &(u32, u32)| (pixels(top), pixels(bottom).max(pixels(top) + 1));
        let bands: Vec<_> = self.bands.iter().map(band).collect();
        let height = pixels(self.height).max(bands.last().map_or(0, |band| band.1));
        ChartRows { bands, height, ..*self }
    }

    /// The row that shows a core; `None` for one that is not shown.
    pub fn row_of(&self, core: CoreId) -> Option<usize> {
        let index = core.0.checked_sub(self.first).filter(|&index| index < self.cores)?;
        Some((u64::from(index) * self.bands.len() as u64 / u64::from(self.cores)) as usize)
    }

    /// The cores that a row shows.
    pub fn cores_of(&self, row: usize) -> std::ops::Range<u32> {
        let bound =
            |row: usize| (row as u64 * u64::from(self.cores)).div_ceil(self.bands.len() as u64) as u32;
        self.first + bound(row)..self.first + bound(row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rows: &ChartRows) -> Vec<u32> {
        (0..rows.bands.len()).flat_map(|row| rows.cores_of(row)).collect()
    }

    #[test]
    fn every_core_has_a_row_even_if_shared() {
        for (executors, cores) in [(1, 1), (2, 4), (8, 4), (3, 33), (100, 10)] {
            let rows = ChartRows::new(executors, cores, 2.0);
            assert_eq!(shown(&rows), (0..executors * cores).collect::<Vec<_>>());
            for core in 0..executors * cores {
                let row = rows.row_of(CoreId(core)).expect("a row for every core");
                assert!(rows.cores_of(row).contains(&core));
            }
        }
    }

    #[test]
    fn rows_are_where_the_pointer_sees_them_on_any_display() {
        for zoom in [0.3, 0.7, 1.0, 1.5] {
            let rows = ChartRows::new(2, 4, zoom);
            for scale in [1.0, 1.25, 2.0, 3.0] {
                let device = rows.at_scale(scale);
                assert_eq!(device.height, (f64::from(rows.height) * scale).round() as u32);
                for (logical, device) in rows.bands.iter().zip(&device.bands) {
                    assert!((f64::from(logical.0) * scale - f64::from(device.0)).abs() <= 0.5);
                }
            }
        }
        assert_eq!(
            ChartRows::new(8, 4, 0.3).height,
            32 + 7,
            "low rows have no gaps but those between executors"
        );
    }

    #[test]
    fn a_window_shows_its_cores_in_the_same_height() {
        let cluster = Cluster::new(250, 4);
        let whole = ChartRows::of_cluster(&cluster, 1.0);
        for (first, count) in [(0, 1), (990, 10), (0, 399), (37, 401), (0, 1000), (999, 4000)] {
            let window = CoreWindow { first, count };
            let rows = ChartRows::of_window(&cluster, 1.0, window);
            let CoreWindow { first, count } = window.within(1000);
            assert_eq!(shown(&rows), (first..first + count).collect::<Vec<_>>());
            assert_eq!(rows.height, whole.height);
            assert!(rows.bands.iter().all(|&(top, bottom)| top < bottom && bottom <= rows.height));
            assert!(rows.bands.is_sorted_by(|above, below| above.1 <= below.0));
            assert_eq!(rows.row_of(CoreId(first)), Some(0));
            assert_eq!(rows.row_of(CoreId(first + count)), None);
            assert_eq!(first.checked_sub(1).and_then(|before| rows.row_of(CoreId(before))), None);
        }
    }

    fn with_memory(executors: u32, cores_per_executor: u32) -> Cluster {
        let mut cluster = Cluster::new(executors, cores_per_executor);
        cluster.memory_per_executor = Some(1000);
        cluster
    }

    #[test]
    fn memory_has_a_band_below_each_executor_that_no_core_overlaps() {
        let cluster = with_memory(3, 2);
        for zoom in [0.3, 1.0, 2.0] {
            let rows = ChartRows::of_cluster(&cluster, zoom);
            let bands = rows.memory_bands(&cluster);
            assert_eq!(bands.len(), 3);
            for (executor, &(top, bottom)) in bands.iter().enumerate() {
                assert!(rows.bands[2 * executor + 1].1 < top && top + 12 == bottom && bottom <= rows.height);
                assert!(rows.bands.get(2 * executor + 2).is_none_or(|next| bottom < next.0));
            }
        }
        // Not modelled, or only some of the cores.
        let rows =
            |cluster: &Cluster, count| ChartRows::of_window(cluster, 1.0, CoreWindow { first: 0, count });
        for (cluster, count) in [(Cluster::new(3, 2), 6), (with_memory(4, 100), 10)] {
            assert_eq!(rows(&cluster, count).memory_bands(&cluster), []);
        }
    }

    #[test]
    fn many_executors_have_a_band_of_their_own_below_all_cores() {
        for (executors, cores_per_executor, count) in
            [(17, 1, 17), (50, 4, 200), (50, 4, 10), (10, 100, 1000)]
        {
            let cluster = with_memory(executors, cores_per_executor);
            let rows = ChartRows::of_window(&cluster, 1.0, CoreWindow { first: 0, count });
            let &[(top, bottom)] = &rows.memory_bands(&cluster)[..] else { panic!("a single band") };
            let last = rows.bands.last().expect("a row").1;
            assert!(last < top && top + 12 == bottom && bottom < rows.height, "{executors}, {count}");
        }
    }

    #[test]
    fn cores_are_zoomed_and_moved_within_the_cluster() {
        let whole = CoreWindow::whole(1000);
        let half = whole.zoomed(0.5, 0.5, 1000);
        assert_eq!(half, CoreWindow { first: 250, count: 500 });
        assert_eq!(half.zoomed(0.5, 2.0, 1000), whole);
        assert_eq!(half.zoomed(0.0, 0.1, 1000), CoreWindow { first: 250, count: 50 });
        assert_eq!(half.zoomed(1.0, 0.1, 1000), CoreWindow { first: 700, count: 50 });
        assert_eq!(half.moved(900, 1000), CoreWindow { first: 500, count: 500 });
        assert_eq!(half.moved(-900, 1000), CoreWindow { first: 0, count: 500 });
        let one = CoreWindow { first: 3, count: 1 };
        assert_eq!(one.zoomed(0.5, 0.5, 1000), one);
        assert_eq!(one.zoomed(0.5, 1.2, 1000).count, 2);
        assert_eq!(one.zoomed(f64::NAN, 2.0, 1000), one);
        assert_eq!(CoreWindow { first: 9, count: 0 }.within(0), CoreWindow { first: 0, count: 1 });
    }
}
