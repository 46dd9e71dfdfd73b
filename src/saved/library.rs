//! The reader's own scenarios and the lessons that were opened, which the browser keeps in a database of its own
//! (IndexedDB).

use std::cell::Cell;
use std::collections::BTreeSet;

use idb::{Database, Factory, ObjectStore, ObjectStoreParams, Query, TransactionMode};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use crate::browser::identity;
use crate::browser::storage::NotStored;
use crate::store::{Document, KeptVersion, OpenedLesson, Record, Stamp, State};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_view::lanes::lanes;
use fairlane_view::link::{LessonDocument, LinkBounds, LinkError, Session};

/// A scenario or a lesson that is kept.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct KeptScenario {
    /// When work on it began, in milliseconds; identifies it.
    pub id: u64,
    /// When it was last changed, in milliseconds.
    pub saved_ms: f64,
    /// Its title.
    pub title: String,
    /// The jobs as they lie in their lanes, in thousandths of the picture: hue, left, top, width, height.
    pub thumbnail: Vec<[u16; 5]>,
    /// The scenario and how it is shown, as text.
    session: String,
    /// Who wrote it last.
    #[serde(default)]
    stamp: Stamp,
    /// The lesson, if it is one and no scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonDocument>,
}

/// Most jobs in a thumbnail.
const MAX_BLOCKS: usize = 200;
const DATABASE: &str = "fairlane";
const STORE: &str = "scenarios";

impl KeptScenario {
    /// What is kept of a page.
    ///
    /// # Errors
    /// The scenario is too large.
    fn new(id: u64, stamp: Stamp, state: &State) -> Result<KeptScenario, LinkError> {
        let scenario = state.document.own();
        Ok(KeptScenario {
            id,
            saved_ms: js_sys::Date::now(),
            title: if scenario.name().is_empty() {
                state.document.title().to_owned()
            } else {
                scenario.name().to_owned()
            },
            thumbnail: thumbnail(&state.document.scenario),
            session: state.session().to_text(&LinkBounds::STORAGE)?,
            stamp,
            lesson: None,
        })
    }

    /// What is kept of a lesson: its document, with the jobs of its first step as the picture.
    fn of_lesson(id: u64, lesson: &OpenedLesson) -> KeptScenario {
        let scene = lesson.lesson.steps.first().map(|step| &step.scene);
        let scenario = scene.and_then(|scene| scene.scenario().ok().flatten());
        KeptScenario {
            id,
            saved_ms: js_sys::Date::now(),
            title: lesson.lesson.title.clone(),
            thumbnail: scenario.as_ref().map(thumbnail).unwrap_or_default(),
            session: String::new(),
            stamp: Stamp::default(),
            lesson: Some(lesson.document.clone()),
        }
    }

    /// The scenario on a page, and the policies that were ticked.
    ///
    /// # Errors
    /// It was written by another version.
    pub fn page(&self) -> Result<(Document, BTreeSet<PolicyId>), LinkError> {
        let state = State::from_session(Session::from_text(&self.session, &LinkBounds::STORAGE)?);
        let mut document = (*state.document).clone();
        document.record = Record::of(KeptVersion::read(self.id, self.stamp));
        Ok((document, state.view.policies))
    }
}

fn thumbnail(scenario: &Scenario) -> Vec<[u16; 5]> {
    let lanes = lanes(scenario, &[]);
    let end = lanes.iter().flat_map(|lane| &lane.blocks).map(|block| block.to.0).max().unwrap_or(1).max(1);
    let count = lanes.len().max(1);
    let part = |part: f64| (part * 1000.0).clamp(0.0, 1000.0) as u16;
    let blocks = lanes
        .iter()
        .enumerate()
        .flat_map(|(user, lane)| lane.blocks.iter().map(move |block| (user, lane.rows, block)));
    let block = |(user, rows, block): (usize, usize, &fairlane_view::lanes::LaneBlock)| {
        let (from, to) = (block.from.0 as f64 / end as f64, block.to.0 as f64 / end as f64);
        let row = 1.0 / rows.max(1) as f64;
        let top = (user as f64 + block.row as f64 * row) / count as f64;
        let hue = crate::store::selectors::user_hue(scenario, fairlane::ids::UserId(user as u32)) as u16;
        [hue, part(from), part(top), part(to - from).max(8), part(row / count as f64 * 0.8).max(8)]
    };
    blocks.take(MAX_BLOCKS).map(block).collect()
}

async fn database() -> Result<Database, idb::Error> {
    let mut request = Factory::new()?.open(DATABASE, Some(1))?;
    request.on_upgrade_needed(|event| {
        use idb::DatabaseEvent;
        if let Ok(database) = event.database() {
            // It fails only where it is there already.
            let _ = database.create_object_store(STORE, ObjectStoreParams::new());
        }
    });
    request.await
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    /// The scenarios, the last changed first.
    pub records: Vec<KeptScenario>,
    /// How many records another version has written or something has damaged: they stay as they are.
    pub unreadable: usize,
}

/// All that is kept.
///
/// # Errors
/// The browser denies access, or a newer version has stored scenarios.
pub async fn all() -> Result<Shelf, NotStored> {
    let database = database().await.map_err(fault)?;
    let values = async {
        let transaction = database.transaction(&[STORE], TransactionMode::ReadOnly)?;
        transaction.object_store(STORE)?.get_all(None, None)?.await
    };
    let values = values.await;
    database.close();
    let values = values.map_err(fault)?;
    let mut records: Vec<KeptScenario> = values.iter().filter_map(read).collect();
    records.sort_by_key(|record: &KeptScenario| std::cmp::Reverse(record.saved_ms as u64));
    let unreadable = values.len() - records.len();
    Ok(Shelf { records, unreadable })
}

/// A record as it is stored; `None` if this version cannot read it.
fn read(value: &JsValue) -> Option<KeptScenario> {
    serde_json::from_str(&value.as_string()?).ok()
}

fn fault(error: idb::Error) -> NotStored {
    NotStored::named(&error.to_string())
}

/// Why a scenario was not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// The browser does not store it.
    #[error(transparent)]
    NotStored(#[from] NotStored),
    /// It is too large.
    #[error("It {0}. {remedy}", remedy = .0.remedy())]
    TooLarge(#[from] LinkError),
    /// Another page writes to its record.
    #[error("Another tab has changed it meanwhile.")]
    OfAnother,
}

thread_local! {
    static FAILED: Cell<Option<NotStored>> = const { Cell::new(None) };
    static WRITER: u64 = identity::drawn();
}

/// What this page signs its records with.
pub fn writer() -> u64 {
    WRITER.with(|writer| *writer)
}

/// The id of a record that work begins on now.
pub fn new_id() -> u64 {
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    let id = (js_sys::Date::now() as u64).max(LAST.get() + 1);
    LAST.set(id);
    id
}

/// Why the last record was not kept, if it was not.
pub fn last_fault() -> Option<NotStored> {
    FAILED.get()
}

/// Keeps a page's scenario in the record that it has begun to write, unless that holds another page's work.
///
/// # Errors
/// Why it was not kept.
pub async fn put(state: &State) -> Result<(), NotKept> {
    let record = &state.document.record;
    let Some((version, stamp)) = record.get().and_then(|version| Some((version, version.writing?))) else {
        return Ok(());
    };
    let kept = KeptScenario::new(version.id, stamp, state)?;
    let may_replace = |stored: Option<&JsValue>| match stored {
        // What cannot be read is no page's own.
        Some(stored) => read(stored).is_some_and(|stored| version.may_replace(Some(stored.stamp))),
        None => true,
    };
    let written = write(&kept, may_replace).await;
    FAILED.set(match &written {
        Err(NotKept::NotStored(fault)) => Some(*fault),
        _ => None,
    });
    written?;
    // It may have begun to write again meanwhile.
    if let Some(now) = record.get().filter(|now| now.id == version.id) {
        record.set(now.with_written(stamp));
    }
    Ok(())
}

/// Keeps a lesson, in the record that has the same document if there is one.
///
/// # Errors
/// Why it was not kept.
pub async fn keep_lesson(lesson: &OpenedLesson) -> Result<(), NotKept> {
    keep_written(lesson, &lesson.document).await
}

/// Keeps a lesson in the place of what it was before, if that is kept.
///
/// # Errors
/// Why it was not kept.
pub async fn keep_written(lesson: &OpenedLesson, before: &LessonDocument) -> Result<(), NotKept> {
    let records = all().await?.records;
    let known = records.iter().find(|record| record.lesson.as_ref() == Some(before));
    let kept = KeptScenario::of_lesson(known.map_or_else(new_id, |record| record.id), lesson);
    write(&kept, |_| true).await
}

/// Brings back a record that was deleted.
///
/// # Errors
/// Why it was not kept.
pub async fn restore(kept: &KeptScenario) -> Result<(), NotKept> {
    write(kept, |stored| stored.is_none()).await
}

/// Writes a record, if what is stored under its id may be replaced: looked at and written in one transaction.
async fn write(kept: &KeptScenario, may_replace: impl Fn(Option<&JsValue>) -> bool) -> Result<(), NotKept> {
    // A few numbers and texts can be written as JSON.
    let text = serde_json::to_string(kept).map_err(|_| NotStored::Damaged)?;
    let database = database().await.map_err(fault)?;
    let key = JsValue::from_f64(kept.id as f64);
    let put = |records: ObjectStore| records.put(&JsValue::from_str(&text), Some(&key));
    let written = async {
        let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite)?;
        let records = transaction.object_store(STORE)?;
        let stored = records.get(Query::Key(key.clone()))?.await?;
        if !may_replace(stored.as_ref()) {
            return Ok(None);
        }
        put(records)?.await?;
        transaction.commit()?.await.map(Some)
    };
    let written = written.await;
    database.close();
    match written.map_err(fault)? {
        None => Err(NotKept::OfAnother),
        Some(result) if result.is_committed() => Ok(()),
        // A full disk may abort a transaction as late as at its end.
        Some(_) => Err(NotStored::Full.into()),
    }
}

/// Removes a record.
///
/// # Errors
/// The browser denies access.
pub async fn delete(id: u64) -> Result<(), NotStored> {
    let database = database().await.map_err(fault)?;
    let deleted = async {
        let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite)?;
        transaction.object_store(STORE)?.delete(Query::Key(JsValue::from_f64(id as f64)))?.await?;
        transaction.commit()?.await
    };
    let deleted = deleted.await;
    database.close();
    deleted.map(|_| ()).map_err(fault)
}
