//! The files that are dropped onto the page; of a folder, such as a rolling log's, those in it.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry,
};
use yew::Callback;

/// The files that were chosen or dropped.
pub fn list_of(files: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    files.map_or_else(Vec::new, |files| (0..files.length()).filter_map(|index| files.get(index)).collect())
}

/// Sends the files of a drop. What cannot be read is left out.
pub fn send(transfer: Option<DataTransfer>, open: Callback<Vec<File>>) {
    // The browser shows what was dropped for the time of the event only.
    let entries = transfer.as_ref().map_or_else(Vec::new, entries);
    let files = list_of(transfer.and_then(|transfer| transfer.files()));
    if !entries.iter().any(FileSystemEntry::is_directory) {
        open.emit(files);
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        let mut files = Vec::new();
        for entry in entries {
            match entry.is_directory() {
                true => files.extend(files_in(entry.unchecked_into()).await.unwrap_or_default()),
                false => files.extend(file_of(entry.unchecked_into()).await),
            }
        }
        open.emit(files);
    });
}

fn entries(transfer: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = transfer.items();
    let item = |index| items.get(index)?.webkit_get_as_entry().ok().flatten();
    (0..items.length()).filter_map(item).collect()
}

/// The files in a folder, without those of folders in it.
async fn files_in(folder: FileSystemDirectoryEntry) -> Result<Vec<File>, JsValue> {
    let reader: FileSystemDirectoryReader = folder.create_reader();
    let mut files = Vec::new();
    // A reader gives some entries at a time, and none at its end.
    loop {
        let some = called(|done, failed| reader.read_entries_with_callback_and_callback(done, failed));
        let some: Array = some.await?.unchecked_into();
        if some.length() == 0 {
            return Ok(files);
        }
        for entry in some.iter().map(JsCast::unchecked_into::<FileSystemEntry>) {
            if entry.is_file() {
                files.extend(file_of(entry.unchecked_into()).await);
            }
        }
    }
}

async fn file_of(entry: FileSystemFileEntry) -> Option<File> {
    let file = called(|done, failed| {
        entry.file_with_callback_and_callback(done, failed);
        Ok(())
    });
    file.await.ok().map(JsCast::unchecked_into)
}

/// What a function passes to one of its two callbacks.
async fn called(
    mut call: impl FnMut(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |done, failed| {
        if let Err(error) = call(&done, &failed) {
            // A rejection cannot fail.
            let _ = failed.call1(&JsValue::NULL, &error);
        }
    });
    JsFuture::from(promise).await
}
