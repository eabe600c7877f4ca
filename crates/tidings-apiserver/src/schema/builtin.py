#!/usr/bin/env python3
"""Writes builtin.txt: the shapes of the built-in kinds, from Kubernetes' published OpenAPI document.

    ./builtin.py path/to/kubernetes/api/openapi-spec/swagger.json > builtin.txt

Shapes only (field names, types, list keys, patch strategies); no descriptions. The grammar is told in builtin.rs.
"""
import json
import re
import sys

SCALARS = {
    "api.resource.Quantity": "quantity",
    "meta.v1.Time": "time",
    "meta.v1.MicroTime": "microtime",
    "util.intstr.IntOrString": "int-or-string",
    "meta.v1.FieldsV1": "any",
    "runtime.RawExtension": "any",
    "apiextensions.v1.JSON": "any",
    "apiextensions.v1.JSONSchemaProps": "any",
    "apiextensions.v1.JSONSchemaPropsOrArray": "any",
    "apiextensions.v1.JSONSchemaPropsOrBool": "any",
    "apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
}
# The second key of these lists may be left out; the server then takes the default.
DEFAULTS = {("core.v1.ContainerPort", "protocol"): "TCP", ("core.v1.ServicePort", "protocol"): "TCP"}


def short(name):
    name = re.sub(r"^.*/", "", name)
    name = re.sub(r"^io\.k8s\.api\.", "", name)
    name = re.sub(r"^io\.k8s\.(apimachinery|kube-aggregator|apiextensions-apiserver)\.pkg\.(apis\.)?", "", name)
    return name


def spelled(schema):
    if "$ref" in schema:
        name = short(schema["$ref"])
        return SCALARS.get(name, name)
    kind = schema.get("type")
    if kind == "array":
        return "[]" + spelled(schema["items"])
    if kind == "object":
        return "{}" + spelled(schema["additionalProperties"]) if "additionalProperties" in schema else "any"
    if kind == "string" and schema.get("format") == "byte":
        return "byte"
    if kind in ("integer", "number"):
        return schema.get("format", "int64")
    return {"boolean": "boolean", "string": "string"}.get(kind, "any")


def field_line(type_name, name, schema, required):
    words = [name + ("!" if name in required else ""), spelled(schema)]
    if schema.get("x-kubernetes-list-type") == "map":
        words.append("map=" + ",".join(schema["x-kubernetes-list-map-keys"]))
    elif schema.get("x-kubernetes-list-type") == "set":
        words.append("set")
    if "x-kubernetes-map-type" in schema:
        words.append(schema["x-kubernetes-map-type"])
    strategies = schema.get("x-kubernetes-patch-strategy", "").split(",")
    for strategy in filter(None, strategies):
        key = schema.get("x-kubernetes-patch-merge-key")
        words.append("patch=" + strategy + (":" + key if strategy == "merge" and key else ""))
    if (type_name, name) in DEFAULTS:
        words.append("default=" + DEFAULTS[type_name, name])
    return " " + " ".join(words)


def references(schema):
    if "$ref" in schema:
        yield short(schema["$ref"])
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            yield from references(schema[inner])
    for prop in schema.get("properties", {}).values():
        yield from references(prop)


def main():
    definitions = {short(name): body for name, body in json.load(open(sys.argv[1]))["definitions"].items()}
    roots = {}
    for name, body in definitions.items():
        kinds = body.get("x-kubernetes-group-version-kind", [])
        if len(kinds) == 1 and "alpha" not in kinds[0]["version"] and not kinds[0]["kind"].endswith("List"):
            roots[name] = kinds[0]
    seen, waiting = set(), sorted(roots)
    while waiting:
        name = waiting.pop()
        if name not in seen and name not in SCALARS:
            seen.add(name)
            waiting.extend(references(definitions[name]))
    for name in sorted(seen):
        body = definitions[name]
        words = [name]
        if name in roots:
            words.append("kind={group}/{version}/{kind}".format(**roots[name]))
        if body.get("x-kubernetes-map-type") == "atomic":
            words.append("atomic")
        print(" ".join(words))
        for field, schema in sorted(body.get("properties", {}).items()):
            print(field_line(name, field, schema, body.get("required", [])))


main()
