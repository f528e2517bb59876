"""The webhook and the scheduler's filter, on requests as Kubernetes sends them and on hostile ones.

usage: test_kubernetes.py EXAMPLE_FOLDER MODEL.json
"""

import base64
import copy
import json
import math
import random
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import memmodel

HERE = Path(__file__).resolve().parent
EXAMPLE, MODEL = (Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(EXAMPLE))

import sizing  # noqa: E402  (found in the folder of the example)
import webhook  # noqa: E402

GIB = 2**30
# 30457.47587*64^2 + 1291.890945*64^3*4 + 897254043.6, by the model's formula with a pocket calculator.
PREDICTED = 2_376_653_704
JUNK = [None, True, -1, 0, 1.5, 10**400, "", "x", "\0", "é" * 3000, "1e99", [], {}, [None], {"x": []}, [[]] * 50]


def request(name):
    return json.loads((HERE / "requests" / name).read_text())


def patched(pod, operations):
    """RFC 6902's "add" of members, which is all that the webhook uses."""
    pod = copy.deepcopy(pod)
    for operation in operations:
        assert operation["op"] == "add", operation
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        place = pod
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        place[last] = operation["value"]
    return pod


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        shutil.copy(MODEL, self.folder / "unet3d.json")
        self.policy = self.policy_with()
        self.models = sizing.Models(self.folder)

    def policy_with(self, **settings):
        return sizing.Policy(**{"model_directory": self.folder, "nodes": {"large-*": 60 * GIB}, **settings})

    def review(self, document, policy=None):
        """The response to a review."""
        reply = webhook.review(document, policy or self.policy, self.models)
        self.assertEqual(reply["apiVersion"], "admission.k8s.io/v1")
        self.assertEqual(reply["kind"], "AdmissionReview")
        self.assertEqual(reply["response"]["uid"], document["request"]["uid"])
        return reply["response"]

    def admitted(self, document, policy=None):
        """The pod as it is after admission."""
        response = self.review(document, policy)
        self.assertTrue(response["allowed"], response)
        if "patch" not in response:
            return document["request"]["object"]
        self.assertEqual(response["patchType"], "JSONPatch")
        return patched(document["request"]["object"], json.loads(base64.b64decode(response["patch"], validate=True)))

    def with_pod(self, change):
        document = request("review.json")
        change(document["request"]["object"])
        return document

    def with_annotations(self, entries):
        return self.with_pod(lambda pod: pod["metadata"]["annotations"].update(entries))


def memory(pod, container=0):
    resources = pod["spec"]["containers"][container]["resources"]
    return {kind: sizing.parse_quantity(entry["memory"]) for kind, entry in resources.items() if "memory" in entry}


class Admission(Case):
    def test_memory_is_set_to_the_upper_bound(self):
        pod = self.admitted(request("review.json"))
        upper = memmodel.Model.load(MODEL).predict(dim=64, batch=4, level=0.95).upper
        bound = math.ceil(upper / 2**20) * 2**20
        self.assertGreater(bound, PREDICTED)
        self.assertEqual(memory(pod), {"requests": bound, "limits": bound})
        self.assertEqual(memory(pod, 1), {"requests": 64 * 2**20, "limits": 128 * 2**20})
        decision = pod["metadata"]["annotations"]["memmodel/decision"]
        self.assertIn("predicts at most 2.24 GiB for dim 64, batch 4", decision)

    def test_a_pod_admitted_before_needs_no_patch(self):
        document = request("review.json")
        document["request"]["object"] = self.admitted(document)
        self.assertEqual(self.review(document), {"uid": document["request"]["uid"], "allowed": True})

    def test_all_else_of_a_pod_stays(self):
        pod, before = self.admitted(request("review.json")), request("review.json")["request"]["object"]
        del pod["metadata"]["annotations"]["memmodel/decision"]
        pod["spec"]["containers"][0]["resources"] = {}
        self.assertEqual(pod, before)

    def test_a_level_and_a_margin_raise_the_bound(self):
        plain = memory(self.admitted(request("review.json")))["requests"]
        higher = memory(self.admitted(request("review.json"), self.policy_with(level=0.999)))["requests"]
        with_margin = memory(self.admitted(request("review.json"), self.policy_with(margin=0.5)))["requests"]
        self.assertGreater(higher, plain)
        self.assertAlmostEqual(with_margin / plain, 1.5, places=2)

    def test_memory_that_the_pod_asks_for_is_raised_kept_or_replaced(self):
        for own, policy, wanted in (
            ({"requests": "8Gi"}, "raise", {"requests": 8 * GIB, "limits": 8 * GIB}),
            ({"requests": "1Gi", "limits": "9Gi"}, "raise", {"requests": None, "limits": 9 * GIB}),
            ({"requests": "8Gi", "limits": "9Gi"}, "replace", {"requests": None, "limits": None}),
            ({"requests": "1Gi"}, "keep", {"requests": GIB}),
            ({}, "keep", {"requests": None, "limits": None}),
        ):
            entries = {kind: {"memory": size, "cpu": "1"} for kind, size in own.items()}
            document = self.with_pod(lambda pod, e=entries: pod["spec"]["containers"][0].update(resources=e))
            pod = self.admitted(document, self.policy_with(user_memory=policy))
            bound = memory(self.admitted(request("review.json")))["requests"]
            with self.subTest(own=own, policy=policy):
                self.assertEqual(memory(pod), {kind: bound if size is None else size for kind, size in wanted.items()})
                self.assertTrue(all(pod["spec"]["containers"][0]["resources"][kind]["cpu"] == "1" for kind in own))
                document["request"]["object"] = pod
                self.assertNotIn("patch", self.review(document, self.policy_with(user_memory=policy)))

    def test_what_cannot_fit_is_refused_with_the_need_and_what_would_fit(self):
        document = self.with_annotations({"memmodel/inputs": "dim=96 batch=32"})
        policy = self.policy_with(nodes={"small": 4 * GIB, "large": 16 * GIB})
        response = self.review(document, policy)
        self.assertFalse(response["allowed"])
        self.assertNotIn("patch", response)
        message = response["status"]["message"]
        self.assertEqual(response["status"]["code"], 403)
        self.assertRegex(message, r'model "unet3d" predicts at most 3\d\.\d\d GiB for dim 96, batch 32')
        self.assertIn("the largest node has 16.00 GiB", message)
        largest = int(message.split("batch up to ")[1].split(" ")[0])
        for batch, allowed in ((largest, True), (largest + 1, False)):
            again = self.with_annotations({"memmodel/inputs": f"dim=96 batch={batch}"})
            self.assertEqual(self.review(again, policy)["allowed"], allowed, batch)

    def test_other_containers_and_overhead_take_their_part_of_a_node(self):
        bound = memory(self.admitted(request("review.json")))["requests"]
        exact = self.policy_with(nodes={"a": bound + 64 * 2**20})
        self.assertTrue(self.review(request("review.json"), exact)["allowed"])
        refused = self.review(request("review.json"), self.policy_with(nodes={"a": bound + 64 * 2**20 - 1}))
        self.assertIn("besides 64.00 MiB of other containers", refused["status"]["message"])
        document = self.with_pod(lambda pod: pod["spec"].update(overhead={"memory": "1"}))
        self.assertFalse(self.review(document, exact)["allowed"])

    def test_sidecars_take_their_part_and_init_containers_theirs_before(self):
        def container(size, **more):
            return {"name": f"c{size}", "image": "x", "resources": {"requests": {"memory": f"{size}Mi"}}, **more}

        def need(*containers):
            document = self.with_pod(lambda pod: pod["spec"].update(initContainers=list(containers)))
            return sizing.need_of(document["request"]["object"], self.policy, self.models)

        alone = need()
        sidecar = need(container(100, restartPolicy="Always"))
        self.assertEqual(sidecar.total - alone.total, 100 * 2**20)
        self.assertEqual(need(container(100)).total, alone.total)  # it has ended by then
        large = need(container(100, restartPolicy="Always"), container(90_000), container(50, restartPolicy="Always"))
        self.assertEqual(large.total, 90_100 * 2**20)
        self.assertEqual(large.others - alone.others, 150 * 2**20)

    def test_what_the_pod_asks_for_as_a_whole_holds_what_its_containers_do(self):
        def change(pod):
            pod["spec"]["resources"] = {"requests": {"memory": "100Mi"}, "limits": {"memory": "64Gi", "cpu": "2"}}

        pod = self.admitted(self.with_pod(change))
        whole = {kind: sizing.parse_quantity(entry["memory"]) for kind, entry in pod["spec"]["resources"].items()}
        need = sizing.need_of(pod, self.policy, self.models)
        self.assertEqual(whole, {"requests": need.memory + need.others, "limits": 64 * GIB})
        again = copy.deepcopy(request("review.json"))
        again["request"]["object"] = pod
        self.assertNotIn("patch", self.review(again))

    def test_nothing_at_all_fits(self):
        response = self.review(request("review.json"), self.policy_with(nodes={"tiny": 2**20}))
        self.assertIn("no batch fits", response["status"]["message"])

    def test_another_container_may_be_named(self):
        document = self.with_annotations({"memmodel/container": "metrics"})
        self.assertGreater(memory(self.admitted(document), 1)["requests"], PREDICTED)

    def test_where_the_model_extrapolates_there_is_a_warning(self):
        document = self.with_annotations({"memmodel/inputs": "dim=64 batch=40"})
        response = self.review(document)
        self.assertEqual(len(response["warnings"]), 1)
        self.assertLessEqual(len(response["warnings"][0]), 120)

    def test_pods_without_a_model_and_other_requests_pass_untouched(self):
        unnamed = self.with_pod(lambda pod: pod["metadata"].pop("annotations"))
        update, deployment = request("review.json"), request("review.json")
        update["request"]["operation"] = "UPDATE"
        deployment["request"]["kind"] = {"group": "apps", "version": "v1", "kind": "Deployment"}
        for document in (unnamed, update, deployment):
            self.assertEqual(self.review(document), {"uid": document["request"]["uid"], "allowed": True})

    def test_a_model_that_cannot_be_asked_admits_or_refuses_as_the_policy_says(self):
        for entry, words in (
            ({"memmodel/model": "nobody"}, 'no model "nobody"'),
            ({"memmodel/model": "../unet3d"}, "no name of a model"),
            ({"memmodel/model": "a\0b"}, "no name of a model"),
            ({"memmodel/inputs": "dim=64"}, "batch: no value"),
            ({"memmodel/inputs": ""}, "dim: no value"),
            ({"memmodel/inputs": "dim=64 batch=4 depth=3"}, "depth: no such input"),
            ({"memmodel/inputs": "dim=64 batch=four"}, "'batch=four'"),
            ({"memmodel/inputs": "dim=64 batch=1e999"}, "'batch=1e999'"),
            ({"memmodel/inputs": "dim=64 batch=nan"}, "'batch=nan'"),
            ({"memmodel/inputs": "dim=1e200 batch=1e200"}, "no prediction at this point"),
            ({"memmodel/inputs": "dim=64 " * 5000}, "longer than"),
            ({"memmodel/container": "elsewhere"}, "no container 'elsewhere'"),
        ):
            document = self.with_annotations(entry)
            with self.subTest(entry={key: value[:40] for key, value in entry.items()}):
                admitted = self.review(document)
                self.assertTrue(admitted["allowed"])
                self.assertNotIn("patch", admitted)
                self.assertTrue(admitted["warnings"][0].startswith("memmodel: "))
                refused = self.review(document, self.policy_with(on_failure="refuse"))
                self.assertFalse(refused["allowed"])
                self.assertIn(words, refused["status"]["message"])

    def test_a_changed_model_is_read_again(self):
        before = memory(self.admitted(request("review.json")))["requests"]
        path = self.folder / "unet3d.json"
        text = MODEL.read_text().replace("897254043.63205171", "1970995867.6320517")  # 1 GiB more
        path.write_text(text.replace("897254043.6320517", "1970995867.6320517"))
        after = memory(self.admitted(request("review.json")))["requests"]
        self.assertGreater(after, before + 2**30 - 2**21)
        path.write_text("{")
        self.assertIn("cannot be read", self.review(request("review.json"))["warnings"][0])


class Filter(Case):
    def filter(self, document, policy=None):
        return webhook.filter_nodes(document, policy or self.policy, self.models)

    def test_nodes_too_small_are_left_out_for_good(self):
        document = request("filter.json")
        result = self.filter(document)
        self.assertEqual([node["metadata"]["name"] for node in result["Nodes"]["items"]], ["large-1"])
        self.assertEqual(result["Nodes"]["items"], document["Nodes"]["items"][1:])
        self.assertIsNone(result["NodeNames"])
        self.assertEqual(result["FailedNodes"], {})
        self.assertEqual(list(result["FailedAndUnresolvableNodes"]), ["small-1"])
        self.assertIn("this node has 1.84 GiB", result["FailedAndUnresolvableNodes"]["small-1"])
        self.assertEqual(result["Error"], "")

    def test_names_alone_are_looked_up_in_the_policy(self):
        document = {**request("filter.json"), "Nodes": None, "NodeNames": ["small-1", "large-1", "other"]}
        result = self.filter(document, self.policy_with(nodes={"small-*": 2 * GIB, "large-*": 60 * GIB}))
        self.assertEqual(result["NodeNames"], ["large-1", "other"])
        self.assertIsNone(result["Nodes"])
        self.assertEqual(list(result["FailedAndUnresolvableNodes"]), ["small-1"])

    def test_pods_without_a_model_go_anywhere(self):
        document = request("filter.json")
        del document["Pod"]["metadata"]["annotations"]
        self.assertEqual(self.filter(document)["Nodes"], document["Nodes"])

    def test_a_model_that_cannot_be_asked_filters_nothing_or_is_an_error(self):
        document = request("filter.json")
        document["Pod"]["metadata"]["annotations"]["memmodel/model"] = "nobody"
        self.assertEqual(self.filter(document)["Nodes"], document["Nodes"])
        self.assertIn("nobody", self.filter(document, self.policy_with(on_failure="refuse"))["Error"])


class Quantities(unittest.TestCase):
    def test_quantities_are_those_of_kubernetes(self):
        for text, size in (
            ("128974848", 128974848), ("129e6", 129_000_000), ("129M", 129_000_000), ("123Mi", 123 * 2**20),
            ("1.5Gi", 3 * 2**29), ("128974848000m", 128974848), ("1Ki", 1024), ("100k", 100_000), ("0.5", 1), (7, 7),
            (".5Gi", 2**29), ("1E", 10**18), ("1E3", 1000),
        ):  # fmt: skip
            self.assertEqual(sizing.parse_quantity(text), size, text)

    def test_what_is_none_is_refused(self):
        for text in ("", "Gi", "1 Gi", "-1", "1GB", "1e999", "٣Gi", "1" * 40, None, True, 1.5, [], {}, "nan", "0x10"):
            with self.assertRaises(sizing.NoAnswer, msg=repr(text)):
                sizing.parse_quantity(text)


def places(value, way=()):
    """Every place in a document."""
    yield way
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield from places(item, (*way, key))


def replaced(document, way, value):
    if not way:
        return value
    document = copy.deepcopy(document)
    place = document
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    return document


class Hostile(Case):
    def answered(self, path, body):
        """Whatever comes, the reply is a status and JSON."""
        status, reply = webhook.answer(path, body, self.policy, self.models)
        self.assertIn(status, (200, 400))
        return status, json.loads(reply)

    def test_anything_in_any_place_is_answered(self):
        for path, name in (("/mutate", "review.json"), ("/filter", "filter.json")):
            document = request(name)
            for way in places(document):
                for junk in JUNK:
                    body = json.dumps(replaced(document, way, junk)).encode()
                    status, reply = self.answered(path, body)
                    if status == 200 and path == "/mutate":
                        self.assertTrue(reply["response"]["uid"], (way, junk))

    def test_texts_that_are_no_json_are_refused(self):
        for body in (
            b"", b"{", b"\xff\xfe", b"nul", b"NaN", b"[1e999]", b"1" * 10_000, b"[" * 200_000, b'{"a":' * 100_000,
            b'"' + b"x" * 2**23 + b'"', b"[]", b"7", b"null", b"true", b'"text"', b'{"request": null}', b"\0" * 100,
        ):  # fmt: skip
            for path in webhook.ANSWERS:
                self.assertEqual(self.answered(path, body)[0], 400, body[:40])

    def test_a_review_without_uid_is_refused(self):
        document = request("review.json")
        del document["request"]["uid"]
        status, reply = self.answered("/mutate", json.dumps(document).encode())
        self.assertEqual(status, 400)
        self.assertIn("uid", reply["error"])

    def test_requests_cut_short_or_scrambled_are_answered(self):
        chance = random.Random(1)
        for path, name in (("/mutate", "review.json"), ("/filter", "filter.json")):
            body = (HERE / "requests" / name).read_bytes()
            for end in range(0, len(body), 37):
                self.assertEqual(self.answered(path, body[:end])[0], 400)
            for _ in range(500):
                scrambled = bytearray(body)
                for _ in range(chance.randrange(1, 8)):
                    scrambled[chance.randrange(len(body))] = chance.randrange(256)
                self.answered(path, bytes(scrambled))

    def test_other_paths_are_not_there(self):
        self.assertEqual(webhook.answer("/else", b"{}", self.policy, self.models)[0], 404)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
