//! The dashboard in a real browser: `chromium` and `chromedriver` from the path.
//!
//! Each test has its own browser, dashboard and server. A browser starts many processes, and several browsers at once would
//! slow each other down, so that these tests run one after the other.

mod driver;
mod fixture;
mod scripts;

use std::sync::Mutex;

use libtest_mimic::{Completion, Trial};

use crate::missing;
use scripts::SCRIPTS;

/// Locked while a test uses a browser.
static BROWSER: Mutex<()> = Mutex::new(());

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    SCRIPTS.iter().map(|(name, script)| {
        Trial::ignorable_test(*name, move || {
            if !["chromium", "chromedriver"].iter().all(|program| driver::is_on_the_path(program)) {
                return missing("chromium or chromedriver");
            }
            // A test that failed has poisoned the lock, which protects no data.
            let _one = BROWSER.lock().unwrap_or_else(|failed| failed.into_inner());
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            runtime.block_on(script());
            Ok(Completion::Completed)
        })
    })
}
