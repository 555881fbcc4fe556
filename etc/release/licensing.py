"""Licence texts and notices: where they are, and which licence they are."""

import pathlib
import re

KEPT_FOLDER = pathlib.Path(__file__).resolve().parent / "texts"

# Texts that neither a checkout nor the toolchain carries.
KEPT = {"icu": ["icu.txt"], "swift-foundation": ["foundation.txt"], "libyaml": ["libyaml.txt"]}

# How a licence is known by its text, with its name in SPDX's list.
KNOWN = [
    ("Apache-2.0 WITH Swift-exception", r"Runtime Library Exception to the Apache 2\.0 License"),
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("Unicode-3.0", r"UNICODE LICENSE V3"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a\s+copy of\s+this software"),
    ("ISC", r"Permission to use, copy, modify, and(/or)? distribute this\s+software for any\s+purpose"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms[\s\S]*Neither the name|may not be used to endorse"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
]


# The text of one licence holds that of another.
HOLDS = {"Apache-2.0 WITH Swift-exception": "Apache-2.0", "BSD-3-Clause": "BSD-2-Clause"}


def licences(texts):
    """The licences that texts are, in SPDX's words, in the order of the table."""
    plain = [re.sub(r"\s+", " ", text) for text in texts]
    found = [name for name, pattern in KNOWN if any(re.search(pattern, text) for text in plain)]
    return [name for name in found if name not in {HOLDS.get(other) for other in found}]


def named(folder):
    """The licence and notice files of a folder."""
    return sorted(path for path in folder.iterdir()
                  if path.is_file() and re.match(r"(LICEN[CS]E|NOTICE|COPYING)", path.name, re.IGNORECASE))


def notices(sources):
    """The comments on copyright at the beginning of source files, each once."""
    found = {}
    for source in sorted(sources):
        try:
            head = source.read_text(errors="replace")[:12000]
        except FileNotFoundError:
            continue
        for comment in re.findall(r"/\*[\s\S]*?\*/|(?:^[ \t]*(?://|#(?![a-z])).*\n)+", head, re.MULTILINE):
            if re.search(r"copyright", comment, re.IGNORECASE):
                found.setdefault(plain(comment), source)
    return list(found)


def plain(comment):
    """A comment without the marks that make it one."""
    lines = [re.sub(r"^[ \t]*(/\*+|\*+/|\*(?!/)|//+|#+)[ \t]?|\*+/[ \t]*$", "", line).rstrip()
             for line in comment.strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
