//! How smoothly the page runs.

use std::time::Instant;

use e2e::Lab;

/// Starts to measure the time between frames.
#[track_caller]
pub fn watch_frames(lab: &Lab) {
    lab.eval(
        "(() => {
          window.frames_seen = { longest: 0, count: 0, progress: 0 };
          let before = performance.now();
          const frame = now => {
            const seen = window.frames_seen;
            seen.longest = Math.max(seen.longest, now - before);
            seen.count += 1;
            before = now;
            for (const bar of document.querySelectorAll('progress[value]'))
              if (bar.value > 0 && bar.value < 1) seen.progress += 1;
            requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        })()",
    );
}

/// Longest time between two frames in milliseconds, how many there were, and bars of progress seen in them;
/// counting starts again.
#[track_caller]
fn frames(lab: &Lab) -> (f64, u64, u64) {
    let seen = lab.eval("window.frames_seen");
    lab.eval(
        "(window.frames_seen.longest = 0, window.frames_seen.count = 0, window.frames_seen.progress = 0)",
    );
    let whole = |name: &str| seen[name].as_u64().unwrap_or_default();
    (seen["longest"].as_f64().unwrap_or(f64::INFINITY), whole("count"), whole("progress"))
}

/// Prints the frame times and fails if the page froze for a second; returns how many bars of
/// progress were seen.
#[track_caller]
pub fn never_freezes(lab: &Lab, during: &str, since: Instant) -> u64 {
    let (longest, count, progress) = frames(lab);
    println!(
        "{during}: {:.1} s, {count} frames, the longest took {longest:.0} ms",
        since.elapsed().as_secs_f64()
    );
    assert!(longest < 3000.0, "{during}: the page stood still for {longest:.0} ms");
    progress
}
