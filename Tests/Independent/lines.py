#!/usr/bin/env python3
"""Reads line protocol from standard input, one character after the other, and prints each line as JSON.

Written from the description of the protocol, not from the program: a backslash escapes a comma, a blank or an equals
sign in names and tag values, and stands for itself anywhere else.
"""
import json
import sys


def read(text, place, ends):
    """The text up to an unescaped character of `ends`, and the place of that."""
    found = []
    while place < len(text) and text[place] not in ends:
        if text[place] == "\\" and place + 1 < len(text) and text[place + 1] in ",= ":
            place += 1
        found.append(text[place])
        place += 1
    return "".join(found), place


for line in sys.stdin.buffer.read().decode("utf-8").split("\n"):
    if not line:
        continue
    measurement, place = read(line, 0, ", ")
    tags = {}
    while line[place] == ",":
        name, place = read(line, place + 1, "=")
        value, place = read(line, place + 1, ", ")
        assert value and name not in tags, line
        tags[name] = value
    assert list(tags) == sorted(tags), line
    field, place = read(line, place + 1, "=")
    value, time = line[place + 1:].split(" ")
    assert not value.endswith("i") and '"' not in value and "e" not in value, line
    print(json.dumps([measurement, tags, field, value, int(time)]))
