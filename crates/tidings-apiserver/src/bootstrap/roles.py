#!/usr/bin/env python3
"""Writes roles.txt: the RBAC roles and bindings that kube-apiserver creates when it starts.

    ./roles.py path/to/k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata > roles.txt

The directory is part of the module k8s.io/kubernetes (v1.37.1). The grammar of roles.txt is described in roles.rs.
Needs PyYAML.
"""
import sys

import yaml

FILES = [
    "cluster-roles.yaml",
    "controller-roles.yaml",
    "cluster-role-bindings.yaml",
    "controller-role-bindings.yaml",
    "namespace-roles.yaml",
    "namespace-role-bindings.yaml",
]


def words(values):
    return ",".join(value if value else "-" for value in values)


def rule(found):
    parts = []
    for key, name in [("g", "apiGroups"), ("r", "resources"), ("n", "resourceNames"), ("u", "nonResourceURLs"), ("v", "verbs")]:
        if name in found:
            parts.append(f"{key}={words(found[name])}")
    return " " + " ".join(parts)


def subject(found):
    place = found.get("namespace", "")
    return f"{found['kind']}={place + '/' if place else ''}{found['name']}"


def main(folder):
    for name in FILES:
        for item in yaml.safe_load(open(f"{folder}/{name}"))["items"]:
            metadata = item["metadata"]
            place = metadata.get("namespace", "-")
            line = f"{item['kind']} {place} {metadata['name']}"
            for key, value in sorted(metadata.get("labels", {}).items()):
                if key != "kubernetes.io/bootstrapping":
                    line += f" label={key}={value}"
            for selector in item.get("aggregationRule", {}).get("clusterRoleSelectors", []):
                for key, value in selector["matchLabels"].items():
                    line += f" aggregate={key}={value}"
            if "roleRef" in item:
                line += f" {item['roleRef']['kind']}={item['roleRef']['name']}"
                line += "".join(" " + subject(found) for found in item.get("subjects") or [])
            print(line)
            for found in item.get("rules") or []:
                print(rule(found))


main(sys.argv[1])
