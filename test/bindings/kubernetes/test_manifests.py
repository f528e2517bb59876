"""What is installed, and what the webhook makes of a pod, by the schemas of three versions of Kubernetes.

usage: test_manifests.py EXAMPLE_FOLDER MODEL.json
"""

import base64
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import kubernetes_validate
import yaml

EXAMPLE, MODEL = (Path(word).resolve() for word in sys.argv[1:3])
REQUESTS = Path(__file__).resolve().parent / "requests"
sys.path.insert(0, str(EXAMPLE))

import sizing  # noqa: E402  (found in the folder of the example)
import webhook  # noqa: E402

VERSIONS = ("1.25.0", "1.31.0", "1.37.0")

# AdmissionRequest and AdmissionResponse of k8s.io/api/admission/v1, and CreateOptions of k8s.io/apimachinery's meta/v1:
# which members there are, and of which kind. requests/README.md names the files.
GROUP_VERSION_KIND = {"group": str, "version": str, "kind": str}
GROUP_VERSION_RESOURCE = {"group": str, "version": str, "resource": str}
REQUEST = {
    "uid": str, "kind": GROUP_VERSION_KIND, "resource": GROUP_VERSION_RESOURCE, "subResource": str,
    "requestKind": GROUP_VERSION_KIND, "requestResource": GROUP_VERSION_RESOURCE, "requestSubResource": str,
    "name": str, "namespace": str, "operation": str, "userInfo": dict, "object": dict, "oldObject": dict,
    "dryRun": bool,
    "options": {"kind": str, "apiVersion": str, "dryRun": list, "fieldManager": str, "fieldValidation": str},
}  # fmt: skip
RESPONSE = {
    "uid": str, "allowed": bool, "status": dict, "patch": str, "patchType": str, "auditAnnotations": dict,
    "warnings": list,
}  # fmt: skip
ALWAYS = {"uid", "kind", "resource", "operation", "userInfo"}  # what is not optional of a request


def manifests():
    text = (EXAMPLE / "manifests.yaml").read_text().replace("${CA}", base64.b64encode(b"a certificate").decode())
    return list(yaml.safe_load_all(text))


def review_of(version):
    """What the API server of a version sends when a pod is created."""
    return json.loads((REQUESTS / f"review-{version.removesuffix('.0')}.json").read_text())


def pod_of(review):
    """As the schemas have it: in them no time is null, which API servers before 1.34 send."""
    pod = json.loads(json.dumps(review["request"]["object"]))
    if pod["metadata"].get("creationTimestamp", "") is None:
        del pod["metadata"]["creationTimestamp"]
    return pod


def strangers(value, shape, where):
    """Members that a shape does not have, or has of another kind."""
    if value is None:
        return []
    if not isinstance(shape, dict):
        return [] if type(value) is shape else [where]
    found = [f"{where}.{key}" for key in value if key not in shape]
    return sum((strangers(value[key], shape[key], f"{where}.{key}") for key in value if key in shape), found)


def patched(pod, operations):
    for operation in operations:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        place = pod
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        place[last] = operation["value"]
    return pod


class Schemas(unittest.TestCase):
    def check(self, document):
        for version in VERSIONS:
            with self.subTest(kind=document["kind"], version=version):
                kubernetes_validate.validate(document, version, strict=True)

    def test_manifests_are_valid(self):
        kinds = [document["kind"] for document in manifests()]
        self.assertEqual(kinds, ["Namespace", "ConfigMap", "Deployment", "Service", "MutatingWebhookConfiguration"])
        for document in manifests():
            self.check(document)

    def test_a_wrong_one_is_refused(self):
        deployment = manifests()[2]
        deployment["spec"]["replicas"] = "two"
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(deployment, VERSIONS[0], strict=True)

    def test_a_request_of_each_version_has_what_the_api_server_sends(self):
        for version in VERSIONS:
            request = review_of(version)["request"]
            with self.subTest(version=version):
                self.assertEqual(strangers(request, REQUEST, "request"), [])
                self.assertLessEqual(ALWAYS, set(request))
                user = {"apiVersion": "authentication.k8s.io/v1", "kind": "UserInfo", **request["userInfo"]}
                kubernetes_validate.validate(user, version)
                kubernetes_validate.validate(pod_of({"request": request}), version, strict=True)

    def test_a_pod_with_members_of_later_versions_is_not_valid_before_them(self):
        for version, before in zip(VERSIONS[1:], VERSIONS, strict=False):
            with self.subTest(version=version), self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(pod_of(review_of(version)), before, strict=True)

    def test_a_pod_of_each_version_is_valid_with_what_the_webhook_adds(self):
        for version in VERSIONS:
            review = review_of(version)
            response = self.response_to(review)
            before, pod = pod_of(review), pod_of(review)
            patched(pod, json.loads(base64.b64decode(response["patch"])))
            with self.subTest(version=version):
                self.assertEqual(strangers(response, RESPONSE, "response"), [])
                self.assertEqual((response["uid"], response["allowed"]), (review["request"]["uid"], True))
                self.assertEqual(response["patchType"], "JSONPatch")
                self.assertNotEqual(pod, before)
                self.assertIn("memory", pod["spec"]["containers"][0]["resources"]["limits"])
                kubernetes_validate.validate(pod, version, strict=True)

    def test_memory_of_a_pod_as_a_whole_holds_its_containers(self):
        review = review_of("1.37.0")
        pod = pod_of(review)
        patched(pod, json.loads(base64.b64decode(self.response_to(review)["patch"])))
        whole, train, sidecar = (
            sizing.parse_quantity(holder["resources"]["requests"]["memory"])
            for holder in (pod["spec"], pod["spec"]["containers"][0], pod["spec"]["initContainers"][0])
        )
        self.assertEqual(whole, train + sidecar)
        self.assertGreater(whole, 2 << 30)  # what it asked for

    def response_to(self, review):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(MODEL, Path(folder) / "unet3d.json")
            policy = sizing.Policy(model_directory=Path(folder), nodes={"*": 60 << 30})
            return webhook.review(review, policy, sizing.Models(Path(folder)))["response"]

    def test_the_image_has_what_the_deployment_starts(self):
        dockerfile = (EXAMPLE / "Dockerfile").read_text()
        copied = re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE)
        for pattern in " ".join(copied).split():
            if not pattern.startswith("build/packages/"):
                self.assertTrue(list(EXAMPLE.parent.parent.glob(pattern)), pattern)
        container = manifests()[2]["spec"]["template"]["spec"]["containers"][0]
        self.assertIn(container["image"], (EXAMPLE / "README.md").read_text())
        options = {word.partition("=")[0] for word in container["args"] if word.startswith("--")}
        for option in options:
            self.assertIn(f'"{option}"', (EXAMPLE / "server.py").read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
