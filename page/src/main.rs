//! The browser's program. The page and its workers run the same one: it is loaded and compiled once. What a demo's first
//! picture, or a worker's first task, does not need is taken out of it into parts when it is built (feature `split`).

#[cfg(all(target_arch = "wasm32", feature = "split"))]
use fairlane::policy::create;
#[cfg(target_arch = "wasm32")]
use fairlane_page::app::deferred::{Fetch, Parts, Unreachable};
#[cfg(target_arch = "wasm32")]
use fairlane_page::app::log::import;
#[cfg(target_arch = "wasm32")]
use fairlane_page::app::parts;
#[cfg(target_arch = "wasm32")]
use fairlane_page::app::start::{Interface, mount};
#[cfg(target_arch = "wasm32")]
use fairlane_page::app::worker::{Import, LATER, Later};

#[cfg(target_arch = "wasm32")]
fn main() {
    use wasm_bindgen::JsCast;
    let global = wasm_bindgen::JsValue::from(js_sys::global());
    if global.has_type::<web_sys::Window>() {
        fairlane_page::app::start::start(
            || Box::pin(async { interface().await.map_err(|_| Unreachable) }),
            Fetch(|| Box::pin(async { both().await.map_err(|_| Unreachable) })),
            || Box::pin(async { catalog().await.map_err(|_| Unreachable) }),
        );
    } else {
        fairlane_page::app::worker::serve(
            || Box::pin(async { simulator().await.map_err(|_| Unreachable) }),
            || Box::pin(async { importer().await.map_err(|_| Unreachable) }),
        );
    }
}

/// Where the interface begins.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
#[wasm_split_helpers::wasm_split(interface, fallible)]
fn interface() -> Result<Interface, wasm_split_helpers::SplitLoaderError> {
    Ok(mount)
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn interface() -> Result<Interface, Unreachable> {
    Ok(mount)
}

/// The second program, all of the catalog, and the policies that lessons simulate on the page's own thread. Everything else
/// works without these.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
async fn both() -> Result<&'static Parts, wasm_split_helpers::SplitLoaderError> {
    // What the two share is in the interface (page/join).
    interface().await?;
    let parts = second().await?;
    catalog().await?;
    // A lesson that needs a policy says so if it is not there.
    let _ = simulator().await;
    Ok(parts)
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn both() -> Result<&'static Parts, Unreachable> {
    second().await
}

/// Where the second program begins. What is called here must be called from nowhere else.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
#[wasm_split_helpers::wasm_split(deferred, fallible)]
fn second() -> Result<&'static Parts, wasm_split_helpers::SplitLoaderError> {
    Ok(parts::load())
}

/// Where the part of the catalog begins that the first program lacks.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
#[wasm_split_helpers::wasm_split(catalog, fallible)]
fn catalog() -> Result<(), wasm_split_helpers::SplitLoaderError> {
    fairlane::catalog::install();
    Ok(())
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn catalog() -> Result<(), Unreachable> {
    Ok(())
}

/// Where the part begins that only workers load, after the first picture or when they need one of its policies.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
#[wasm_split_helpers::wasm_split(simulator, fallible)]
fn simulator() -> Result<&'static Later, wasm_split_helpers::SplitLoaderError> {
    create::install(create::create);
    Ok(&LATER)
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn simulator() -> Result<&'static Later, Unreachable> {
    Ok(&LATER)
}

/// Where the part begins that reads the logs of real clusters, which few need.
#[cfg(all(target_arch = "wasm32", feature = "split"))]
#[wasm_split_helpers::wasm_split(importer, fallible)]
fn importer() -> Result<Import, wasm_split_helpers::SplitLoaderError> {
    Ok(import)
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn importer() -> Result<Import, Unreachable> {
    Ok(import)
}

#[cfg(all(target_arch = "wasm32", not(feature = "split")))]
async fn second() -> Result<&'static Parts, Unreachable> {
    Ok(parts::load())
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This is the page's program; build it with Trunk (see the README).");
}
