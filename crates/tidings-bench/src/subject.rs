//! The subject of tidings: informers as a user would set them up, controlled by commands. It counts notifications and
//! measures its own reads. CPU and memory are measured from outside, as for the peers.

mod connections;
mod handlers;
mod latency;
mod many;
mod meter;
mod reads;
mod session;

use std::io::{BufRead, Write};

use anyhow::{Context, bail};
use clap::ValueEnum;
use kube_client::{Client, Config};
use serde_json::{Value, json};
use tidings::{
    FactoryBuilder, InformerOptions, ListMode, ReflectorConfig, SharedInformerFactory, WirePreference,
};
use tidings_source::client_from_config;
use tokio::sync::mpsc;
use tokio::time::{Duration, sleep};

use crate::protocol::SubjectCommand;
use reads::Reads;
use session::Session;

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// The URL of the server.
    #[arg(long)]
    server: String,
    #[arg(long, value_enum, default_value_t = Wire::Json)]
    wire: Wire,
    #[arg(long, value_enum, default_value_t = List::Stream)]
    list: List,
}

/// The encoding that it requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Wire {
    Json,
    Protobuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum List {
    Stream,
    Pages,
}

struct Subject {
    arguments: Arguments,
    session: Option<Session>,
    reads: Option<Reads>,
    many: Option<many::Many>,
    connections: Option<connections::Connections>,
}

/// How long to wait until memory is stable.
const SETTLE: Duration = Duration::from_secs(1);

/// Executes commands until its input ends.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("starting a runtime")?;
    let mut commands = commands();
    let done = runtime.block_on(async {
        let mut subject = Subject { arguments, session: None, reads: None, many: None, connections: None };
        while let Some(line) = commands.recv().await {
            let command = serde_json::from_str(&line).with_context(|| format!("reading {line:?}"))?;
            subject.execute(command).await?;
        }
        anyhow::Ok(())
    });
    if let Err(error) = &done {
        respond(&json!({ "error": format!("{error:#}") }))?;
    }
    runtime.shutdown_background();
    done
}

/// The lines of standard input, read by a thread, because a blocking read would delay the shutdown of the runtime.
fn commands() -> mpsc::UnboundedReceiver<String> {
    let (lines, commands) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    commands
}

fn respond(answer: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush()).context("answering")
}

impl Subject {
    async fn execute(&mut self, command: SubjectCommand) -> anyhow::Result<()> {
        match command {
            SubjectCommand::Sync { resource, handlers, read } => {
                let plan = session::SessionConfig { resource, handlers, read };
                let session = Session::start(&self.arguments.factory()?, plan).await?;
                respond(&json!({ "synced": session.objects() }))?;
                self.session = Some(session);
            }
            SubjectCommand::Settle => {
                sleep(SETTLE).await;
                respond(&json!({ "settled": true }))?;
            }
            SubjectCommand::Expect { updates } => {
                let seconds = latency::expected(self.session()?, updates).await?;
                respond(&json!({ "updates": updates, "first_to_last_seconds": seconds }))?;
            }
            SubjectCommand::Latency { updates } => respond(&latency::timed(self.session()?, updates).await?)?,
            SubjectCommand::LatencyUnderReaders { updates, readers } => {
                respond(&latency::timed_under_readers(self.session()?, updates, readers).await?)?;
            }
            SubjectCommand::Reads => {
                if self.reads.is_none() {
                    self.reads = Some(Reads::prepare(&self.arguments).await?);
                }
                let reads = self.reads.as_ref().context("they were prepared above")?;
                respond(&json!({ "reads": reads.measure()? }))?;
            }
            SubjectCommand::Relist { sentinel } => {
                let notifications = latency::relisted(self.session()?, &sentinel).await?;
                respond(&json!({ "notifications": notifications }))?;
            }
            SubjectCommand::Restart => self.restart().await?,
            SubjectCommand::Many { informers } => {
                let many = many::Many::start(&self.arguments.factory()?, informers).await?;
                respond(&json!({ "synced": many.objects() }))?;
                self.many = Some(many);
            }
            SubjectCommand::Connections { count } => {
                self.connections = Some(connections::open(self.arguments.client()?, count).await?);
                respond(&json!({ "open": count }))?;
            }
            SubjectCommand::Info => respond(&self.info())?,
        }
        Ok(())
    }

    fn session(&self) -> anyhow::Result<&Session> {
        self.session.as_ref().context("nothing was synced yet")
    }

    async fn restart(&mut self) -> anyhow::Result<()> {
        let Some(before) = self.session.take() else { bail!("nothing was synced yet") };
        let plan = before.stop().await;
        let session = Session::start(&self.arguments.factory()?, plan).await?;
        respond(&json!({ "synced": session.objects() }))?;
        self.session = Some(session);
        Ok(())
    }

    fn info(&self) -> Value {
        let session = self.session.as_ref();
        json!({
            "name": "tidings",
            "version": env!("CARGO_PKG_VERSION"),
            "allocator": crate::ALLOCATOR_NAME,
            "wire": session.and_then(Session::wire),
            "list": session.and_then(Session::list),
        })
    }
}

impl Arguments {
    fn client(&self) -> anyhow::Result<Client> {
        let url = self.server.parse().with_context(|| format!("reading {:?}", self.server))?;
        Ok(client_from_config(Config::new(url))?)
    }

    /// A factory with the defaults of a user, including the budget.
    fn factory(&self) -> anyhow::Result<SharedInformerFactory> {
        Ok(self.factory_builder()?.build())
    }

    fn factory_builder(&self) -> anyhow::Result<FactoryBuilder> {
        let list = match self.list {
            List::Stream => ListMode::Streaming,
            List::Pages => ListMode::Chunked,
        };
        let reflector = ReflectorConfig::default().list_mode(list);
        let wire = match self.wire {
            Wire::Json => WirePreference::JsonOnly,
            Wire::Protobuf => WirePreference::ProtobufFirst,
        };
        let options = InformerOptions::new().reflector(reflector).wire(wire);
        Ok(SharedInformerFactory::builder(self.client()?).defaults(options))
    }
}
