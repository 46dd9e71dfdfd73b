//! Quantities that depend on a number of cores or tasks, given at some points.

use super::ScenarioError;
use super::error::ensure;
use std::fmt::Display;

/// The value at `n` of what is linear between points (ascending in the first coordinate) and flat
/// outside; 1 without any.
pub(super) fn interpolated(points: &[(u32, f64)], n: u32) -> f64 {
    let after = points.partition_point(|&(x, _)| x <= n);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * f64::from(n - x0) / f64::from(x1 - x0),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 1.0,
    }
}

/// Checks that the first coordinates ascend from 1 or more.
pub(super) fn check_ascending(points: &[(u32, f64)], path: &dyn Display) -> Result<(), ScenarioError> {
    let mut before = 0;
    for (index, &(x, _)) in points.iter().enumerate() {
        if x <= before {
            let message = match before {
                0 => "must be at least 1".to_owned(),
                _ => format!("is {x} after {before}; give the points in ascending order, each number once"),
            };
            return Err(ScenarioError::at(format!("{path}[{index}][0]"), message));
        }
        before = x;
    }
    Ok(())
}

/// How fast a job proceeds with a number of slots (PAF): p(x), a rate in any unit, p(0) = 0.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum PerformanceCurve {
    /// Ernest's model: p(x) = 1 / (a0 + a1 x + a2 / x + a3 ln x).
    Ernest([f64; 4]),
    /// Points (x, p), x ascending from 1 or more: linear between them, proportional to x before the
    /// first, flat after the last.
    Points(Vec<(u32, f64)>),
}

impl PerformanceCurve {
    /// The rate p(x).
    pub fn progress(&self, slots: u32) -> f64 {
        let x = f64::from(slots);
        match self {
            _ if slots == 0 => 0.0,
            PerformanceCurve::Ernest([a0, a1, a2, a3]) => 1.0 / (a0 + a1 * x + a2 / x + a3 * libm::log(x)),
            PerformanceCurve::Points(points) => match points.first() {
                Some(&(first, p)) if slots < first => p * x / f64::from(first),
                _ => interpolated(points, slots),
            },
        }
    }

    /// Checks that p(x) is positive and finite for 1 to `cores` slots. `path` is the job's.
    pub(super) fn check(&self, cores: u32, path: &dyn Display) -> Result<(), ScenarioError> {
        let path = match self {
            PerformanceCurve::Ernest(_) => format!("{path}.ernest"),
            PerformanceCurve::Points(points) => {
                let path = format!("{path}.curve");
                ensure!(!points.is_empty(), path, "is empty; give at least one point, or leave it out");
                check_ascending(points, &path)?;
                // Also those beyond the cluster: a file could not hold them.
                let wild = points.iter().position(|(_, progress)| !progress.is_finite());
                if let Some(index) = wild {
                    let message = "is not a finite number; give a positive one";
                    return Err(ScenarioError::at(format!("{path}[{index}][1]"), message));
                }
                path
            }
        };
        let unfit = |&x: &u32| {
            let p = self.progress(x);
            !(p > 0.0 && p.is_finite())
        };
        match self.extremes(cores).into_iter().find(unfit) {
            None => Ok(()),
            Some(x) => Err(ScenarioError::at(
                path,
                format!(
                    "gives a progress of {} with {x} slots; it must be positive and finite for 1 to {cores}, \
                     all cores of the cluster",
                    self.progress(x)
                ),
            )),
        }
    }

    /// Numbers of slots from 1 to `cores` among which p is least and greatest: between two of them that
    /// are neighbours it rises or falls all the way.
    fn extremes(&self, cores: u32) -> Vec<u32> {
        let mut turns = vec![1.0, f64::from(cores)];
        match self {
            PerformanceCurve::Ernest([_, a1, a2, a3]) => {
                // Where the derivative a1 - a2 / x^2 + a3 / x is 0.
                let root = (a3 * a3 + 4.0 * a1 * a2).sqrt();
                turns.extend([(-a3 + root) / (2.0 * a1), (-a3 - root) / (2.0 * a1), a2 / a3]);
            }
            PerformanceCurve::Points(points) => turns.extend(points.iter().map(|&(x, _)| f64::from(x))),
        }
        let mut slots: Vec<u32> = turns
            .into_iter()
            .flat_map(|x: f64| [x.floor() - 1.0, x.floor(), x.floor() + 1.0, x.floor() + 2.0])
            .filter(|x| (1.0..=f64::from(cores)).contains(x))
            .map(|x| x as u32)
            .collect();
        slots.sort();
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_joined_by_lines() {
        let curve = PerformanceCurve::Points(vec![(2, 1.0), (6, 2.0)]);
        let at: Vec<f64> = (0..=8).map(|slots| curve.progress(slots)).collect();
        assert_eq!(at, [0.0, 0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 2.0, 2.0]);
        assert_eq!([1, 4, 9].map(|n| interpolated(&[(2, 1.0), (6, 2.0)], n)), [1.0, 1.5, 2.0]);
        assert_eq!(interpolated(&[], 7), 1.0);
    }

    #[test]
    fn no_point_is_infinite_even_beyond_the_cluster() {
        let curve = |last| PerformanceCurve::Points(vec![(1, 0.5), (7, 1e-9), (1_638_011_688, last)]);
        let error = curve(f64::NAN).check(2, &"jobs[0]").expect_err("not a number");
        assert_eq!(error.path, "jobs[0].curve[2][1]");
        assert_eq!(curve(1.0).check(2, &"jobs[0]"), Ok(()));
    }

    #[test]
    fn ernest_has_four_terms() {
        let curve = PerformanceCurve::Ernest([0.5, 0.25, 2.0, 1.0]);
        assert_eq!(curve.progress(0), 0.0);
        assert_eq!(curve.progress(1), 1.0 / 2.75);
        assert_eq!(curve.progress(4), 1.0 / (0.5 + 1.0 + 0.5 + libm::log(4.0)));
    }

    /// The numbers that are looked at show whatever a walk over all of them shows.
    #[test]
    fn no_bad_rate_is_overlooked() {
        let coefficients = [-3.0, -0.04, 0.0, 0.002, 0.5, 40.0];
        let mut refused = 0;
        for number in 0..6_usize.pow(4) {
            let a = [1, 6, 36, 216].map(|unit| coefficients[number / unit % 6]);
            let curve = PerformanceCurve::Ernest(a);
            for cores in [1, 2, 7, 300] {
                let sound = |x| curve.progress(x) > 0.0 && curve.progress(x).is_finite();
                let all = (1..=cores).all(sound);
                assert_eq!(curve.check(cores, &"job").is_ok(), all, "{a:?} on {cores} cores");
                refused += usize::from(!all);
            }
        }
        assert!(refused > 1000);
        let steep = PerformanceCurve::Points(vec![(1, 1e308), (200, 1e-308), (400, 1e308)]);
        assert!(steep.check(1, &"job").is_ok() && steep.check(150, &"job").is_err());
    }
}
