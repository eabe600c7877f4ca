#!/usr/bin/env bash
# Follows docs/testing.md: runs its code blocks in Go, Python and Java against `tidings serve`. The Rust block is a doctest of
# tidings-apiserver. A language that is not installed is skipped, with a line that says so.
#
#   .ci/testing_page.sh [FOLDER]      FOLDER has the program; target/debug if not given
set -euo pipefail
cd "$(dirname "$0")/.."
page="$PWD/docs/testing.md"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tidings"
PATH="$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug}"):$PATH"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The versions of the clients. Those of Go are the ones that the other tests compile already.
CONTROLLER_RUNTIME=v0.24.1
CLIENT_GO="$(sed -n 's|^\tk8s.io/client-go \(v[0-9.]*\)$|\1|p' e2e/clientgo/go.mod)"
PYTHON_CLIENT=36.0.3
FABRIC8=7.4.0

# The first block of a language after a heading.
block() {
  awk -v heading="$1" -v language="$2" '
    /^## / { inside = 0; here = index($0, "## " heading) == 1 }
    $0 == "```" && inside { exit }
    inside
    here && $0 == "```" language { inside = 1 }' "$page"
}

# begin NAME TOOL: a new folder for a language; fails if the tool is missing.
begin() {
  if ! command -v "$2" >/dev/null; then
    printf -- '--- %s: skipped, %s is not installed\n' "$1" "$2"
    return 1
  fi
  printf -- '--- %s\n' "$1"
  mkdir "$work/$1"
  cd "$work/$1"
}

follow_start() {
  # The first commands of the page, before any heading of the second level.
  awk '$0 == "```" && inside { exit } inside; $0 == "```sh" { inside = 1 }' "$page" >start.sh
  timeout 60 bash -e start.sh >answer.txt
  grep '^cluster-admin ' answer.txt
}

follow_go() {
  # The flags with which the other programs are compiled, so that Go compiles nothing twice.
  export GOFLAGS=-trimpath CGO_ENABLED=0 GOTOOLCHAIN=local
  block Go go >example_test.go
  mkdir -p config/crd/bases
  cat >config/crd/bases/greetings.yaml <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: greetings.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Greeting, plural: greetings}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
YAML
  go mod init example.com/example 2>/dev/null
  go get "sigs.k8s.io/controller-runtime/pkg/envtest@$CONTROLLER_RUNTIME" \
    "sigs.k8s.io/controller-runtime/pkg/client@$CONTROLLER_RUNTIME" "k8s.io/client-go@$CLIENT_GO" \
    "k8s.io/api@$CLIENT_GO" "k8s.io/apiextensions-apiserver@$CLIENT_GO" 2>/dev/null
  block Go sh >test.sh
  printf 'kubectl --kubeconfig kubeconfig get customresourcedefinitions greetings.example.com\n' >>test.sh
  timeout 600 bash -e test.sh
}

follow_python() {
  local environment="$cache/testing-python-$PYTHON_CLIENT"
  if [[ ! -e "$environment/done" ]]; then
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "kubernetes==$PYTHON_CLIENT"
    touch "$environment/done"
  fi
  block Python python >example.py
  timeout 60 "$environment/bin/python" example.py
}

follow_java() {
  local jars="$cache/testing-java-$FABRIC8"
  if [[ ! -e "$jars/done" ]]; then
    rm -rf "$jars"
    cat >pom.xml <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>example</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.fabric8</groupId><artifactId>kubernetes-client</artifactId><version>$FABRIC8</version></dependency>
  </dependencies>
</project>
XML
    mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory="$jars"
    touch "$jars/done"
  fi
  block Java java >Namespaces.java
  timeout 60 java -cp "$jars/*" Namespaces.java
}

# In subshells, so that a step that fails ends the script.
if begin kubectl kubectl; then (follow_start); fi
if begin Go go; then (follow_go); fi
if begin Python python3; then (follow_python); fi
if begin Java mvn; then (follow_java); fi
