//! Reads the scenarios in `scenarios/`.
//!
//! There is one file per area, with a list of scenarios. Each scenario has its own namespace, `<ns>`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// The scenarios of one file.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub(crate) name: String,
    /// The feature gates that the server must have on; empty for a server with the default ones.
    pub(crate) gates: Vec<String>,
    /// Named texts that many requests use.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) scenarios: Vec<Scenario>,
}

/// A sequence of requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    #[serde(rename = "scenario")]
    pub(crate) name: String,
    pub(crate) steps: Vec<ScenarioStep>,
}

/// One request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioStep {
    /// Method and path; or `READ` and the name of an open watch; or `COMPACT`.
    #[serde(rename = "do")]
    pub(crate) request: String,
    /// The `Accept` header; `application/json` if absent.
    pub(crate) accept: Option<String>,
    /// The `AnswerBody-Type` header; `application/json` if not given, none if empty.
    #[serde(rename = "type")]
    pub(crate) content_type: Option<String>,
    /// The body as JSON.
    pub(crate) body: Option<Value>,
    /// The body as text.
    pub(crate) text: Option<String>,
    /// How many events of a watch are read; all until its end if absent.
    pub(crate) events: Option<usize>,
    /// The watch stays open with this name, for a later `READ`.
    pub(crate) open: Option<String>,
    /// JSON pointers to texts of the response that later requests use, by name.
    #[serde(default)]
    pub(crate) save: BTreeMap<String, String>,
    /// JSON pointers to the only parts of the body that are compared.
    #[serde(default)]
    pub(crate) only: Vec<String>,
    /// The request is repeated until the response has this code, for work that a server does in the background.
    pub(crate) until: Option<u16>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    gates: Vec<String>,
    #[serde(default, rename = "let")]
    texts: BTreeMap<String, String>,
    scenarios: Vec<Scenario>,
}

impl Area {
    /// All areas, by name.
    pub(crate) fn all() -> Vec<Self> {
        let folder = Path::new(crate::FOLDER).join("scenarios");
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut areas: Vec<Self> = entries.map(|entry| Self::read(&entry.unwrap().path())).collect();
        areas.sort_by(|one, other| one.name.cmp(&other.name));
        areas
    }

    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let file: File =
            serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        Self { name, gates: file.gates, texts: file.texts, scenarios: file.scenarios }
    }
}

impl Scenario {
    pub(crate) fn compacts(&self) -> bool {
        self.steps.iter().any(|step| step.request == "COMPACT")
    }
}

/// The texts that replace `<name>`.
#[derive(Clone, Debug)]
pub(crate) struct Substitutions {
    known: BTreeMap<String, String>,
}

impl Substitutions {
    pub(crate) fn new(area: &Area, namespace: &str) -> Self {
        let mut known = area.texts.clone();
        known.insert("ns".to_owned(), namespace.to_owned());
        Self { known }
    }

    pub(crate) fn save(&mut self, name: &str, text: String) {
        self.known.insert(name.to_owned(), text);
    }

    /// Replaces each `<name>` in a text. `<x1000>` is the letter x a thousand times.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            filled.push_str(&rest[..start]);
            let Some(end) = rest[start..].find('>') else {
                break;
            };
            let name = &rest[start + 1..start + end];
            match (self.known.get(name), name.strip_prefix('x').and_then(|count| count.parse().ok())) {
                (Some(known), _) => filled.push_str(&self.fill(known)),
                (None, Some(count)) => filled.push_str(&"x".repeat(count)),
                (None, None) => panic!("<{name}> is not defined in {text}"),
            }
            rest = &rest[start + end + 1..];
        }
        filled.push_str(rest);
        filled
    }
}
