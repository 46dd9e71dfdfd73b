//! The pools of Spark's fair scheduler as a table: those that are declared and those that Spark makes for names that
//! nobody declares; and `fairscheduler.xml`, read and written.

use std::collections::{BTreeMap, BTreeSet};

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::panels::editors::field::{EditorFields, select};
use crate::panels::share::export::{save, saving};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, Notice};
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, explained_columns};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::spark::{self, POOL, Pool, PoolMode};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::field::Field;
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane_import::spark::PoolsFile;

/// The name of the file that declares pools.
const FILE: &str = "fairscheduler.xml";

/// The parameters of Spark's scheduler.
fn spark_object() -> ObjectPath {
    ObjectPath::Policy(spark::INFO.id.into())
}

/// What declares pools.
fn declare(pools: &[Pool]) -> Edit {
    Edit::set(spark_object(), "pools", serde_json::to_value(pools).expect("pools are JSON"))
}

/// The edit by which Spark's scheduler uses a pools file, and the notice of what Spark does not understand in it.
///
/// # Errors
/// It is no pools file, or declares no pool: a sentence.
pub fn read_file(text: &str) -> Result<(Edit, Option<Notice>), String> {
    let file = PoolsFile::read(FILE, text).map_err(|error| error.message)?;
    let edit = file.edit().map_err(|fault| format!("It {fault}."))?;
    let remarks = file.remarks();
    let notice = (!remarks.is_empty()).then(|| Notice {
        title: "fairscheduler.xml is used, but not all of it is understood".to_owned(),
        detail: remarks.join("; "),
    });
    Ok((edit, notice))
}

/// The pools of a scenario as a file, if they are not those of another one with the same jobs and a file can say all of
/// it: Spark has no caps, and no pools by user.
pub fn changed_file(scenario: &Scenario, from: &Scenario) -> Option<String> {
    let pools = spark::pools(scenario);
    let has_cap = pools.iter().any(|pool| pool.max_share.is_some());
    let in_same = |job: JobId| spark::pool_name(scenario, job) == spark::pool_name(from, job);
    let is_said = spark::has_pools(scenario) && !has_cap && scenario.jobs().len() == from.jobs().len();
    let is_changed = pools != spark::pools(from);
    (is_said && is_changed && (0..scenario.jobs().len() as u32).map(JobId).all(in_same))
        .then(|| PoolsFile::write(&pools))
}

#[derive(Properties, PartialEq)]
pub struct PoolsProps {
    pub document: Shared<Document>,
}

/// A row for each pool, what makes more of them, and the file.
#[component]
pub fn PoolsTable(props: &PoolsProps) -> Html {
    let send = use_send();
    let scenario = &props.document.scenario;
    let declared = Shared::new(spark::declared(scenario));
    let fields = EditorFields { document: &props.document, send: &send };
    let button = |id: &'static str, words: &'static str, edit: Edit| {
        let onclick = send.press(DocumentAction::Edit(edit));
        html! { <button type="button" class="small" {id} {onclick}>{ words }</button> }
    };
    let by = |word: &'static str| Edit::set(spark_object(), "by", word);
    let users: Vec<Pool> = scenario.users().iter().map(Pool::fair_for).collect();
    let one_more: Vec<Pool> = declared.iter().cloned().chain([Pool::named(free_name(&declared))]).collect();
    let all = spark::pools(scenario);
    let onsave = {
        let text = PoolsFile::write(&all);
        saving(&send, move || save(FILE, "text/xml", &text))
    };
    let members = members(scenario);
    html! {
        <div class="pools">
            if !spark::has_pools(scenario) { <p class="hint">{ "In the mode FIFO Spark has no pools." }</p> }
            <Table id="spark-pools" label="Pools of the fair scheduler" columns={explained_columns(HEADINGS)}>
                { for all.iter().enumerate().map(|(index, pool)| row(&fields, &declared, index, pool,
                    members.get(pool.name.as_str()))) }
            </Table>
            <div class="buttons">
                { button("spark-pools-users", "A FAIR pool per user",
                    Edit::several("give each user a FAIR pool", vec![declare(&users), by("user")])) }
                { button("spark-pools-add", "Add a pool", declare(&one_more)) }
                if !declared.is_empty() {
                    { button("spark-pools-none", "Declare none",
                        Edit::several("declare no pools", vec![declare(&[]), by("pool")])) } }
                <button type="button" class="small" id="spark-pools-save" onclick={onsave}
                    title="Saves these pools as fairscheduler.xml, but for caps, which Spark does not have">{
                    "Save as fairscheduler.xml" }</button>
            </div>
            <Paste />
            <p class="hint">{ PAPER }</p>
        </div>
    }
}

/// How the policies of the paper differ from Spark's own scheduler.
const PAPER: &str = "FIFO, Fair and UJF are the UWFQ paper's: they rank a query by its arrival and are FAIR inside, where \
                     Spark ranks each of its Spark jobs by the order of their starts, and a pool is FIFO inside unless \
                     it is declared FAIR.";

/// The columns and what they mean.
const HEADINGS: [(&str, &str); 6] = [
    ("pool", "Its name, and whose jobs are in it"),
    ("inside", "How its stages compete: schedulingMode"),
    ("weight", "Share of the cores, relative to other pools"),
    ("min", "Running tasks below which it goes before other pools: minShare"),
    ("cap", "The most running tasks; Spark has no such cap"),
    ("", ""),
];

/// A name that no pool has.
fn free_name(pools: &[Pool]) -> String {
    let free = |name: &String| pools.iter().all(|pool| pool.name != *name);
    (pools.len() + 1..).map(|number| format!("pool {number}")).find(free).unwrap_or_default()
}

/// The names of the users whose jobs are in each pool.
fn members(scenario: &Scenario) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut members: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for job in (0..scenario.jobs().len() as u32).map(JobId) {
        members.entry(spark::pool_name(scenario, job)).or_default().insert(scenario.user_name(job));
    }
    members
}

/// The declared pools with another one in place of that of a name, or after them.
fn with(declared: &[Pool], name: &str, pool: Option<Pool>) -> Vec<Pool> {
    let mut pools = declared.to_vec();
    match (pools.iter().position(|other| other.name == name), pool) {
        (Some(at), Some(pool)) => pools[at] = pool,
        (Some(at), None) => drop(pools.remove(at)),
        (None, pool) => pools.extend(pool),
    }
    pools
}

/// A pool with a field as it is typed.
fn changed(pool: &Pool, field: &Field, text: &str) -> Result<Pool, String> {
    let value = field.value(text).map_err(|error| error.to_string())?;
    let mut json = serde_json::to_value(pool).expect("a pool is JSON");
    json[field.name] = value;
    if json[field.name].is_null() {
        json.as_object_mut().expect("an object").remove(field.name);
    }
    let pools = spark::read(&serde_json::Value::Array(vec![json]));
    let pools = pools.map_err(|ScenarioError { message, .. }| message)?;
    Ok(pools.into_iter().next().expect("one was written"))
}

/// A pool gets another name, and the jobs that name it name it so.
fn renamed(scenario: &Scenario, name: &str, new: &str, declaration: Edit) -> Edit {
    let field = match scenario.parameters().get(spark::INFO.id, "by").and_then(|by| by.as_str()) {
        None | Some("pool") => Some("pool"),
        Some("group") => Some("group"),
        Some(_) => None,
    };
    let jobs = (0..scenario.jobs().len() as u32).map(JobId);
    let jobs = jobs.filter(|&job| spark::pool_name(scenario, job) == name);
    let moved = field
        .into_iter()
        .flat_map(|field| jobs.clone().map(move |job| Edit::set(ObjectPath::Job(job), field, new)));
    Edit::several(format!("rename pool {name}"), [declaration].into_iter().chain(moved).collect())
}

fn row(
    fields: &EditorFields,
    declared: &Shared<Vec<Pool>>,
    index: usize,
    pool: &Pool,
    members: Option<&BTreeSet<&str>>,
) -> Html {
    let is_declared = declared.iter().any(|other| other.name == pool.name);
    let cell = |name: &'static str| {
        let field = *POOL.iter().find(|field| field.name == name).expect("a field of pools");
        let json = serde_json::to_value(pool).expect("a pool is JSON");
        let text = json.get(name).map(|value| field.text_of(value)).unwrap_or_default();
        let (document, declared, own) = (fields.document.clone(), declared.clone(), pool.clone());
        let read = move |text: &str| {
            let pool = changed(&own, &field, text)?;
            let declaration = declare(&with(&declared, &own.name, Some(pool.clone())));
            Ok::<Edit, String>(match pool.name == own.name {
                true => declaration,
                false => renamed(&document.scenario, &own.name, &pool.name, declaration),
            })
        };
        let label = format!("{} of pool {}", field.title, pool.name);
        fields.typed(format!("spark-pool-{index}-{name}"), label, "", "", text, field.empty(), read)
    };
    let mode = |mode: PoolMode| if mode == PoolMode::Fair { "FAIR" } else { "FIFO" };
    let pick = {
        let (declared, own) = (declared.clone(), pool.clone());
        fields.send.reform(move |word: String| {
            let mode = if word == "FAIR" { PoolMode::Fair } else { PoolMode::Fifo };
            Action::Document(DocumentAction::Edit(declare(&with(
                &declared,
                &own.name,
                Some(Pool { mode, ..own.clone() }),
            ))))
        })
    };
    let id = format!("spark-pool-{index}-mode");
    let undeclare = fields.send.press(DocumentAction::Edit(declare(&with(declared, &pool.name, None))));
    let users: Vec<String> = members.into_iter().flatten().map(|&name| name.to_owned()).collect();
    let users = match users.len() {
        0 => "no jobs".to_owned(),
        1..=MAX_NAMED => number::list(&users),
        more => format!("{} and {} more", users[..MAX_NAMED].join(", "), more - MAX_NAMED),
    };
    let known = if is_declared { "declared" } else { "assumed: as Spark makes it" };
    html! {
        <tr key={pool.name.clone()} data-pool={pool.name.clone()}>
            <th scope="row">
                if is_declared { { cell("name") } } else { <b>{ &pool.name }</b> }
                <small>{ format!("{users}; {known}") }</small>
            </th>
            <td>
                <label class="sr" for={id.clone()}>{ format!("Inside pool {}", pool.name) }</label>
                { select(&id, mode(pool.mode), [("FIFO", "FIFO"), ("FAIR", "FAIR")], None, pick) }
            </td>
            <td>{ cell("weight") }</td>
            <td>{ cell("min_share") }</td>
            <td>{ cell("max_share") }</td>
            <td>
                if is_declared {
                    <button type="button" class="small" onclick={undeclare}
                        aria-label={format!("Remove the declaration of pool {}", pool.name)}
                        title="Remove the declaration">{ "✕" }</button>
                }
            </td>
        </tr>
    }
}

/// Most users of a pool that are named.
const MAX_NAMED: usize = 4;

/// Where a pools file is pasted or opened.
#[component]
fn Paste() -> Html {
    let send = use_send();
    let text = use_node_ref();
    let fault = use_state_eq(|| None::<String>);
    let onclick = {
        let (text, fault) = (text.clone(), fault.setter());
        Callback::from(move |_: MouseEvent| {
            let Some(area) = text.cast::<web_sys::HtmlTextAreaElement>() else { return };
            match read_file(&area.value()) {
                Ok((edit, notice)) => {
                    fault.set(None);
                    send.emit(Action::Document(DocumentAction::Edit(edit)));
                    notice.into_iter().for_each(|notice| send.emit(Action::warn(notice)));
                }
                Err(why) => fault.set(Some(why)),
            }
        })
    };
    // As the header does, by whose input every file is opened.
    let open = Callback::from(|_: MouseEvent| {
        let input = gloo::utils::document().get_element_by_id("file");
        if let Some(input) = input.and_then(|input| input.dyn_into::<web_sys::HtmlElement>().ok()) {
            input.click();
        }
    });
    html! {
        <details>
            <summary id="spark-pools-paste">{ "Paste or open fairscheduler.xml" }</summary>
            <textarea ref={text} id="spark-pools-text" rows="5" spellcheck="false"
                aria-label="Text of fairscheduler.xml" aria-invalid={fault.is_some().to_string()}
                placeholder="<allocations> … </allocations>" />
            if let Some(fault) = &*fault { <p class="hint bad" role="alert">{ fault }</p> }
            <div class="buttons">
                <button type="button" class="small" id="spark-pools-use" {onclick}>{ "Use these pools" }</button>
                <button type="button" class="small" onclick={open}
                    title="A log and its fairscheduler.xml can also be dropped onto the page together">{
                    "Open a file" }</button>
            </div>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_field_changes_or_declares_a_pool() {
        let field = |name| POOL.iter().find(|field| field.name == name).expect("a field");
        let ana = Pool::named("ana");
        let heavy = changed(&ana, field("weight"), "3").expect("a weight");
        assert_eq!((heavy.weight, changed(&heavy, field("max_share"), "")), (3, Ok(heavy.clone())));
        assert!(changed(&ana, field("weight"), "0").is_err() && changed(&ana, field("name"), " ").is_err());
        let declared = with(&[], "ana", Some(heavy.clone()));
        assert_eq!(with(&declared, "ben", Some(Pool::named("ben"))), [heavy, Pool::named("ben")]);
        assert_eq!(with(&declared, "ana", None), []);
        assert_eq!(free_name(&declared), "pool 2");
    }

    #[test]
    fn jobs_follow_their_pool_to_its_new_name() {
        let scenario = crate::testing::scenario("two-users");
        let [first, other] = [JobId(0), JobId(1)];
        let scenario = scenario.with(&Edit::set(ObjectPath::Job(first), "pool", "etl")).expect("a pool");
        let edit = renamed(&scenario, "etl", "nightly", declare(&[Pool::named("nightly")]));
        let scenario = scenario.with(&edit).expect("a name");
        let pools = [first, other].map(|job| spark::pool_name(&scenario, job).to_owned());
        assert_eq!(pools, ["nightly", "default"]);
        assert_eq!(spark::declared(&scenario), [Pool::named("nightly")]);
    }

    #[test]
    fn a_pools_file_makes_the_scheduler_fair() {
        let pools = |weight: &str| {
            let text =
                format!("<allocations><pool name='etl'><weight>{weight}</weight></pool></allocations>");
            read_file(&text).expect("pools")
        };
        let (edit, notice) = pools("2");
        let scenario = crate::testing::scenario("two-users");
        let scenario = scenario.with(&edit).expect("a good edit");
        assert_eq!(notice, None);
        let remarks = pools("heavy").1.expect("a notice").detail;
        assert!(remarks.contains("weight") && remarks.contains("heavy"), "{remarks}");
        assert_eq!(spark::declared(&scenario), [Pool { weight: 2, ..Pool::named("etl") }]);
        assert!(read_file("weight 2").is_err() && read_file("<allocations/>").is_err());
    }
}
