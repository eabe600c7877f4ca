//! `tidings get`: lists a resource into a cache once, queries it by index, and prints the result.

use serde_json::{Value, json};
use tidings::{FieldPath, LabelSelector};

use crate::cluster::ClusterOptions;
use crate::escape::escaped;
use crate::failure::{CliResult, Failure};
use crate::format::{CachedObject, document, value};
use crate::output::Output;
use crate::query::{PreparedQuery, Query};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    query: Query,
    /// Only objects with this value in this index. May be repeated; then all must match. The index `namespace` always
    /// exists. Create other indexes with --index.
    #[arg(long, value_name = "INDEX=VALUE")]
    by: Vec<String>,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,
    #[command(flatten)]
    cluster: ClusterOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table with namespace, name, version and the indexes of --index.
    Table,
    /// A JSON list, as kubectl prints it.
    Json,
    /// A YAML list, as kubectl prints it.
    Yaml,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let by = arguments.by.iter().map(|text| condition(text)).collect::<CliResult<Vec<_>>>()?;
    let query = arguments.query.prepare(&arguments.cluster).await?;
    let running = query.factory.start();
    query.synced().await?;
    let mut found = matching(&query, &by)?;
    found.sort_by(|a, b| a.key().cmp(&b.key()));
    let mut out = Output::stdout();
    match arguments.output {
        Format::Table => {
            table(&found, &query.indexes).iter().try_for_each(|line| out.line(line).map(drop))?
        }
        Format::Json => drop(out.json(&serde_json::to_string_pretty(&list(&found))?)?),
        Format::Yaml => drop(out.raw_line(&document(&list(&found)))?),
    }
    out.flush()?;
    running.shutdown().await;
    Ok(())
}

fn condition(text: &str) -> CliResult<(&str, &str)> {
    text.split_once('=')
        .ok_or_else(|| Failure::usage(format!("--by {text:?} must be INDEX=VALUE; try --by node=node-1")))
}

/// The objects that match all conditions, read from one snapshot of the cache.
fn matching(query: &PreparedQuery, by: &[(&str, &str)]) -> CliResult<Vec<CachedObject>> {
    let lister = query.informer.lister();
    if by.is_empty() {
        return Ok(lister.select(&LabelSelector::everything()));
    }
    lister
        .by_indexes(by)
        .map_err(|error| Failure::usage(format!("{error}; create it with --index NAME=PATH")))
}

fn list(found: &[CachedObject]) -> Value {
    json!({ "apiVersion": "v1", "kind": "List", "items": found.iter().map(value).collect::<Vec<_>>() })
}

/// Each column is as wide as its widest cell.
fn table(found: &[CachedObject], indexes: &[(String, FieldPath)]) -> Vec<String> {
    let head = ["NAMESPACE", "NAME", "VERSION"].map(str::to_owned).into_iter();
    let head = head.chain(indexes.iter().map(|(name, _)| name.to_uppercase())).collect();
    let rows = std::iter::once(head).chain(found.iter().map(|object| row(object, indexes)));
    // Escapes cells before it measures their width.
    let shown = |row: Vec<String>| row.iter().map(|cell| escaped(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.map(shown).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn row(object: &CachedObject, indexes: &[(String, FieldPath)]) -> Vec<String> {
    let mut row = vec![
        object.namespace().unwrap_or_default().to_owned(),
        object.name().to_owned(),
        object.version().to_string(),
    ];
    if !indexes.is_empty() {
        // Reads the redacted value, because an index over the data of Secrets would reveal it.
        let json = value(object).to_string();
        row.extend(indexes.iter().map(|(_, path)| cell(path, &json)));
    }
    row
}

fn cell(path: &FieldPath, json: &str) -> String {
    let values = path.read(json.as_bytes());
    values.map_or_else(|_| String::new(), |values| values.texts().collect::<Vec<_>>().join(","))
}
