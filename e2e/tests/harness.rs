//! The harness itself, tried on a page of its own: what it reports must be what happened.

use std::time::Duration;

use e2e::{Answer, Key, Lab, Look, Site, json};
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
