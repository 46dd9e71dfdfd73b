//! Files as a web server sends them: compressed once, then kept.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;

type Kept = HashMap<PathBuf, (SystemTime, Arc<[u8]>)>;

/// All tests of a program serve the same page, so what one has compressed serves the others.
static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// A file, compressed by gzip.
pub fn read(file: &Path) -> io::Result<Arc<[u8]>> {
    let written = std::fs::metadata(file)?.modified()?;
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((when, bytes)) = kept.get(file)
        && *when == written
    {
        return Ok(Arc::clone(bytes));
    }
    let bytes: Arc<[u8]> = gzip(&std::fs::read(file)?).into();
    kept.insert(file.to_owned(), (written, Arc::clone(&bytes)));
    Ok(bytes)
}

/// A file as the build has compressed it by Brotli, beside the file itself; an error if it has not.
pub fn brotli(file: &Path) -> io::Result<Arc<[u8]>> {
    let mut name = file.as_os_str().to_owned();
    name.push(".br");
    std::fs::read(name).map(Arc::from)
}

/// Compresses by gzip as much as it can, which is what a site does with files that it sends often.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes all that is written to it.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory to write to")
}
