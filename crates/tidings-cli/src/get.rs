//! `tidings get`: one list into a cache, one query by index, and its answer.

use serde_json::{Value, json};
use tidings::LabelSelector;

use crate::cluster::Cluster;
use crate::failure::{Done, Failure};
use crate::output::Output;
use crate::query::{Asked, Query};
use crate::shown::{Cached, document, value};

/// What to get, and how to write it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    query: Query,
    #[command(flatten)]
    cluster: Cluster,
    /// Only objects that an index has under this value; all of several. namespace=NAME always works, other indexes
    /// are made with --index.
    #[arg(long, value_name = "INDEX=VALUE")]
    by: Vec<String>,
    /// How the objects are written.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// How objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table: namespace, name, version, the indexes that were asked for.
    Table,
    /// A list, as kubectl writes it.
    Json,
    /// A list, as kubectl writes it.
    Yaml,
}

pub(crate) async fn run(arguments: Arguments) -> Done {
    let by = arguments.by.iter().map(|text| condition(text)).collect::<Done<Vec<_>>>()?;
    let asked = arguments.query.ask(&arguments.cluster).await?;
    let running = asked.factory.start();
    asked.synced().await?;
    let mut found = matching(&asked, &by)?;
    found.sort_by(|a, b| a.key().cmp(&b.key()));
    let mut out = Output::stdout();
    match arguments.output {
        Format::Table => table(&found).iter().try_for_each(|line| out.line(line).map(drop))?,
        Format::Json => drop(out.line(&serde_json::to_string_pretty(&list(&found))?)?),
        Format::Yaml => drop(out.line(&document(&list(&found)))?),
    }
    out.flush()?;
    running.shutdown().await;
    Ok(())
}

fn condition(text: &str) -> Done<(&str, &str)> {
    text.split_once('=').ok_or_else(|| {
        Failure::usage(format!("--by {text:?}: an index, =, and a value; try --by node=node-1"))
    })
}

/// All conditions, on one state of the cache.
fn matching(asked: &Asked, by: &[(&str, &str)]) -> Done<Vec<Cached>> {
    let lister = asked.informer.lister();
    if by.is_empty() {
        return Ok(lister.select(&LabelSelector::everything()));
    }
    lister.by_indexes(by).map_err(|error| Failure::usage(format!("{error}; make it with --index NAME=PATH")))
}

fn list(found: &[Cached]) -> Value {
    json!({ "apiVersion": "v1", "kind": "List", "items": found.iter().map(value).collect::<Vec<_>>() })
}

/// Columns as wide as their widest cell.
fn table(found: &[Cached]) -> Vec<String> {
    let rows = found.iter().map(|object| {
        [
            object.namespace().unwrap_or_default().to_owned(),
            object.name().to_owned(),
            object.version().to_string(),
        ]
    });
    let head = ["NAMESPACE", "NAME", "VERSION"].map(str::to_owned);
    let rows: Vec<[String; 3]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [width(0), width(1)];
    rows.iter()
        .map(|[namespace, name, version]| {
            format!("{namespace:<0$}   {name:<1$}   {version}", widths[0], widths[1])
        })
        .collect()
}
