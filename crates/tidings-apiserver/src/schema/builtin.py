#!/usr/bin/env python3
"""Writes builtin.txt: the shapes of the built-in kinds, from Kubernetes' published OpenAPI document.

    ./builtin.py path/to/kubernetes/api/openapi-spec/swagger.json path/to/modules/k8s.io > builtin.txt

The second path is where the modules api, apimachinery, apiextensions-apiserver and kube-aggregator lie, whose structs
tell when JSON shows a field. Shapes only (field names, types, presence, list keys, patch strategies); no descriptions.
The grammar is told in builtin.rs.
"""
import glob
import json
import os
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


def structs(modules):
    """The fields of all Go structs: type -> [(json name or "", Go type, mark of when JSON shows it)]."""
    found = {}
    for path in glob.glob(modules + "/*/**/*.go", recursive=True):
        if "/vendor/" in path or path.endswith("_test.go"):
            continue
        package = ".".join(os.path.dirname(path).split("/")[-2:])
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", open(path).read(), re.M | re.S):
            fields = []
            for go_type, tags in re.findall(r"^\t(?:\w+[ \t]+)?([\w.*\[\]]+)[ \t]+`([^`]*)`", body, re.M):
                json_tag = re.search(r'json:"([^"]*)"', tags)
                if json_tag:
                    json_name, *options = json_tag.group(1).split(",")
                    mark = "&" if go_type.startswith("*") else "" if "omitempty" in options else "*"
                    fields.append((json_name, go_type.lstrip("*"), mark))
            found[package + "." + name] = fields
    return found


def marks(all_structs, type_name):
    """When each JSON field is shown, those of inlined structs too: `*` always, `&` when set, else unless it is zero."""
    found = {}
    for name, go_type, mark in all_structs.get(type_name, []):
        if name:
            found[name] = mark
        else:
            inlined = go_type if "." in go_type else type_name.rsplit(".", 1)[0] + "." + go_type
            for inner, mark in marks(all_structs, inlined).items():
                found.setdefault(inner, mark)
    return found


def field_line(type_name, name, schema, required, mark):
    words = [name + ("!" if name in required else ""), spelled(schema)]
    if mark:
        words.append(mark)
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
    roots["meta.v1.DeleteOptions"] = {"group": "", "version": "v1", "kind": "DeleteOptions"}
    all_structs = structs(sys.argv[2])
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
        known = marks(all_structs, name)
        for field, schema in sorted(body.get("properties", {}).items()):
            print(field_line(name, field, schema, body.get("required", []), known.get(field)))


main()
