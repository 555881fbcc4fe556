"""What the linker put into the program, by the component that it comes from.

A component is a package of Package.swift, a work that one of them or the toolchain brings along, or a package of
Debian. Everything in the link map belongs to one; what does not is an error.
"""

import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

# Modules that are another work's source, inside the package of somebody else.
VENDORED = {"CNIOBoringSSL": "boringssl", "CNIOLLHTTP": "llhttp", "CYaml": "libyaml"}

# The static libraries of the Swift toolchain, and which project each comes from. The first that matches counts.
TOOLCHAIN = [
    (r"lib_FoundationICU\.a", "icu"),
    (r"lib_?(Core)?Foundation\w*\.a|lib_CF\w+Interface\.a", "swift-foundation"),
    (r"libdispatch\.a|libBlocksRuntime\.a", "swift-corelibs-libdispatch"),
    (r"libswift\w+\.a|swiftrt\.o", "swift"),
]

OWN = "pricewatch"


@dataclass
class Component:
    name: str
    # checkout, toolchain, debian, or own
    kind: str
    # Modules, libraries and object files of it that are linked.
    parts: set = field(default_factory=set)
    # The checkout's folder, the toolchain's usr folder; None for Debian and for ourselves.
    folder: pathlib.Path | None = None
    # Source files of C, whose headers may bear the notices of their authors.
    sources: set = field(default_factory=set)


def objects(link_map):
    """The object files and archives that have at least one byte in the program."""
    found, inside = set(), False
    with open(link_map, errors="replace") as lines:
        for line in lines:
            inside = inside or line.startswith("Memory map")
            match = inside and re.search(r"0x[0-9a-f]+\s+0x([0-9a-f]+) (/.*)$", line)
            if match and int(match.group(1), 16):
                found.add(match.group(2))
    if not found:
        sys.exit(f"read the link map {link_map}: no object file in it (is it a map of GNU gold?)")
    return found


def components(link_map, root):
    """The components of the program, by name."""
    found = {}

    def component(name, kind, folder=None):
        return found.setdefault(name, Component(name, kind, folder=folder))

    unknown = []
    for entry in sorted(objects(link_map)):
        # archive(member) or object
        path = pathlib.Path(re.sub(r"\(.*", "", entry))
        module = next((part.removesuffix(".build") for part in reversed(path.parts) if re.fullmatch(r"\w+\.build", part)),
                      None)
        if module:
            sources = compiled(path, module)
            checkout = next((checkout_of(source) for source in sources if checkout_of(source)), None)
            if checkout:
                name = VENDORED.get(module, checkout.name.lower())
                package = component(name, "checkout", checkout)
                package.parts.add(module)
                package.sources |= {source for source in sources if source.suffix != ".swift" and module in source.parts}
            elif any(source.is_relative_to(root / "Sources") for source in sources):
                component(OWN, "own").parts.add(module)
            else:
                unknown.append(entry)
        elif "swift_static" in path.parts:
            name = next((name for pattern, name in TOOLCHAIN if re.fullmatch(pattern, path.name)), None)
            usr = next(folder for folder in path.parents if folder.name == "usr")
            if name:
                component(name, "toolchain", usr).parts.add(path.name)
            else:
                unknown.append(entry)
        elif package := debian_package(path):
            component(package, "debian").parts.add(path.name)
        else:
            unknown.append(entry)
    if unknown:
        sys.exit("name the origin of what is linked: unknown: " + ", ".join(unknown)
                 + " (add it to etc/release/linked.py, with its licence)")
    return found


def compiled(path, module):
    """The source files that an object file was made of, with the headers of C."""
    dependencies = path.with_suffix(".d")
    if dependencies.suffix == ".d" and dependencies.exists() and not path.name.endswith(".swift.o"):
        words = dependencies.read_text().replace("\\\n", " ").split()
        return [pathlib.Path(word) for word in words[1:]]
    build = next(folder for folder in path.parents if folder.name == module + ".build")
    listed = build / "sources"
    return [pathlib.Path(line) for line in listed.read_text().splitlines()] if listed.exists() else []


def checkout_of(source):
    """The checkout that a source file lies in, and nil for others."""
    parts = source.parts
    if "checkouts" not in parts:
        return None
    return pathlib.Path(*parts[: parts.index("checkouts") + 2])


def debian_package(path):
    """The package of Debian that installed a file. Debian's dpkg knows a file by the path before /lib moved."""
    paths = [str(path), str(path).removeprefix("/usr"), "/usr" + str(path)]
    answer = subprocess.run(["dpkg-query", "--search", *paths], capture_output=True, text=True)
    return re.split("[:,]", answer.stdout)[0] or None
