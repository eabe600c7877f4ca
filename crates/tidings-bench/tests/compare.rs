//! A small comparison from end to end: the subject of tidings with a few hundred pods.

use std::process::Command;

use serde_json::Value;

#[test]
fn a_small_comparison_measures_the_whole_life_cycle() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let compared = Command::new(env!("CARGO_BIN_EXE_tidings-bench"))
        .args(["compare", "--pods", "500", "--only", "tidings-json,tidings-protobuf", "--scenario", "sync"])
        .arg("--out")
        .arg(folder.path())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&compared.stderr);
    assert!(compared.status.success(), "{said}");

    let report = std::fs::read(folder.path().join("comparison.json")).expect("the report is written");
    let report: Value = serde_json::from_slice(&report).expect("it is JSON");
    for contestant in ["tidings-json", "tidings-protobuf"] {
        let figures = &report["figures"][contestant];
        for figure in ["resident_bytes", "sync_peak_bytes", "sync_wall_s", "updates_per_s", "restart_wall_s"]
        {
            let value = figures[figure][0].as_f64();
            assert!(value.is_some_and(|value| value > 0.0), "{contestant} {figure}: {value:?}\n{said}");
        }
        assert_eq!(
            figures["relist_notifications"][0], 0.0,
            "a relist of unchanged objects notifies no handler"
        );
        let wire = contestant.trim_start_matches("tidings-");
        assert_eq!(report["contestants"][contestant]["wire"], wire);
        assert_eq!(report["contestants"][contestant]["list"], "stream");
    }
    let table = std::fs::read_to_string(folder.path().join("comparison.md")).expect("the table is written");
    assert!(table.contains("| notifications of it | 0 | 0 |"), "{table}");
    assert!(folder.path().join("sync_cpu.svg").exists());
}

#[test]
fn an_unknown_contestant_is_an_error() {
    let compared = Command::new(env!("CARGO_BIN_EXE_tidings-bench"))
        .args(["compare", "--only", "informers"])
        .output()
        .expect("the program starts");
    assert!(!compared.status.success());
    assert!(String::from_utf8_lossy(&compared.stderr).contains("no contestant is called informers"));
}
