//! Copies of etcd's data, to restore a server from a backup.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{Cluster, ClusterError};

#[derive(Debug)]
/// A copy of etcd's data.
pub struct DataCopy(TempDir);

impl Cluster {
    /// Copies etcd's data. The server must not run, because etcd could write during the copy.
    pub fn copy_data(&self) -> Result<DataCopy, ClusterError> {
        assert!(self.process.is_none(), "a server is killed before its data is copied");
        let copy = tempfile::Builder::new().prefix("tidings-copy-").tempdir().map_err(ClusterError::Files)?;
        copy_folder(&self.data_folder(), &copy.path().join("etcd")).map_err(ClusterError::Files)?;
        Ok(DataCopy(copy))
    }

    /// Replaces etcd's data by a copy. The server must not run.
    pub fn restore(&self, copy: &DataCopy) -> Result<(), ClusterError> {
        assert!(self.process.is_none(), "a server is killed before its data is replaced");
        let replace = || {
            fs::remove_dir_all(self.data_folder())?;
            copy_folder(&copy.0.path().join("etcd"), &self.data_folder())
        };
        replace().map_err(ClusterError::Files)
    }

    fn data_folder(&self) -> std::path::PathBuf {
        self.folder.path().join("state/etcd")
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    // etcd refuses a folder that other users can read, so the permissions are copied too.
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        fs::create_dir_all(&to)?;
        fs::set_permissions(&to, fs::metadata(&from)?.permissions())?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let to = to.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), to));
            } else {
                fs::copy(entry.path(), to)?;
            }
        }
    }
    Ok(())
}
