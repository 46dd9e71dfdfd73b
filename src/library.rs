//! The reader's own scenarios, which the browser keeps in a database of its own (IndexedDB).

use std::cell::Cell;
use std::collections::BTreeSet;

use idb::{Database, Factory, ObjectStoreParams, Query, TransactionMode};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use super::storage::NotStored;
use super::store::{Document, State};
use fairlane::policy::PolicyId;
use fairlane_view::lanes::lanes;
use fairlane_view::link::{LinkBounds, LinkError, Session};

/// A scenario that is kept.
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
}

/// Most jobs in a thumbnail.
const MOST_BLOCKS: usize = 200;
const DATABASE: &str = "fairlane";
const STORE: &str = "scenarios";

impl KeptScenario {
    /// What is kept of a page.
    ///
    /// # Errors
    /// The scenario is too large.
    pub fn new(id: u64, state: &State) -> Result<KeptScenario, LinkError> {
        let scenario = state.document.own();
        Ok(KeptScenario {
            id,
            saved_ms: js_sys::Date::now(),
            title: if scenario.name().is_empty() {
                state.document.title().to_owned()
            } else {
                scenario.name().to_owned()
            },
            thumbnail: thumbnail(&state.document),
            session: state.session().to_text(&LinkBounds::STORAGE)?,
        })
    }

    /// The scenario on a page, and the policies that were ticked.
    ///
    /// # Errors
    /// It was written by another version.
    pub fn page(&self) -> Result<(Document, BTreeSet<PolicyId>), LinkError> {
        let state = State::from_session(Session::from_text(&self.session, &LinkBounds::STORAGE)?);
        let mut document = (*state.document).clone();
        document.record = Some(self.id);
        Ok((document, state.ticked))
    }
}

fn thumbnail(document: &Document) -> Vec<[u16; 5]> {
    let scenario = &document.scenario;
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
        let hue = super::selectors::user_hue(fairlane::ids::UserId(user as u32)) as u16;
        [hue, part(from), part(top), part(to - from).max(8), part(row / count as f64 * 0.8).max(8)]
    };
    blocks.take(MOST_BLOCKS).map(block).collect()
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

/// All that is kept, the last changed first. What another version has written and this one cannot read is left out.
///
/// # Errors
/// The browser denies access.
pub async fn all() -> Result<Vec<KeptScenario>, idb::Error> {
    let database = database().await?;
    let transaction = database.transaction(&[STORE], TransactionMode::ReadOnly)?;
    let values = transaction.object_store(STORE)?.get_all(None, None)?.await?;
    database.close();
    let read = |value: &JsValue| serde_json::from_str(&value.as_string()?).ok();
    let mut records: Vec<KeptScenario> = values.iter().filter_map(read).collect();
    records.sort_by_key(|record: &KeptScenario| std::cmp::Reverse(record.saved_ms as u64));
    Ok(records)
}

/// Keeps a record in place of the one with its id, if there is one.
///
/// # Errors
/// The browser denies access or is full.
pub async fn put(record: &KeptScenario) -> Result<(), NotStored> {
    let result = try_put(record).await;
    FAILED.set(result.is_err());
    result
}

thread_local! {
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the last record was not kept.
pub fn has_failed() -> bool {
    FAILED.get()
}

async fn try_put(record: &KeptScenario) -> Result<(), NotStored> {
    let Ok(text) = serde_json::to_string(record) else { return Ok(()) };
    let database = database().await.map_err(|_| NotStored::Denied)?;
    let key = JsValue::from_f64(record.id as f64);
    let written = async {
        let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite)?;
        transaction.object_store(STORE)?.put(&JsValue::from_str(&text), Some(&key))?.await?;
        transaction.commit()?.await
    };
    // A full disk may abort a transaction as late as at its end.
    let is_written = written.await.is_ok_and(|result| result.is_committed());
    database.close();
    if is_written { Ok(()) } else { Err(NotStored::Full) }
}

/// Removes a record.
///
/// # Errors
/// The browser denies access.
pub async fn delete(id: u64) -> Result<(), idb::Error> {
    let database = database().await?;
    let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite)?;
    transaction.object_store(STORE)?.delete(Query::Key(JsValue::from_f64(id as f64)))?.await?;
    transaction.commit()?.await?;
    database.close();
    Ok(())
}
