use super::*;
use fairlane::units::{SlotTime, Span, Time};

fn read(columns: &str, text: &str) -> Result<TaskTable, ImportError> {
    let mut table = TaskTable::new(columns.parse().expect("a mapping"));
    table.read("t.csv", text.as_bytes()).map(|()| table)
}

/// Tasks of the Workflow Trace Archive: 3 waits for 1 and 2; 4 is of another workflow and waits for one that is not
/// there.
#[test]
fn workflows_with_parents() {
    let text = "id,runtime,ts_submit,resource_amount_requested,parents,user_id,workflow_id\n\
        1,2000,5000,1.0,[],7,w\n2,1000,5000,2.0,[],7,w\n3,500,7000,1.0,\"[1, 2]\",7,w\n4,250,6000,0.4,[9 ],8,v\n";
    let import = read("wta", text).expect("a table").import(4).expect("a scenario");
    let [w, v] = import.scenario.jobs() else { panic!("two jobs") };
    assert_eq!(
        (w.name.as_str(), w.arrival, v.name.as_str(), v.arrival),
        ("w", Time(0), "v", Time(1_000_000))
    );
    let parents: Vec<&[u32]> = w.stages.iter().map(|stage| &stage.parents[..]).collect();
    assert_eq!(parents, [&[][..], &[], &[0, 1]]);
    assert_eq!(w.stages[1].input.durations(2), [Span(1_000_000); 2]);
    let users: Vec<&str> = import.scenario.users().iter().map(|user| user.name.as_str()).collect();
    assert_eq!(users, ["7", "8"]);
    let TableReport { parents_unknown, submitted_later, tasks, ref rows, .. } = import.report;
    assert_eq!((parents_unknown, submitted_later, tasks), (1, 0, 5));
    assert_eq!((rows.in_table, rows.imported, rows.rounded_cores), (4, 4, 1));
    // 2 + 2 + 0.5 + 0.1 core-seconds; the last row holds a whole core.
    assert!((rows.core_s_in_table - 4.6).abs() < 1e-9 && (rows.core_s_imported - 4.75).abs() < 1e-9);
}

/// Without headings, as Alibaba's batch tasks: name, instances, job, type, status, start, end, cores in per cent.
#[test]
fn columns_by_number() {
    let text = "M1,2,j_1,1,Terminated,100,104,50,0.2\nR2_1,1,j_1,1,Terminated,104,110,200,0.2\nM1,1,j_2,1,Waiting,,,100,0.2\n\
        M1,1,j_3,1,Terminated,9,3,100,0.1\nM1\n";
    let table = read("tasks=2,job=3,submit=6,end=7,cores=8/100", text).expect("a table");
    let left_out = [("that end before they start", 1), ("whose submit is no number", 2)];
    assert_eq!(table.report.left_out, left_out.map(|(reason, count)| (reason.to_owned(), count)).into());
    let import = table.import(8).expect("a scenario");
    let [job] = import.scenario.jobs() else { panic!("one job") };
    assert_eq!((job.stages.len(), job.stages[0].partitions, job.work()), (1, 4, SlotTime(20_000_000)));
    assert_eq!((import.report.submitted_later, import.scenario.users()[0].name.as_str()), (1, "unknown"));
    assert_eq!(import.report.rows.in_table, import.report.rows.imported + 3);
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let error = |columns: &str, text: &str| {
        read(columns, text).and_then(|table| table.import(1)).unwrap_err().to_string()
    };
    assert_eq!(
        error("submit=at,runtime=took", "when,took\n1,2\n"),
        "t.csv: has no column \"at\" for submit; it has when, took"
    );
    assert_eq!(
        error("submit=at,runtime=took", "at,took\n"),
        "table: has no row; give a table with a row for each task"
    );
    assert_eq!(
        error("submit=at,runtime=took", "at,took\nx,1\n"),
        "table: has no row that can be imported (1 rows whose submit is no number); check which column has what"
    );
    let cycle = error("submit=at,runtime=at,task=id,parents=of,job=j", "at,id,of,j\n1,a,b,x\n1,b,a,x\n");
    assert!(cycle.starts_with("the scenario of this table: jobs[0]"), "{cycle}");
    for (mapping, words) in [
        ("submit=a", "add runtime=COLUMN"),
        ("submit=a,runtime=b,parents=c", "add task=COLUMN"),
        ("submit=a,runtime=b,unit=h", "give s, ms or us"),
        ("submit=a,length=b", "\"length\" is unknown; it can be submit, runtime"),
        ("submit", "is not KEY=COLUMN"),
        ("submit=", "names no column"),
    ] {
        let error = mapping.parse::<ColumnMapping>().unwrap_err();
        assert!(error.contains(words), "{mapping}: {error}");
    }
}
