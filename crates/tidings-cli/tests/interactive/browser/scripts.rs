//! The tests: what a user does with the page, and what the page must show.

use std::pin::Pin;

use serde_json::json;

use super::driver::{Browser, ENTER, ESCAPE, TAB};
use super::fixture::{BrowserFixture, start};
use crate::process::pod;

/// The name and the body of a test.
type Script = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

pub(crate) const SCRIPTS: &[Script] = &[
    ("the page shows changes", || Box::pin(follows())),
    ("objects are filtered by search and index", || Box::pin(filters())),
    ("an object is shown with its last change, by keyboard too", || Box::pin(shows_an_object())),
    ("text of objects is never interpreted as markup", || Box::pin(shows_markup_as_text())),
    ("the page recovers from a restart of the API server", || Box::pin(survives_a_server_restart())),
    ("the page recovers from a restart of the dashboard", || Box::pin(survives_a_dashboard_restart())),
    ("the token is needed once and removed from the URL", || Box::pin(moves_the_token_to_a_cookie())),
    ("every chart of the demo is drawn", || Box::pin(draws_the_demo())),
    ("collections are drawn as a graph with what each reads", || Box::pin(draws_collections())),
];

const IS_LIVE: &str = "document.querySelector('#connection').dataset.state === 'live'";

/// An expression: the names in the table of objects equal `names`.
fn names_are(names: &[&str]) -> String {
    format!(
        "JSON.stringify([...document.querySelectorAll('#objects tbody button')].map((b) => b.textContent)) \
         === JSON.stringify({})",
        json!(names)
    )
}

async fn follows() {
    let fixture = BrowserFixture::with_pods(&[("web-0", "node-1")]).await;
    let page = &fixture.browser;
    page.until(IS_LIVE).await;
    page.until("document.querySelector('[data-figure=Objects] .now').textContent === '1'").await;
    page.until(&names_are(&["web-0"])).await;

    fixture.put_pod("web-1", "node-1", "Pending");
    page.until("document.querySelector('[data-figure=Objects] .now').textContent === '2'").await;
    page.until(&names_are(&["web-0", "web-1"])).await;
    fixture.put_pod("web-1", "node-1", "Running");
    page.until(
        "document.querySelector('#notifications li').innerText.includes('status.phase Pending -> Running')",
    )
    .await;
    page.until("document.querySelectorAll('[data-figure=Objects] polyline').length === 2").await;
    fixture.end().await;
}

async fn filters() {
    let fixture =
        BrowserFixture::with_pods(&[("db-0", "node-1"), ("web-0", "node-1"), ("web-1", "node-2")]).await;
    let page = &fixture.browser;
    page.until(&names_are(&["db-0", "web-0", "web-1"])).await;
    page.type_into("#search", "web-").await;
    page.until(&names_are(&["web-0", "web-1"])).await;
    page.choose("#index", "node").await;
    page.until("document.querySelectorAll('#values option').length === 2").await;
    page.type_into("#value", "node-2").await;
    page.until(&names_are(&["web-1"])).await;
    page.until("document.querySelector('#matched').textContent === '1 of 3'").await;
    page.choose("#resource", "nodes").await;
    page.until(&names_are(&[])).await;
    page.choose("#resource", "pods").await;
    page.until(&names_are(&["web-0", "web-1"])).await;
    fixture.end().await;
}

async fn shows_an_object() {
    let fixture = BrowserFixture::with_pods(&[("web-0", "node-1"), ("web-1", "node-1")]).await;
    let page = &fixture.browser;
    page.until(&names_are(&["web-0", "web-1"])).await;
    page.run("document.querySelector('#value').disabled = true; document.querySelector('#index').focus();")
        .await;
    page.press(TAB).await;
    page.until("document.activeElement.textContent === 'web-0'").await;
    page.press(ENTER).await;
    page.until("document.querySelector('#yaml').textContent.includes('phase: Pending')").await;
    page.until("document.querySelector('#change').hidden").await;

    fixture.put_pod("web-0", "node-1", "Running");
    page.until("document.querySelector('#yaml').textContent.includes('phase: Running')").await;
    page.until(
        "document.querySelector('#change tbody').innerText.replace(/\\s+/g, ' ').trim() \
         === 'status.phase Pending Running'",
    )
    .await;
    page.press(ESCAPE).await;
    page.until("document.querySelector('#detail').hidden && document.activeElement.textContent === 'web-0'")
        .await;
    fixture.end().await;
}

async fn shows_markup_as_text() {
    const MARKUP: &str = "<img src=x onerror='document.title=1'><b>bold</b>";
    let fixture = BrowserFixture::with_pods(&[("web-0", "node-1")]).await;
    let page = &fixture.browser;
    page.until(IS_LIVE).await;
    page.until(&names_are(&["web-0"])).await;
    let mut marked = pod("web-0", "node-1", "Running");
    marked["status"]["message"] = json!(MARKUP);
    fixture.put("pods", marked);
    page.until("document.querySelector('#notifications li')?.innerText.includes('<b>bold</b>')").await;
    page.click("#objects tbody button").await;
    page.until("document.querySelector('#change').innerText.includes('<b>bold</b>')").await;
    page.until("document.querySelector('#yaml').innerText.includes('<b>bold</b>')").await;
    let found = page.run("return [document.title, document.querySelectorAll('b, img[src=x]').length]").await;
    assert_eq!(found, json!(["tidings", 0]));
    // The content security policy forbids it even to scripts of the page.
    let refused =
        page.run("try { document.body.innerHTML = '<b>b</b>'; return false } catch { return true }").await;
    assert_eq!(refused, json!(true));
    fixture.end().await;
}

async fn survives_a_server_restart() {
    let mut fixture = BrowserFixture::with_pods(&[("web-0", "node-1")]).await;
    fixture.browser.until(&names_are(&["web-0"])).await;
    fixture.browser.until("document.querySelectorAll('#informers .good').length === 2").await;
    fixture.stop_server().await;
    fixture.browser.until("document.querySelector('#summary').textContent.includes('failing')").await;
    fixture.browser.until(&names_are(&["web-0"])).await;
    fixture.put_pod("web-1", "node-1", "Running");
    fixture.start_server().await;
    fixture.browser.until(&names_are(&["web-0", "web-1"])).await;
    fixture.browser.until("document.querySelectorAll('#informers .good').length === 2").await;
    fixture.browser.until(IS_LIVE).await;
    fixture.end().await;
}

async fn survives_a_dashboard_restart() {
    let mut fixture = BrowserFixture::with_pods(&[("web-0", "node-1")]).await;
    fixture.browser.until(&names_are(&["web-0"])).await;
    fixture.browser.run("window.isTheSamePage = true").await;
    fixture.stop_dashboard().await;
    fixture.browser.until("document.querySelector('#connection').textContent === 'disconnected'").await;
    fixture.put_pod("web-1", "node-1", "Running");
    fixture.start_dashboard().await;
    fixture.browser.until(IS_LIVE).await;
    fixture.browser.until(&names_are(&["web-0", "web-1"])).await;
    assert_eq!(
        fixture.browser.run("return window.isTheSamePage").await,
        json!(true),
        "the page was not reloaded"
    );
    fixture.end().await;
}

async fn moves_the_token_to_a_cookie() {
    let arguments = ["dashboard", "--demo", "--listen", "0.0.0.0:0"].map(str::to_owned);
    let (mut dashboard, url) = start(&arguments).await;
    let browser = Browser::open(&url).await;
    browser.until(IS_LIVE).await;
    assert_eq!(browser.run("return location.search").await, json!(""));
    assert_eq!(browser.run("return document.cookie").await, json!(""), "scripts can't read it");
    drop(browser);
    dashboard.terminate().await;
    assert_eq!(dashboard.ended().await, 0);
}

/// `SCREENSHOT=FILE` keeps the picture, after a minute: the one in the README is made so.
async fn draws_the_demo() {
    let file = std::env::var_os("SCREENSHOT");
    let samples = if file.is_some() { 40 } else { 3 };
    let (mut dashboard, url) = start(&["dashboard", "--demo"].map(str::to_owned)).await;
    let browser = Browser::open(&url).await;
    browser.until(IS_LIVE).await;
    browser
        .until(&format!(
            "[...document.querySelectorAll('.chart')].length === 6 && \
             [...document.querySelectorAll('.chart polyline')].every((line) => \
             line.getAttribute('points').split(' ').length >= {samples})"
        ))
        .await;
    browser.until("document.querySelectorAll('#objects tbody tr').length > 0").await;
    browser.click("#objects tbody button").await;
    browser.until("document.querySelector('#yaml').textContent !== ''").await;
    let picture = browser.screenshot().await;
    assert!(picture.starts_with(b"\x89PNG"));
    if let Some(file) = file {
        std::fs::write(file, picture).expect("the picture can be kept");
    }
    drop(browser);
    dashboard.terminate().await;
    assert_eq!(dashboard.ended().await, 0);
}

async fn draws_collections() {
    let (mut dashboard, url) = start(&["dashboard", "--demo"].map(str::to_owned)).await;
    let browser = Browser::open(&url).await;
    browser.until("document.querySelectorAll('.graph .collection.good').length === 4").await;
    // pods -> placed, and nodes and placed -> load.
    browser.until("document.querySelectorAll('.graph .edge').length === 3").await;
    let reads =
        "[...document.querySelectorAll('.collections tbody tr')].map((row) => row.cells[7].textContent)";
    browser.until(&format!("{reads}.includes('pods: .spec.nodeName, .status.phase')")).await;
    browser.until(&format!("{reads}.includes('nodes: whether it exists; placed: everything')")).await;
    let load = "document.querySelectorAll('.collections tbody tr')[3].cells";
    browser.until(&format!("Number({load}[2].textContent) > 0 && Number({load}[3].textContent) > 0")).await;
    drop(browser);
    dashboard.terminate().await;
    assert_eq!(dashboard.ended().await, 0);
}
