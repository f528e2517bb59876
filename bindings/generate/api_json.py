"""The model as JSON: what bindings in other languages, and other tools, read."""

from __future__ import annotations

import json

from generate.model import Api


def files(api: Api) -> dict[str, str]:
    return {"doc/api/memmodel-api.json": json.dumps(api, indent=1, ensure_ascii=False) + "\n"}
