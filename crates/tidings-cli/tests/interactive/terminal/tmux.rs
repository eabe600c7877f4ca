//! A tmux session with a shell, on its own socket, so that it does not affect another tmux of this machine.

use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::time::Instant;

/// Long enough for a busy machine. Only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A terminal. Dropping it kills the programs in it.
pub(crate) struct Tmux {
    runtime: Runtime,
    folder: TempDir,
}

impl Tmux {
    pub(crate) fn is_installed() -> bool {
        let version = Command::new("tmux").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    pub(crate) fn start(width: u16, height: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let folder = tempfile::tempdir().expect("there is room");
        let tmux = Tmux { runtime: runtime.expect("a runtime starts"), folder };
        let (width, height) = (width.to_string(), height.to_string());
        let size = ["-x", &width, "-y", &height];
        let shell = "exec env PS1='$ ' HOME=/nonexistent KUBECONFIG=/nonexistent/config RUST_LOG= sh";
        tmux.run(&[&["-f", "/dev/null", "new-session", "-d"], &size[..], &[shell]].concat());
        tmux.shows(&["$"]);
        tmux
    }

    /// Runs `tidings`, and then prints its exit code.
    pub(crate) fn tidings(&self, arguments: &str) {
        let script = self.folder.path().join("tidings.sh");
        let text =
            format!("echo $$ >{}\nexec {} {arguments}\n", self.pid_file(), env!("CARGO_BIN_EXE_tidings"));
        std::fs::write(&script, text).expect("there is room");
        // The typed command must not contain the text that tests wait for.
        self.line(&format!("sh {}; echo end''ed=$?", script.display()));
    }

    /// Sends SIGTERM, as a supervisor does.
    pub(crate) fn terminate(&self) {
        let pid = std::fs::read_to_string(self.pid_file()).expect("the program has written its pid");
        let done = Command::new("kill").args(["-TERM", pid.trim()]).status().expect("kill is installed");
        assert!(done.success());
    }

    /// Types a line and presses enter.
    pub(crate) fn line(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
        self.keys(&["Enter"]);
    }

    /// Presses keys, named as tmux names them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        self.run(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    /// Waits until the screen contains all texts.
    #[track_caller]
    pub(crate) fn shows(&self, texts: &[&str]) {
        self.shows_that(&format!("{texts:?}"), |screen| texts.iter().all(|text| screen.contains(text)));
    }

    /// Waits until the screen fulfils the condition.
    #[track_caller]
    pub(crate) fn shows_that(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let began = Instant::now();
        loop {
            let screen = self.run(&["capture-pane", "-p"]);
            if holds(&screen) {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{what} is not shown:\n{screen}");
            self.block_on(async { tokio::time::sleep(POLL_INTERVAL).await });
        }
    }

    /// Checks that the terminal is in line mode with echo, the cursor is visible, and the normal screen is active.
    #[track_caller]
    pub(crate) fn terminal_is_restored(&self) {
        self.line("stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig | sed s/^/modes''=/");
        self.shows(&["modes=3"]);
        assert_eq!(self.run(&["display-message", "-p", "#{cursor_flag}#{alternate_on}"]).trim(), "10");
    }

    pub(crate) fn block_on<R>(&self, future: impl Future<Output = R>) -> R {
        self.runtime.block_on(future)
    }

    fn pid_file(&self) -> String {
        self.folder.path().join("pid").display().to_string()
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("tmux is installed");
        assert!(output.status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .arg("-u")
            .arg("-S")
            .arg(self.folder.path().join("tmux"))
            .args(arguments)
            .env_remove("TMUX")
            .stdin(Stdio::null());
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).stderr(Stdio::null()).status();
    }
}
