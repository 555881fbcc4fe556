"""The packages that this one depends on, directly or not, from what `swift package show-dependencies` prints."""

import json
import pathlib
import sys
from dataclasses import dataclass, field


@dataclass
class Package:
    # As SwiftPM knows it: the last part of the URL, in lower case.
    identity: str
    version: str
    url: str
    folder: pathlib.Path
    # Who wants it, by identity; ours is the empty string.
    wanted_by: set = field(default_factory=set)
    wants: set = field(default_factory=set)


def packages(path):
    """All packages by identity. The file is the JSON that SwiftPM printed."""
    found = {}

    def walk(node, identity):
        for child in node["dependencies"]:
            name = child["identity"]
            package = found.setdefault(
                name, Package(name, child["version"], child["url"], pathlib.Path(child["path"])))
            package.wanted_by.add(identity)
            if identity:
                found[identity].wants.add(name)
            walk(child, name)

    try:
        with open(path) as file:
            walk(json.load(file), "")
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"read the dependencies {path}: {error!r} (make .build/release-static/dependencies.json writes it)")
    return dict(sorted(found.items()))
