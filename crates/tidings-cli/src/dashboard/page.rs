//! The files of the page, compiled into the binary.

use axum::Router;
use axum::http::header;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// A path, its content type and its content.
type File = (&'static str, &'static str, &'static str);

const FILES: [File; 8] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/style.css", CSS, include_str!("page/style.css")),
    ("/app.js", SCRIPT, include_str!("page/app.js")),
    ("/charts.js", SCRIPT, include_str!("page/charts.js")),
    ("/collections.js", SCRIPT, include_str!("page/collections.js")),
    ("/figures.js", SCRIPT, include_str!("page/figures.js")),
    ("/objects.js", SCRIPT, include_str!("page/objects.js")),
    ("/icon.svg", IMAGE, include_str!("page/icon.svg")),
];

pub(super) fn router() -> Router {
    FILES.into_iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move || async move { ([(header::CONTENT_TYPE, kind)], text) }))
    })
}
