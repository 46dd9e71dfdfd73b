use fairlane::*;
fn main() {
    for e in scenario::catalog::ENTRIES {
        let s = e.scenario();
        println!("{}", e.name);
        for p in PolicyId::all() {
            let t = simulate(&s, p);
            let alone = metrics::alone_responses(&s, p);
            let m = metrics::Summary::new(&s, &t, &alone);
            println!(
                "  {:8} {:7.2} w {:7.2} sl {:6.2} mk {:7.2} {:?} {:?}",
                p.to_string(),
                m.mean_response,
                m.worst_decile,
                m.mean_slowdown,
                m.makespan.seconds(),
                m.by_user.iter().map(|x| x.map(|x| (x * 100.).round() / 100.)).collect::<Vec<_>>(),
                trace::check(&s, &t)
            );
        }
    }
}
