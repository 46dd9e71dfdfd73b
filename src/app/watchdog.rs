//! When a silent worker is given up. No browser types: tested natively.

/// How often silence is looked for, in milliseconds.
pub const INTERVAL_MS: u32 = 2_000;
/// Longest silence of a worker that is starting, in milliseconds.
const STARTING_MS: f64 = 20_000.0;
/// Longest silence of a worker at its task, in milliseconds.
const WORKING_MS: f64 = 60_000.0;

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not reported that it is ready.
    Starting,
    /// It can take tasks.
    Ready,
}

/// Watches one worker. Instants are in milliseconds of `performance.now`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watchdog {
    /// When the worker was given its task or last sent a message.
    heard: f64,
    /// When it was first found silent for too long.
    suspected: Option<f64>,
}

impl Watchdog {
    /// A watchdog that starts now.
    pub fn new(now: f64) -> Watchdog {
        Watchdog { heard: now, suspected: None }
    }

    /// Looks once; whether the worker is taken for dead.
    ///
    /// That takes two looks, about an interval apart, at a silence that is too long: where the clock goes on while
    /// the machine sleeps, everybody has been silent at the first look after it wakes. A page in the background looks
    /// more rarely and gives nobody up.
    pub fn is_dead(&mut self, now: f64, phase: Phase) -> bool {
        let longest = match phase {
            Phase::Starting => STARTING_MS,
            Phase::Ready => WORKING_MS,
        };
        if now - self.heard <= longest {
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

    /// Looks at a worker that is silent from 0 on; when it is given up.
    fn given_up(phase: Phase, looks: impl IntoIterator<Item = f64>) -> Option<f64> {
        let mut watchdog = Watchdog::new(0.0);
        looks.into_iter().find(|&now| watchdog.is_dead(now, phase))
    }

    fn awake(from: f64) -> impl Iterator<Item = f64> {
        (0..100).map(move |look| from + f64::from(look) * INTERVAL)
    }

    #[test]
    fn a_silent_worker_is_given_up_at_the_second_look() {
        assert_eq!(given_up(Phase::Starting, awake(0.0)), Some(STARTING_MS + 2.0 * INTERVAL));
        assert_eq!(given_up(Phase::Ready, awake(0.0)), Some(WORKING_MS + 2.0 * INTERVAL));
    }

    #[test]
    fn a_worker_that_reports_after_the_machine_slept_is_healthy() {
        let hour = 3_600_000.0;
        let mut watchdog = Watchdog::new(0.0);
        assert!(!watchdog.is_dead(INTERVAL, Phase::Ready));
        assert!(!watchdog.is_dead(hour, Phase::Ready), "the first look after an hour's sleep");
        watchdog = Watchdog::new(hour + 100.0);
        assert!(awake(hour + INTERVAL).take(30).all(|now| !watchdog.is_dead(now, Phase::Ready)));
    }

    #[test]
    fn sleep_between_two_looks_is_no_silence() {
        let hour = 3_600_000.0;
        let looks = [WORKING_MS + 1.0, hour, 2.0 * hour, 3.0 * hour, 3.0 * hour + INTERVAL];
        assert_eq!(given_up(Phase::Ready, looks), Some(3.0 * hour + INTERVAL));
    }
}
