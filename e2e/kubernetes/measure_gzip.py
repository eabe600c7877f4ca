"""Measures what gzip costs kube-apiserver and saves on the network, for lists and streaming lists of pods.

    python3 e2e/kubernetes/measure_gzip.py "$(cargo run -q -p kubernetes-tests -- build 1.37)" [PODS] [--save FOLDER]

Starts the server on loopback with new data, creates pods that all differ, and reads all of them in each way, in
alternating rounds. Prints for each way: bytes of the body, CPU time of the server (which includes etcd and TLS), gzip
members; median and range of the rounds. docs/decisions/gzip-on-request.md has the results.
"""

import http.client
import json
import os
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

ROUNDS = 5
NAMESPACE = "measured"
PODS_URL = f"/api/v1/namespaces/{NAMESPACE}/pods"
STREAMING = "&watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
MARKER = b"initial-events-end"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def pod(rng, number):
    """A pod as a Deployment's: names, hashes, images, variables and probes differ."""
    def hexes(count):
        return "".join(rng.choice("0123456789abcdef") for _ in range(count))
    app = f"service-{number % 40}"
    container = {
        "name": "main",
        "image": f"registry.example.com/{app}@sha256:{hexes(64)}",
        "args": [f"--shard={number % 7}", f"--zone=zone-{rng.randrange(3)}"],
        "env": [{"name": f"SETTING_{i}", "value": hexes(rng.randrange(8, 40))} for i in range(12)]
        + [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
        "resources": {"requests": {"cpu": f"{rng.randrange(1, 40) * 25}m", "memory": f"{rng.randrange(64, 4096)}Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
        "livenessProbe": {"httpGet": {"path": "/live", "port": "http"}, "initialDelaySeconds": 10},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": True}],
    }
    return {
        "metadata": {
            "name": f"{app}-{hexes(9)}-{number:05}",
            "labels": {"app": app, "pod-template-hash": hexes(9), "team": f"team-{number % 9}"},
            "annotations": {"example.com/checksum": hexes(64), "example.com/scrape": "true"},
        },
        "spec": {
            "nodeName": f"node-{rng.randrange(500)}",
            "containers": [container],
            "volumes": [{"name": "config", "configMap": {"name": f"{app}-config"}}],
        },
    }


def status(rng):
    since = f"2026-11-{rng.randrange(1, 17):02}T{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}Z"
    address = f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}"
    kinds = ["Initialized", "Ready", "ContainersReady", "PodScheduled"]
    return {"status": {
        "phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "startTime": since,
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": since} for kind in kinds],
        "containerStatuses": [{
            "name": "main", "ready": True, "started": True, "restartCount": rng.randrange(4),
            "image": "registry.example.com/main", "imageID": f"sha256:{rng.getrandbits(256):064x}",
            "containerID": f"containerd://{rng.getrandbits(256):064x}", "state": {"running": {"startedAt": since}},
        }],
    }}


class Server:
    def __init__(self, program, folder, flags=()):
        ready = os.path.join(folder, "ready")
        arguments = [program, "-dir", folder, "-ready-file", ready, "-until-stdin-ends", "--", *flags]
        output = open(os.path.join(folder, "output"), "wb")
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=output, stderr=output)
        while not os.path.exists(ready):
            if self.process.poll() is not None:
                sys.exit(f"the server ended; see {folder}/output")
            time.sleep(0.05)
        about = json.load(open(ready))
        self.version = about["version"]
        self.token = about["token"]
        self.address = about["server"].removeprefix("https://")
        self.trust = ssl.create_default_context(cafile=about["ca"])
        self.connection = self.connect()

    def connect(self):
        return http.client.HTTPSConnection(self.address, context=self.trust)

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, method, path, body, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        self.connection.request(method, path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            sys.exit(f"{method} {path}: {answer.status} {text[:500]!r}")

    def read(self, path, accept, encoding):
        """The body of a list; of a streaming list up to the end of the initial events."""
        connection = self.connect()
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept, "Accept-Encoding": encoding}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()[:500]
        is_gzip = answer.getheader("Content-Encoding") == "gzip"
        body, plain_end, members, unpacker = bytearray(), b"", 0, None
        while chunk := answer.read1(1 << 16):
            body += chunk
            plain = chunk
            if is_gzip:
                plain = b""
                while chunk:
                    if unpacker is None:
                        unpacker, members = zlib.decompressobj(31), members + 1
                    plain += unpacker.decompress(chunk)
                    chunk = unpacker.unused_data
                    if unpacker.eof:
                        unpacker = None
            plain_end = (plain_end + plain)[-4096:]
            if "watch=1" in path and MARKER in plain_end and (unpacker is None or not is_gzip):
                break
        connection.close()
        return bytes(body), members


def main():
    arguments = sys.argv[1:]
    save = arguments.pop(arguments.index("--save") + 1) if "--save" in arguments else None
    arguments = [argument for argument in arguments if argument != "--save"]
    program, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else 3000
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="gzip-") as folder:
        server = Server(program, folder)
        server.send("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        for number in range(count):
            made = pod(rng, number)
            server.send("POST", PODS_URL, made)
            path = f"{PODS_URL}/{made['metadata']['name']}/status"
            server.send("PATCH", path, status(rng), "application/merge-patch+json")
        print(f"kube-apiserver {server.version}, {count} pods, {ROUNDS} rounds: median (range)")
        measure(server, count, save)
        server.process.stdin.close()
        server.process.wait()


def measure(server, count, save):
    ways = [(request, wire, encoding) for request in ("list", "streaming list")
            for wire in ("protobuf", "json") for encoding in ("identity", "gzip")]
    seen = {way: [] for way in ways}
    for _ in range(ROUNDS + 1):
        for way in ways:
            request, wire, encoding = way
            accept = PROTOBUF if wire == "protobuf" else "application/json"
            path = f"{PODS_URL}?resourceVersion=0" + (STREAMING if request != "list" else "")
            before = server.cpu_seconds()
            body, members = server.read(path, accept, encoding)
            seen[way].append((server.cpu_seconds() - before, len(body), members))
            if save:
                name = f"{request.replace(' ', '-')}.{wire}.{encoding}"
                open(os.path.join(save, name), "wb").write(body)
    for way, rounds in seen.items():
        rounds = rounds[1:]  # the first one warms up
        cpu = [seconds / count * 1e6 for seconds, _, _ in rounds]
        size = statistics.median(size for _, size, _ in rounds) / count
        members = statistics.median(members for _, _, members in rounds)
        print(f"{way[0]:15} {way[1]:9} {way[2]:9} {size:8.0f} bytes a pod, server CPU {statistics.median(cpu):6.1f} us a pod "
              f"({min(cpu):.1f} to {max(cpu):.1f}), {members:.0f} members")


if __name__ == "__main__":
    main()
