use e2e::{Site, json};

use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::Mode;
fn main() {
    let count: usize = std::env::args().nth(1).map_or(19, |n| n.parse().unwrap());
    let site = Site::dist();
    let lab = e2e::Lab::open_as(&site, e2e::Look::DESK, "#catalog:paper-scenario-1");
    let kinds = PolicyKind::ALL.iter().copied().filter(|kind| kind.info().id != "uwfq-released").take(count);
    let policies: Vec<String> =
        kinds.map(|kind| PolicyId { kind, partitioning: Mode::Default }.to_string()).collect();
    println!("{policies:?}");
    let wait = |what: &str| {
        let s = std::time::Instant::now();
        while lab.eval(what) != true {
            assert!(s.elapsed().as_secs() < 60, "{what}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    };
    wait("document.documentElement.dataset.ready === 'true'");
    let list = serde_json::to_string(&policies).unwrap();
    lab.eval("document.querySelectorAll('.policies details').forEach(group => group.open = true)");
    for id in PolicyId::all().map(|p| p.to_string()) {
        lab.eval(&format!("(()=>{{ const b=document.getElementById('policy-{id}'); if (b && b.checked !== {}) b.click(); return true; }})()", policies.contains(&id)));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::thread::sleep(std::time::Duration::from_secs(4));
    println!("{}", lab.eval("document.querySelectorAll('.panel').length"));
    lab.start_trace(&["disabled-by-default-v8.cpu_profiler", "devtools.timeline", "v8"]);
    let measure = include_str!("../tests/page/drag_rate.js");
    let seen = lab
        .eval(&format!("({measure})({})", json!({ "job": 90, "seconds": 4.0, "free": true, "hand": false })));
    println!("frames {} p95 {}", seen["frames"], seen["p95_frame"]);
    for p in seen["panels"].as_array().unwrap() {
        print!("{} {:.1}/{:.1}  ", p["id"], p["hashes"].as_f64().unwrap(), p["draws"].as_f64().unwrap());
    }
    println!();
    let events = lab.end_trace();
    std::fs::write("/tmp/prof.json", serde_json::to_string(&events).unwrap()).unwrap();
}
