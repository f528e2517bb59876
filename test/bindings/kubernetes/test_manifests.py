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


def manifests():
    text = (EXAMPLE / "manifests.yaml").read_text().replace("${CA}", base64.b64encode(b"a certificate").decode())
    return list(yaml.safe_load_all(text))


# What pods may have that those of the version before do not; API servers up to 1.33 send creationTimestamp: null.


def with_sidecar(pod):
    resources = {"requests": {"memory": "64Mi"}}
    sidecar = {"name": "log", "image": "log:1", "restartPolicy": "Always", "resources": resources}
    pod["spec"]["initContainers"] = [sidecar]


def with_resources(pod):
    with_sidecar(pod)
    del pod["metadata"]["creationTimestamp"]
    pod["spec"]["resources"] = {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}


PODS = {"1.25.0": lambda pod: None, "1.31.0": with_sidecar, "1.37.0": with_resources}


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

    def test_a_pod_of_each_version_is_valid_with_what_the_webhook_adds(self):
        for version, change in PODS.items():
            review = json.loads((REQUESTS / "review.json").read_text())
            pod = review["request"]["object"]
            change(pod)
            before = json.loads(json.dumps(pod))
            patched(pod, self.patch_of(review))
            self.assertNotEqual(pod, before)
            self.assertIn("memory", pod["spec"]["containers"][0]["resources"]["limits"])
            for document in (before, pod):
                document["metadata"].pop("creationTimestamp", None)  # null, which no schema has
                with self.subTest(version=version, patched=document is pod):
                    kubernetes_validate.validate(document, version, strict=True)

    def patch_of(self, review):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(MODEL, Path(folder) / "unet3d.json")
            policy = sizing.Policy(model_directory=Path(folder), nodes={"*": 60 << 30})
            answer = webhook.review(review, policy, sizing.Models(Path(folder)))
        return json.loads(base64.b64decode(answer["response"]["patch"]))

    def test_the_image_has_what_the_deployment_starts(self):
        dockerfile = (EXAMPLE / "Dockerfile").read_text()
        copied = re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE)
        for pattern in " ".join(copied).split():
            if not pattern.startswith("dist/"):
                self.assertTrue(list(EXAMPLE.parent.parent.glob(pattern)), pattern)
        container = manifests()[2]["spec"]["template"]["spec"]["containers"][0]
        self.assertIn(container["image"], (EXAMPLE / "README.md").read_text())
        options = {word.partition("=")[0] for word in container["args"] if word.startswith("--")}
        for option in options:
            self.assertIn(f'"{option}"', (EXAMPLE / "server.py").read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
