#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kubernetes: the manifests are what Kubernetes takes, by its schema where kubernetes-validate (from PyPI) is there,
# and the configuration in them is what dns64d takes.
#   tests/package/kubernetes.sh BUILD    BUILD has dns64d
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
dns64d=$build/dns64d
. tests/package/tree.sh

manifest=contrib/kubernetes/dns64d.yaml

# The ConfigMap's file, and that probes, Service and container speak of ports that are there.
parts()
{
	python3 - "$manifest" "$work/dns64d.conf" <<'PY'
import sys
import yaml

docs = {d["kind"]: d for d in yaml.safe_load_all(open(sys.argv[1], encoding="utf-8"))}
open(sys.argv[2], "w", encoding="utf-8").write(docs["ConfigMap"]["data"]["dns64d.conf"])
pod = docs["Deployment"]["spec"]["template"]
box = pod["spec"]["containers"][0]
ports = {p["name"] for p in box["ports"]}
for port in docs["Service"]["spec"]["ports"]:
    assert port["targetPort"] in ports, port
for probe in ("livenessProbe", "readinessProbe"):
    assert box[probe]["httpGet"]["port"] in ports, probe
labels = pod["metadata"]["labels"]
for kind in ("Deployment", "PodDisruptionBudget"):
    assert docs[kind]["spec"]["selector"]["matchLabels"].items() <= labels.items(), kind
assert docs["Service"]["spec"]["selector"].items() <= labels.items()
assert box["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}
assert box["securityContext"]["readOnlyRootFilesystem"] and pod["spec"]["securityContext"]["runAsNonRoot"]
PY
}

check 'its parts fit' parts
check 'dns64d takes its configuration' "$dns64d" -t -f -c "$work/dns64d.conf"
check 'it never synthesizes for the cluster' grep -q '^never-synthesize cluster.local' "$work/dns64d.conf"
if command -v kubernetes-validate >/dev/null; then
	check 'the schema' kubernetes-validate --strict --no-warn "$manifest"
else
	echo 'without kubernetes-validate: the schema was not asked'
fi
finish
