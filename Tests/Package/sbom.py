"""The bill of materials is valid CycloneDX 1.6, and one that is not is refused: sbom.py FILE."""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = pathlib.Path(sys.argv[1]).read_text()
validator = JsonStrictValidator(SchemaVersion.V1_6)
fault = validator.validate_str(text)
if fault:
    sys.exit(f"{sys.argv[1]} is not valid: {fault}")
bill = json.loads(text)
if not validator.validate_str(json.dumps({**bill, "components": [{"type": "library"}]})):
    sys.exit("a component without a name is not refused: nothing was validated")

refs = [bill["metadata"]["component"]["bom-ref"]] + [one["bom-ref"] for one in bill["components"]]
if len(refs) != len(set(refs)) or set(refs) != {one["ref"] for one in bill["dependencies"]}:
    sys.exit("components and dependencies do not name the same things, each once")
for name in ["swift-nio", "boringssl", "icu", "libsqlite3-0", "libc6"]:
    if not any(one["name"] == name for one in bill["components"]):
        sys.exit(f"{name} is missing")
print(f"{len(bill['components'])} components: valid CycloneDX {bill['specVersion']}")
