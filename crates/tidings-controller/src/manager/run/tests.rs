//! Tests of `run`.

use std::sync::Mutex;

use tidings_apiserver::ApiServer;

use super::*;

/// Runs a manager with endpoints after `break_endpoints`: its error, what its probes report, and what its hook
/// received.
async fn run(
    break_endpoints: impl FnOnce(&mut EndpointServer),
) -> (ManagerError, Result<(), String>, Vec<String>) {
    let server = ApiServer::start().await;
    let reported = Arc::new(Mutex::new(Vec::new()));
    let hook_reported = Arc::clone(&reported);
    let manager = Manager::new(SharedInformerFactory::new(server.client()))
        .endpoints(([127, 0, 0, 1], 0))
        .on_error(move |error| hook_reported.lock().unwrap().push(error.to_string()));
    let mut running = RunningManager::start(manager).await.unwrap();
    let probe_state = Arc::clone(&running.probe_state);
    assert_eq!(probe_state.check(), Ok(()));
    break_endpoints(&mut running.endpoints);
    let ended =
        tokio::time::timeout(Duration::from_secs(300), running.run_until(std::future::pending())).await;
    let error = ended.expect("the manager stops after the failure").unwrap_err();
    let reported = reported.lock().unwrap().clone();
    (error, probe_state.check(), reported)
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_server_of_the_endpoints_that_ends_by_itself_ends_the_manager_with_that_error() {
    let (error, probes, reported) = run(|endpoints| endpoints.serving.as_ref().unwrap().stop()).await;
    assert!(matches!(&error, ManagerError::Ended { name } if name == "endpoints"), "{error}");
    assert_eq!(probes, Err(error.to_string()));
    assert_eq!(reported, [error.to_string()]);
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_server_of_the_endpoints_that_panics_ends_the_manager_with_that_error() {
    let panics = |endpoints: &mut EndpointServer| {
        endpoints
            .tasks
            .spawn_until("endpoints", CancellationToken::new(), async { panic!("scripted panic") });
    };
    let (error, probes, reported) = run(panics).await;
    assert!(matches!(&error, ManagerError::Panicked { name, .. } if name == "endpoints"), "{error}");
    assert_eq!(error.to_string(), "\"endpoints\" panicked: scripted panic");
    assert_eq!(probes, Err(error.to_string()));
    assert_eq!(reported, [error.to_string()]);
}

#[tokio::test(start_paused = true)]
async fn an_error_hook_that_panics_does_not_change_how_the_manager_stops() {
    let server = ApiServer::start().await;
    let manager = Manager::new(SharedInformerFactory::new(server.client()))
        .endpoints(([127, 0, 0, 1], 0))
        .on_error(|_| panic!("scripted panic"));
    let running = RunningManager::start(manager).await.unwrap();
    running.endpoints.serving.as_ref().unwrap().stop();
    let error = running.run_until(std::future::pending()).await.unwrap_err();
    assert!(matches!(error, ManagerError::Ended { .. }), "{error}");
}
