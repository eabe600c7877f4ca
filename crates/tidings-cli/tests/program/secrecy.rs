//! Tokens, certificates and the data of Secrets appear in no output and no log, even at trace level.

use serde_json::json;
use tidings_apiserver::{ApiServer, Ending, Fault, Listen};
use tokio::task::JoinSet;

use crate::process::run_logging;

#[tokio::test]
async fn the_trace_log_contains_no_token_no_certificate_and_no_secret() {
    let server = ApiServer::start().await;
    server.put(
        "secrets",
        json!({ "metadata": { "namespace": "default", "name": "db" }, "data": { "password": "aHVudGVyMg==" } }),
    );
    let (listening, serving) = server.listen(Listen::tls()).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(serving);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    listening.write_kubeconfig(&file).unwrap();
    let authority = listening.certificate_authority().expect("it speaks TLS");
    let authority = authority.lines().nth(1).expect("a line of it");

    let cut = Fault::CutBody { after_bytes: 200, ending: Ending::Broken };
    for fault in [None, Some(cut), Some(Fault::GarbageBody)] {
        for form in [
            &["get", "secrets", "-o", "yaml"][..],
            &["get", "secrets", "--index", "password=.data.password"],
            &["watch", "secrets", "--until-synced", "-o", "json", "--full"],
        ] {
            if let Some(fault) = fault.clone() {
                server.faults().inject(fault.once().of("secrets"));
            }
            let ended = run_logging(&[form, &["--kubeconfig", file.to_str().unwrap()]].concat()).await;
            assert!(ended.code == 0 && ended.stdout.contains("db"), "{form:?} {ended:?}");
            assert!(ended.stderr.contains("TRACE"), "{form:?} logs nothing");
            for secret in ["admin-token", "hunter2", "aHVudGVyMg", authority] {
                let is_printed = ended.stdout.contains(secret) || ended.stderr.contains(secret);
                assert!(!is_printed, "{secret} is printed: {form:?} {ended:?}");
            }
        }
    }
}
