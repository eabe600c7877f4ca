# `just` lists what there is; each recipe is one command that can be typed without just too.

set shell := ["bash", "-euo", "pipefail", "-c"]

_:
    @just --list --unsorted

# The demo: an API server in the process, an informer on it, and what they say.
demo *arguments:
    cargo run -p tidings-cli -- demo {{ arguments }}

# All tests.
test *arguments:
    cargo test --workspace {{ arguments }}

# Formatting and clippy, warnings as errors.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# The documentation, warnings as errors.
doc *arguments:
    K8S_OPENAPI_ENABLED_VERSION=1.37 RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps {{ arguments }}

# Writes the public interface of the library crates to docs/api (needs cargo-public-api).
api:
    bash .ci/public_api.sh --write

# Licences, bans and sources of all dependencies (needs cargo-deny).
deny:
    cargo deny check licenses bans sources

# Compares the public interface with the last release (needs cargo-semver-checks, and a release on crates.io).
semver *arguments:
    K8S_OPENAPI_ENABLED_VERSION=1.37 cargo semver-checks --workspace --exclude tidings-bench --exclude tidings-cli --exclude tidings-simulation --exclude tidings-test-types --exclude kubernetes-tests {{ arguments }}

# The packages for crates.io, each built from what would be uploaded; `--no-verify` only packs them.
package *arguments:
    K8S_OPENAPI_ENABLED_VERSION=1.37 cargo package --workspace --exclude tidings-bench --exclude tidings-simulation --exclude tidings-test-types --exclude kubernetes-tests {{ arguments }}

# Fills the tests into docs/contract.md, from the `// holds:` comments above them.
contract:
    TIDINGS_WRITE_CONTRACT=1 cargo test -p tidings --test it contract

# Writes the table of Kubernetes' messages and the corpus that proves it, from its Go types (needs Go); `-check` compares.
protobuf-table *arguments:
    cd crates/tidings-protobuf/generator && go run . {{ arguments }}

# Writes the defaults of the API server's built-in kinds, from Kubernetes' own code (needs Go); `-check` compares.
defaults-table *arguments:
    cd crates/tidings-apiserver/generator && CGO_ENABLED=0 go run . {{ arguments }}

# controller-runtime's suites and the sample-controller on `tidings serve`, with expected outcomes (needs Go and its proxy).
suites *arguments:
    cargo build -p tidings-cli
    cd e2e/suites && go run . -tidings "${CARGO_TARGET_DIR:-../../target}/debug/tidings" {{ arguments }}

# 10,000 nodes and 100,000 pods with 1,000 status updates a second on `tidings serve` (needs Go).
load:
    cargo build --release -p tidings-cli
    cd e2e/suites && go run . -suite load -tidings "${CARGO_TARGET_DIR:-../../target}/release/tidings"

# How long `tidings serve` takes until it is ready, and its memory.
startup program="target/release/tidings" runs="20" servers="100":
    bash e2e/suites/startup.sh {{ program }} {{ runs }} {{ servers }}

# The fuzz targets.
fuzz-list:
    cargo +nightly fuzz list

# Fuzzes one parser of a crate (`just fuzz object identity`), from its corpus on; needs cargo-fuzz and a nightly.
fuzz crate parser seconds="60":
    bash .ci/fuzz.sh {{ seconds }} {{ crate }}_{{ parser }}

# Fuzzes every target for so many seconds each, also after a finding.
fuzz-all seconds="600":
    bash .ci/fuzz.sh {{ seconds }}

# Adds to a parser's corpus what fuzzing found new in it, without what covers nothing more.
fuzz-keep crate parser:
    cargo +nightly fuzz run --sanitizer none {{ crate }}_{{ parser }} crates/tidings-{{ crate }}/corpus/{{ parser }} fuzz/corpus/{{ crate }}_{{ parser }} -- -merge=1

# Mutates some files of a crate and runs the tests that should notice (`just mutants tidings-workqueue 'src/{state,order}.rs' --lib`).
mutants crate files *tests:
    cargo mutants --package {{ crate }} --file 'crates/{{ crate }}/{{ files }}' --timeout 120 -- {{ tests }}

# Instruction counts of the hot parts, compared with the recorded ones (needs valgrind).
instructions *arguments:
    cargo run --release -p tidings-bench -- instructions {{ arguments }}

# Records the instruction counts of now for this target and compiler.
instructions-record:
    cargo run --release -p tidings-bench -- instructions --record

# The work queue beside client-go's, case by case in turn, on a quiet machine (needs Go).
queue-comparison rounds="5":
    bash bench/peers/workqueue/compare.sh {{ rounds }}

# Simulations with new seeds until one fails (`just soak --minutes 60`); `replay SEED` repeats one.
soak *arguments="--minutes 1":
    cargo run --release -p tidings-simulation -- soak {{ arguments }}

# The tests on a real kube-apiserver with etcd, of this release; the first time it builds it, for ten minutes (needs Go).
kubernetes release="1.37":
    cargo run -p kubernetes-tests -- build {{ release }}
    TIDINGS_KUBERNETES={{ release }} cargo test -p kubernetes-tests

# What decides whether a change lands.
ci:
    bash .ci/run
