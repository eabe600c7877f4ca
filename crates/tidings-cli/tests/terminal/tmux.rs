//! A terminal of tmux's with a shell in it, on a socket of its own: it meets no other tmux of this machine.

use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::time::Instant;

/// Longer than anything takes on a busy machine: only a hang gets this far.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A terminal. Dropping it ends what runs in it.
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

    /// Lets `tidings` run, and then say how it ended.
    pub(crate) fn tidings(&self, arguments: &str) {
        let script = self.folder.path().join("tidings.sh");
        let text =
            format!("echo $$ >{}\nexec {} {arguments}\n", self.pid_file(), env!("CARGO_BIN_EXE_tidings"));
        std::fs::write(&script, text).expect("there is room");
        // What is typed must not look like what is waited for.
        self.line(&format!("sh {}; echo end''ed=$?", script.display()));
    }

    /// Asks it to end, as a supervisor would.
    pub(crate) fn terminate(&self) {
        let pid = std::fs::read_to_string(self.pid_file()).expect("it has said its number");
        let done = Command::new("kill").args(["-TERM", pid.trim()]).status().expect("kill is at hand");
        assert!(done.success());
    }

    /// Types a line.
    pub(crate) fn line(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
        self.keys(&["Enter"]);
    }

    /// Presses keys, by tmux's names.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        self.run(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    /// Waits until all of this is on the screen.
    #[track_caller]
    pub(crate) fn shows(&self, texts: &[&str]) {
        self.shows_that(&format!("{texts:?}"), |screen| texts.iter().all(|text| screen.contains(text)));
    }

    /// Waits until the screen is so.
    #[track_caller]
    pub(crate) fn shows_that(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let began = Instant::now();
        loop {
            let screen = self.run(&["capture-pane", "-p"]);
            if is_so(&screen) {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{what} is not shown:\n{screen}");
            self.block_on(async { tokio::time::sleep(POLL_INTERVAL).await });
        }
    }

    /// Lines are read whole and shown as they are typed, the cursor can be seen, and the screen is the usual one.
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
        let output = self.command(arguments).output().expect("tmux is at hand");
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
