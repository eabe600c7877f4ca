package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// cached returns a directory for the sources of other projects. fill fills it once.
func cached(name string, fill func(target string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, "tidings", "suites", name)
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	// A directory that was not filled completely must not be taken for the sources.
	unfinished := target + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return "", err
	}
	if err := os.MkdirAll(unfinished, 0o755); err != nil {
		return "", err
	}
	if err := fill(unfinished); err != nil {
		return "", err
	}
	return target, os.Rename(unfinished, target)
}

// goModule returns a writable copy of a module from the module proxy.
func goModule(module, version string) (string, error) {
	return cached(filepath.Base(module)+"-"+version, func(target string) error {
		out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
		if err != nil {
			return fmt.Errorf("downloading %s@%s: %w", module, version, err)
		}
		var found struct{ Dir string }
		if err := json.Unmarshal(out, &found); err != nil {
			return err
		}
		if err := os.CopyFS(target, os.DirFS(found.Dir)); err != nil {
			return err
		}
		return makeScriptsExecutable(target)
	})
}

// makeScriptsExecutable restores what an archive of a module does not contain: that scripts can be executed.
func makeScriptsExecutable(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".sh" {
			return err
		}
		return os.Chmod(path, 0o755)
	})
}
