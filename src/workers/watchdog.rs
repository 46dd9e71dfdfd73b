//! When a silent worker is terminated. No browser types: tested natively.

/// How often silence is checked, in milliseconds.
pub const INTERVAL_MS: u32 = 2_000;
/// Longest silence of a worker that is starting, in milliseconds.
const STARTING_MS: f64 = 20_000.0;
/// Longest silence of a worker at its task, in milliseconds.
const WORKING_MS: f64 = 60_000.0;

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerPhase {
    /// It has not reported that it is ready.
    Starting,
    /// It can take tasks.
    Ready,
}

/// Watches one worker. Instants are in milliseconds of `performance.now`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watchdog {
    /// When the worker was given its task or last sent a message.
    reported: f64,
    /// When it first was silent for too long.
    suspected: Option<f64>,
}

impl Watchdog {
    /// A watchdog that starts now.
    pub fn new(now: f64) -> Watchdog {
        Watchdog { reported: now, suspected: None }
    }

    /// Checks once; whether the worker counts as dead.
    ///
    /// It does after two checks, about an interval apart, of a silence that is too long: where the clock runs while the
    /// machine sleeps, every worker is silent at the first check after it wakes. A page in the background checks less
    /// often and ends no worker.
    pub fn is_dead(&mut self, now: f64, phase: WorkerPhase) -> bool {
        let longest = match phase {
            WorkerPhase::Starting => STARTING_MS,
            WorkerPhase::Ready => WORKING_MS,
        };
        if now - self.reported <= longest {
            return false;
        }
        let awake = self.suspected.is_some_and(|before| now - before <= 2.0 * f64::from(INTERVAL_MS));
        self.suspected = Some(now);
        awake
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: f64 = INTERVAL_MS as f64;

    /// Looks at a worker that is silent from 0 on; when it is terminated.
    fn terminated(phase: WorkerPhase, checks: impl IntoIterator<Item = f64>) -> Option<f64> {
        let mut watchdog = Watchdog::new(0.0);
        checks.into_iter().find(|&now| watchdog.is_dead(now, phase))
    }

    fn awake(from: f64) -> impl Iterator<Item = f64> {
        (0..100).map(move |check| from + f64::from(check) * INTERVAL)
    }

    #[test]
    fn a_silent_worker_is_terminated_at_the_second_check() {
        assert_eq!(terminated(WorkerPhase::Starting, awake(0.0)), Some(STARTING_MS + 2.0 * INTERVAL));
        assert_eq!(terminated(WorkerPhase::Ready, awake(0.0)), Some(WORKING_MS + 2.0 * INTERVAL));
    }

    #[test]
    fn a_worker_that_reports_after_the_machine_slept_is_healthy() {
        let hour = 3_600_000.0;
        let mut watchdog = Watchdog::new(0.0);
        assert!(!watchdog.is_dead(INTERVAL, WorkerPhase::Ready));
        assert!(!watchdog.is_dead(hour, WorkerPhase::Ready), "the first check after an hour's sleep");
        watchdog = Watchdog::new(hour + 100.0);
        assert!(awake(hour + INTERVAL).take(30).all(|now| !watchdog.is_dead(now, WorkerPhase::Ready)));
    }

    #[test]
    fn sleep_between_two_checks_is_no_silence() {
        let hour = 3_600_000.0;
        let checks = [WORKING_MS + 1.0, hour, 2.0 * hour, 3.0 * hour, 3.0 * hour + INTERVAL];
        assert_eq!(terminated(WorkerPhase::Ready, checks), Some(3.0 * hour + INTERVAL));
    }
}
