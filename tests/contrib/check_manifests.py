#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_manifests: the manifests in contrib/kubernetes have only fields that Kubernetes knows, with
values of the right type, no required field is missing, and the objects fit each other. FORMS has the
fields in use, from the API reference; add those that a manifest needs besides. The test is tested,
too: each field is misspelled, given a value of another type, and removed if it is required."""

import copy
import glob
import os
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    print("no python3-yaml")
    sys.exit(77)

MANIFESTS = os.path.join(os.environ.get("TOP_SRCDIR", "."), "contrib/kubernetes")

# --- Forms of values: a dict has the fields of an object, "!" behind required ones; [form] is a list,
# Map(form) an object with any names, (form, form) either of two. Others are str, bool, a range of
# numbers, a set of words, a pattern.


class Map:
    """An object with any names, whose values are of one form."""

    def __init__(self, form):
        self.form = form


NUMBER = range(0, 2**31)
COUNT = range(1, 2**31)
PORT = range(1, 65536)
NAME = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
PORT_NAME = re.compile("[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?")
QUANTITY = (re.compile(r"[0-9]+(\.[0-9]+)?(m|k|[KMGTPE]i?)?"), NUMBER)
PROTOCOL = {"TCP", "UDP", "SCTP"}
NUMBER_OR_SHARE = (NUMBER, re.compile("[0-9]+%"))

METADATA = {"name!": NAME, "namespace": NAME, "labels": Map(str), "annotations": Map(str)}
SELECTOR = {"matchLabels": Map(str)}
SECCOMP = {"type!": {"RuntimeDefault", "Unconfined", "Localhost"}, "localhostProfile": str}
PROBE = {
    "httpGet": {"path": str, "port!": (PORT, PORT_NAME), "scheme": {"HTTP", "HTTPS"}},
    "initialDelaySeconds": NUMBER,
    "periodSeconds": COUNT,
    "timeoutSeconds": COUNT,
    "successThreshold": COUNT,
    "failureThreshold": COUNT,
}
CONTAINER = {
    "name!": NAME,
    "image": str,
    "imagePullPolicy": {"Always", "IfNotPresent", "Never"},
    "args": [str],
    "ports": [{"name": PORT_NAME, "containerPort!": PORT, "protocol": PROTOCOL}],
    "resources": {"requests": Map(QUANTITY), "limits": Map(QUANTITY)},
    "securityContext": {
        "allowPrivilegeEscalation": bool,
        "capabilities": {"add": [str], "drop": [str]},
        "privileged": bool,
        "readOnlyRootFilesystem": bool,
    },
    "startupProbe": PROBE,
    "livenessProbe": PROBE,
    "readinessProbe": PROBE,
    "volumeMounts": [{"name!": NAME, "mountPath!": str, "readOnly": bool, "subPath": str}],
}
POD = {
    "automountServiceAccountToken": bool,
    "containers!": [CONTAINER],
    "securityContext": {
        "fsGroup": NUMBER,
        "runAsGroup": NUMBER,
        "runAsNonRoot": bool,
        "runAsUser": NUMBER,
        "seccompProfile": SECCOMP,
        "sysctls": [{"name!": str, "value!": str}],
    },
    "terminationGracePeriodSeconds": NUMBER,
    "topologySpreadConstraints": [
        {
            "maxSkew!": COUNT,
            "topologyKey!": str,
            "whenUnsatisfiable!": {"DoNotSchedule", "ScheduleAnyway"},
            "labelSelector": SELECTOR,
        }
    ],
    "volumes": [
        {
            "name!": NAME,
            "configMap": {"name": NAME, "optional": bool},
            "emptyDir": {"medium": {"", "Memory"}, "sizeLimit": QUANTITY},
        }
    ],
}
SCALING = {
    "policies": [{"type!": {"Pods", "Percent"}, "value!": COUNT, "periodSeconds!": range(1, 1801)}],
    "selectPolicy": {"Min", "Max", "Disabled"},
    "stabilizationWindowSeconds": range(0, 3601),
}
FORMS = {
    "v1 Namespace": {},
    "v1 ConfigMap": {"data": Map(str), "immutable": bool},
    "v1 Service": {
        "spec!": {
            "clusterIP": str,
            "internalTrafficPolicy": {"Cluster", "Local"},
            "ipFamilies": [{"IPv4", "IPv6"}],
            "ipFamilyPolicy": {"SingleStack", "PreferDualStack", "RequireDualStack"},
            "ports": [
                {
                    "name": NAME,
                    "port!": PORT,
                    "protocol": PROTOCOL,
                    "targetPort": (PORT, PORT_NAME),
                }
            ],
            "selector": Map(str),
            "type": {"ClusterIP", "NodePort", "LoadBalancer"},
        }
    },
    "apps/v1 Deployment": {
        "spec!": {
            "replicas": NUMBER,
            "selector!": SELECTOR,
            "strategy": {
                "type": {"Recreate", "RollingUpdate"},
                "rollingUpdate": {"maxSurge": NUMBER_OR_SHARE, "maxUnavailable": NUMBER_OR_SHARE},
            },
            "template!": {
                "metadata": {"labels": Map(str), "annotations": Map(str)},
                "spec": POD,
            },
        }
    },
    "autoscaling/v2 HorizontalPodAutoscaler": {
        "spec!": {
            "scaleTargetRef!": {"apiVersion": str, "kind!": str, "name!": NAME},
            "minReplicas": COUNT,
            "maxReplicas!": COUNT,
            "metrics": [
                {
                    "type!": {"Resource"},
                    "resource": {
                        "name!": {"cpu", "memory"},
                        "target!": {
                            "type!": {"Utilization", "AverageValue"},
                            "averageUtilization": COUNT,
                            "averageValue": QUANTITY,
                        },
                    },
                }
            ],
            "behavior": {"scaleDown": SCALING, "scaleUp": SCALING},
        }
    },
    "policy/v1 PodDisruptionBudget": {
        "spec!": {
            "minAvailable": NUMBER_OR_SHARE,
            "maxUnavailable": NUMBER_OR_SHARE,
            "selector": SELECTOR,
        }
    },
}
COMMON = {"apiVersion!": str, "kind!": str, "metadata!": METADATA}


def fields(form):
    """(name, form, is it required?) of the fields of an object."""
    return [(name.rstrip("!"), inner, name.endswith("!")) for name, inner in form.items()]


def is_of(value, form):
    """Is VALUE, no object and no list, of FORM?"""
    if isinstance(form, range):
        return type(value) is int and value in form
    if isinstance(form, set):
        return isinstance(value, str) and value in form
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    return type(value) is form


def faults(value, form, place):
    """What is wrong with VALUE, which is at PLACE."""
    if isinstance(form, tuple):
        found = [faults(value, inner, place) for inner in form]
        return min(found, key=len)
    if isinstance(form, list):
        if not isinstance(value, list):
            return [place + " is no list"]
        each = [faults(one, form[0], "%s[%d]" % (place, i)) for i, one in enumerate(value)]
        return sum(each, [])
    if isinstance(form, Map):
        form = {name: form.form for name in value} if isinstance(value, dict) else {}
    if not isinstance(form, dict):
        return [] if is_of(value, form) else ["%s cannot be %r" % (place, value)]
    if not isinstance(value, dict):
        return [place + " is no object"]
    known = {name: inner for name, inner, _ in fields(form)}
    required = [name for name, _, must in fields(form) if must]
    found = ["%s.%s is missing" % (place, name) for name in required if name not in value]
    for name, inner in value.items():
        if name in known:
            found += faults(inner, known[name], "%s.%s" % (place, name))
        else:
            found.append("%s.%s is not known" % (place, name))
    return found


def form_of(thing):
    """The form of an object by its apiVersion and kind; None if it is not known."""
    what = "%s %s" % (thing.get("apiVersion"), thing.get("kind"))
    return {**COMMON, **FORMS[what]} if what in FORMS else None


def faults_of(thing):
    """What is wrong with an object of a manifest."""
    form = form_of(thing)
    what = "%s %s" % (thing.get("apiVersion"), thing.get("kind"))
    return [what + " is not known"] if form is None else faults(thing, form, what)


# --- Reading ---


class Strict(yaml.SafeLoader):
    """Of two fields with one name YAML's reader takes the last."""

    def construct_mapping(self, node, deep=False):
        names = [self.construct_object(key) for key, _ in node.value]
        if len(names) != len(set(names)):
            raise yaml.YAMLError("one name twice among %s%s" % (names, node.start_mark))
        return super().construct_mapping(node, deep)


def read(path):
    """The objects of a manifest."""
    with open(path, encoding="utf-8") as file:
        return list(yaml.load_all(file, Strict))


def manifests():
    """(path, its objects) of each."""
    return [(path, read(path)) for path in sorted(glob.glob(MANIFESTS + "/*.yaml"))]


# --- Faults put in ---


def at(thing, path):
    """What is in THING at PATH."""
    for step in path:
        thing = thing[step]
    return thing


def places(value, form, path=()):
    """(path, form, is it required?) of each field with a fixed name in VALUE."""
    if isinstance(form, list):
        for i, one in enumerate(value):
            yield from places(one, form[0], path + (i,))
    elif isinstance(form, dict):
        for name, inner, must in fields(form):
            if name in value:
                yield path + (name,), inner, must
                yield from places(value[name], inner, path + (name,))


def changed(thing, path, change):
    """A copy of THING whose object that has the last of PATH went through CHANGE."""
    made = copy.deepcopy(thing)
    change(at(made, path[:-1]), path[-1])
    return made


def misspell(parent, name):
    parent[name + name[-1]] = parent.pop(name)


def retype(parent, name):
    parent[name] = "x" if isinstance(parent[name], list) else [["x"]]


def take_away(parent, name):
    del parent[name]


class Manifests(unittest.TestCase):
    def each(self):
        """Each object of each manifest."""
        found = manifests()
        self.assertTrue(found, "no manifest in " + MANIFESTS)
        return [thing for _, things in found for thing in things]

    def test_all_are_right(self):
        for thing in self.each():
            self.assertEqual(faults_of(thing), [])

    def test_all_faults_are_found(self):
        n = 0
        for thing in self.each():
            for path, _, must in places(thing, form_of(thing)):
                for change in (misspell, retype) + ((take_away,) if must else ()):
                    n += 1
                    with self.subTest(change.__name__, path=path):
                        self.assertNotEqual(faults_of(changed(thing, path, change)), [])
        print("%d faults put in" % n)
        self.assertGreater(n, 300)

    def test_values_that_look_right(self):
        """As YAML reads them, or close to what is permitted."""
        wrong = {
            str: (True, 8, None),
            bool: ("true", 1),
            NUMBER: ("8", True, -1),
            PORT: (0, 65536),
            NAME: ("a_b", "cluster\n", "-a"),
            PORT_NAME: ("DNS", "dns-over-tls-udp"),
            QUANTITY: ("400 Mi", "400MB"),
            NUMBER_OR_SHARE: ("half", "%"),
        }
        for form, values in wrong.items():
            for value in values:
                self.assertNotEqual(faults(value, form, "it"), [], value)
        for value, form in (("local", {"Local"}), (None, SELECTOR), ({"a": 1}, Map(str))):
            self.assertNotEqual(faults(value, form, "it"), [], value)
        for value in ("400Mi", "1", "0.5", "500m", 2):
            self.assertEqual(faults(value, QUANTITY, "it"), [])
        self.assertEqual(faults("25%", NUMBER_OR_SHARE, "it"), [])

    def test_one_name_twice(self):
        with self.assertRaises(yaml.YAMLError):
            yaml.load("spec:\n  port: 1\n  port: 2\n", Strict)


class Fit(unittest.TestCase):
    """The objects of contrib/kubernetes/dns64d.yaml agree."""

    def setUp(self):
        self.of = {thing["kind"]: thing for thing in read(MANIFESTS + "/dns64d.yaml")}
        self.pod = self.of["Deployment"]["spec"]["template"]
        self.box = self.pod["spec"]["containers"][0]
        self.conf = self.of["ConfigMap"]["data"]["dns64d.conf"]

    def seconds(self, keyword, usual):
        """The value of a keyword in the configuration."""
        found = re.search(r"^%s (\d+)$" % keyword, self.conf, re.M)
        return int(found.group(1)) if found else usual

    def test_each_is_there_once(self):
        self.assertEqual(sorted(self.of), sorted(what.split()[1] for what in FORMS))
        self.assertEqual(len(self.of), len(read(MANIFESTS + "/dns64d.yaml")))

    def test_names(self):
        namespace = self.of["Namespace"]["metadata"]["name"]
        for kind, thing in self.of.items():
            if kind != "Namespace":
                self.assertEqual(thing["metadata"]["namespace"], namespace)
        volumes = {volume["name"] for volume in self.pod["spec"]["volumes"]}
        self.assertEqual({mount["name"] for mount in self.box["volumeMounts"]}, volumes)
        used = [v["configMap"]["name"] for v in self.pod["spec"]["volumes"] if "configMap" in v]
        self.assertEqual(used, [self.of["ConfigMap"]["metadata"]["name"]])

    def test_labels(self):
        labels = self.pod["metadata"]["labels"].items()
        for kind in ("Deployment", "PodDisruptionBudget"):
            self.assertLessEqual(self.of[kind]["spec"]["selector"]["matchLabels"].items(), labels)
        self.assertLessEqual(self.of["Service"]["spec"]["selector"].items(), labels)
        for spread in self.pod["spec"]["topologySpreadConstraints"]:
            self.assertLessEqual(spread["labelSelector"]["matchLabels"].items(), labels)

    def test_ports(self):
        ports = {port["name"]: port for port in self.box["ports"]}
        for port in self.of["Service"]["spec"]["ports"]:
            self.assertEqual(port["protocol"], ports[port["targetPort"]]["protocol"])
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            self.assertIn(self.box[probe]["httpGet"]["port"], ports)

    def test_probes(self):
        self.assertEqual(self.box["readinessProbe"]["httpGet"]["path"], "/ready")
        self.assertEqual(self.box["livenessProbe"]["httpGet"]["path"], "/health")
        # Until it is over the others do not count: a slow start is no reason to begin anew.
        start = self.box["startupProbe"]
        self.assertEqual(start["httpGet"]["path"], "/health")
        self.assertGreaterEqual(start["periodSeconds"] * start["failureThreshold"], 60)

    def test_stop(self):
        """It is announced for longer than the probe needs to fail, and over before the pod is
        killed: after stop-timeout, two seconds for a loop that does not end, and ten for the save
        of a cache-file."""
        lameduck = self.seconds("lameduck", 0)
        ready = self.box["readinessProbe"]
        self.assertGreater(lameduck, ready.get("failureThreshold", 3) * ready["periodSeconds"])
        stop = lameduck + self.seconds("stop-timeout", 5) + 2
        self.assertGreaterEqual(self.pod["spec"]["terminationGracePeriodSeconds"], stop + 10)
        self.assertNotIn("lifecycle", self.box)

    def test_autoscaler(self):
        spec = self.of["HorizontalPodAutoscaler"]["spec"]
        deployment = self.of["Deployment"]
        self.assertEqual(
            spec["scaleTargetRef"],
            {
                "apiVersion": deployment["apiVersion"],
                "kind": deployment["kind"],
                "name": deployment["metadata"]["name"],
            },
        )
        self.assertNotIn("replicas", deployment["spec"])
        self.assertTrue(2 <= spec["minReplicas"] <= spec["maxReplicas"])
        # Without a request there is nothing to be per cent of.
        for metric in spec["metrics"]:
            self.assertIn(metric["resource"]["name"], self.box["resources"]["requests"])
        self.assertEqual(self.of["Service"]["spec"]["internalTrafficPolicy"], "Cluster")

    def test_privileges(self):
        box = self.box["securityContext"]
        self.assertEqual(box["capabilities"], {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]})
        self.assertTrue(box["readOnlyRootFilesystem"])
        self.assertTrue(self.pod["spec"]["securityContext"]["runAsNonRoot"])


if __name__ == "__main__":
    unittest.main()
