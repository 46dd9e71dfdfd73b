//! The harness itself, tried on a page of its own: what it reports must be what happened.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use e2e::bench::{Figure, quantile};
use e2e::{Answer, Key, Lab, Link, Look, Site, json};
use tempfile::TempDir;

const PAGE: &str = r##"<!doctype html><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<style>body { margin: 0 } #box { position: absolute; top: 200px; width: 80px; height: 40px }</style>
<button id="save">save</button> <input id="word"> <input id="file" type="file" hidden> <p id="said">nothing</p>
<p class="line">one</p><p class="line">two</p>
<div id="box">box</div>
<script>
  const said = text => document.querySelector('#said').innerText = text;
  const box = document.querySelector('#box');
  let grip = null;
  box.onpointerdown = e => { grip = [e.offsetX, e.offsetY]; box.setPointerCapture(e.pointerId); };
  box.onpointermove = e => {
    if (grip) { box.style.left = e.clientX - grip[0] + 'px'; box.style.top = e.clientY - grip[1] + 'px'; }
  };
  box.onpointerup = () => grip = null;
  document.onwheel = e => said('wheel ' + e.deltaY);
  document.querySelector('#word').onkeydown = e => { if (e.ctrlKey && e.key === 'z') said('undo'); };
  document.querySelector('#file').onchange = async e => said(await e.target.files[0].text());
  document.querySelector('#save').onclick = () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob(['saved by the page']));
    a.download = 'page.txt';
    a.click();
  };
  const worker = new Worker('worker.js');
  worker.onmessage = e => said(e.data);
  worker.onerror = () => said('the worker failed');
</script>"##;

fn site() -> (Site, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), PAGE).unwrap();
    std::fs::write(folder.path().join("worker.js"), "postMessage('the worker is up')").unwrap();
    (Site::folder(folder.path()), folder)
}

#[test]
fn mouse_keys_and_files_reach_the_page() {
    let (site, folder) = site();
    let lab = Lab::open(&site);
    lab.wait_until("document.querySelector('#said').innerText === 'the worker is up'");
    assert_eq!(lab.texts(".line"), ["one", "two"]);

    let before = lab.rect("#box");
    lab.drag(before.centre(), (before.x + 190.0, before.y + 90.0));
    let after = lab.rect("#box");
    assert_eq!((after.x - before.x, after.y - before.y), (150.0, 70.0));

    lab.wheel(after.centre(), 0, 120);
    lab.wait_until("document.querySelector('#said').innerText === 'wheel 120'");

    lab.keys("#word", "FIFO");
    assert_eq!(lab.eval("document.querySelector('#word').value"), json!("FIFO"));
    lab.keys("#word", Key::Control + "z");
    assert_eq!(lab.text("#said"), "undo");

    let file = folder.path().join("scenario.json");
    std::fs::write(&file, "a scenario").unwrap();
    lab.upload("#file", &file);
    lab.wait_until("document.querySelector('#said').innerText === 'a scenario'");

    lab.click("#save");
    assert_eq!(lab.download("page.txt"), b"saved by the page");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn looks_reach_the_page() {
    let (site, folder) = site();
    let lab = Lab::open_as(&site, Look::PHONE.dark().still(), "#part");
    let seen = "[innerWidth, innerHeight, devicePixelRatio, matchMedia('(prefers-color-scheme: dark)').matches, \
        matchMedia('(prefers-reduced-motion: reduce)').matches, matchMedia('(pointer: coarse)').matches]";
    assert_eq!(lab.eval(seen), json!([390, 844, 1, true, true, true]));
    assert_eq!(lab.address(), site.url("#part"));

    lab.look(Look::DESK.scaled(2.0));
    assert_eq!(lab.eval(seen), json!([1280, 800, 2, false, false, false]));
    lab.goto("#other");
    assert_eq!(lab.eval(seen), json!([1280, 800, 2, false, false, false]), "a look outlives the page");
    let shot = folder.path().join("shots/page.png");
    lab.screenshot(&shot);
    let png = std::fs::read(shot).unwrap();
    assert_eq!(png[16..24], [0, 0, 10, 0, 0, 0, 6, 64], "2560 x 1600 in the picture's header");
}

#[test]
fn errors_of_the_page_are_reported() {
    let (site, _folder) = site();
    site.answer("/worker", Answer::script("throw new Error('worker on strike')"));
    let lab = Lab::open(&site);
    lab.wait_until("document.querySelector('#said').innerText === 'the worker failed'");
    lab.eval(
        "console.error('said so'), console.log('whispered'), setTimeout(() => { throw new Error('late') })",
    );
    lab.eval("fetch('missing.json').then(answer => answer.status)");
    let reported = lab.console_errors().join("\n");
    for complaint in ["said so", "late", "missing.json"] {
        assert!(reported.contains(complaint), "{complaint} is not in\n{reported}");
    }
    assert!(!reported.contains("whispered"));

    site.restore();
    site.answer("/worker", Answer::script("postMessage('slow')").after(Duration::from_millis(300)));
    lab.reload();
    lab.wait_until("document.querySelector('#said').innerText === 'slow'");
}

#[test]
fn a_wait_that_times_out_reports_what_the_page_shows() {
    let (site, _folder) = site();
    let lab = Lab::open(&site);
    let failure = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        lab.wait_at_most(Duration::from_millis(200), "document.querySelector('#gone')");
    }));
    let message = failure.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("#gone") && message.contains("null") && message.contains("one"), "{message}");
}

/// Where the server listens.
fn host(site: &Site) -> String {
    site.url("").trim_start_matches("http://").trim_end_matches('/').to_owned()
}

/// What the server answers to lines as a browser sends them.
fn request(site: &Site, request: &str) -> String {
    let mut stream = TcpStream::connect(host(site)).expect("the server");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn files_are_sent_unchanged_or_compressed_and_nothing_else_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("index.html"), "<p>the page</p>").expect("a file");
    let site = Site::folder(folder.path());
    let get = |path: &str| {
        let accept = "Accept-Encoding: gzip, deflate, br";
        request(&site, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n{accept}\r\nConnection: close\r\n\r\n"))
    };
    let uncompressed = get("/?a=b");
    assert!(uncompressed.starts_with("HTTP/1.1 200 "), "{uncompressed}");
    assert!(uncompressed.ends_with("\r\n\r\n<p>the page</p>"), "{uncompressed}");
    assert!(uncompressed.contains("\r\ncontent-type: text/html\r\n"), "{uncompressed}");
    std::fs::write(folder.path().join("index.html.br"), "as Brotli").expect("a file");
    let compressed = get("/");
    assert!(compressed.contains("\r\ncontent-encoding: br\r\n"), "{compressed}");
    assert!(compressed.ends_with("as Brotli"), "{compressed}");
    for path in ["/none", "/../Cargo.toml", "/a/../../b"] {
        let answer = get(path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
}

#[test]
fn one_connection_serves_several_requests_and_idle_ones_do_not_block_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "first").expect("a file");
    let site = Site::folder(folder.path());
    let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(host(&site))).collect();
    let both = request(
        &site,
        "GET /a.txt HTTP/1.1\r\nHost: x\r\n\r\nHEAD /a.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert_eq!((both.matches("HTTP/1.1 200 ").count(), both.matches("first").count()), (2, 1), "{both}");
    drop(idle);
}

#[test]
fn a_replaced_file_is_sent_after_its_delay_until_it_is_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.js"), "real").expect("a file");
    let site = Site::folder(folder.path());
    let get = || request(&site, "GET /a.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let delay = Duration::from_millis(30);
    site.answer("/a", Answer::script("replaced").after(delay));
    let before = Instant::now();
    assert!(get().ends_with("replaced"));
    assert!(before.elapsed() >= delay);
    site.answer("/a", Answer::status(503));
    assert!(get().starts_with("HTTP/1.1 503 "));
    site.restore();
    assert!(get().ends_with("real"));
}

#[test]
fn quantiles_are_values_that_were_measured() {
    let values = [5.0, 1.0, 4.0, 2.0, 3.0];
    assert_eq!((quantile(&values, 0.5), quantile(&values, 0.95), quantile(&values, 0.0)), (3.0, 5.0, 1.0));
    assert!(quantile(&[], 0.5).is_nan());
}

#[test]
fn a_figure_that_was_not_measured_is_over_its_limit() {
    assert!(Figure::new("a", 4.0, "ms").at_most(4.0).is_kept());
    assert!(!Figure::new("a", 4.1, "ms").at_most(4.0).is_kept());
    assert!(!Figure::new("a", f64::NAN, "ms").at_most(4.0).is_kept());
}

#[test]
fn a_link_carries_no_more_than_it_can() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), [b'a'; 10_000]).expect("a file");
    let site = Site::folder(folder.path());
    site.slow_down(Some(Link { round_trip: Duration::ZERO, bytes_per_s: 5e4 }));
    let before = Instant::now();
    let get = || request(&site, "GET /a.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    std::thread::scope(|scope| {
        scope.spawn(get);
        scope.spawn(get);
    });
    assert!(before.elapsed() >= Duration::from_millis(390), "{:?}", before.elapsed());
}
