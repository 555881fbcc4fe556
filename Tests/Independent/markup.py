"""Reads documents with the parsers of Python, and compares a hostile one with a harmless one of the same shape.

usage: markup.py html|xml HARMLESS HOSTILE TEXTS
TEXTS: a JSON list of what the elements and attributes of the hostile document marked with `x` hold, in order.
"""
import html.parser, json, sys, xml.parsers.expat

kind, harmless, hostile, expected = sys.argv[1:]


class Found:
    def __init__(self):
        # What was written: elements with the names of their attributes, in order.
        self.shape, self.texts, self.open = [], [], None

    def start(self, name, attributes):
        attributes = list(attributes)
        names = [attribute for attribute, _ in attributes]
        assert len(names) == len(set(names)), (name, names)
        self.shape.append((name, tuple(names)))
        for attribute, value in attributes:
            if attribute in ("title", "aria-label"): self.texts.append(value)
        if name in ("bdi", "text", "content"): self.open = ""

    def end(self, name):
        self.shape.append(("/" + name,))
        if name in ("bdi", "text", "content") and self.open is not None:
            self.texts.append(self.open)
            self.open = None

    def data(self, text):
        if self.open is not None: self.open += text


def read(path):
    found = Found()
    with open(path, encoding="utf8", newline="") as file: text = file.read()
    if kind == "xml":
        parser = xml.parsers.expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda name, attributes: found.start(name, attributes.items())
        parser.EndElementHandler = found.end
        parser.CharacterDataHandler = found.data
        parser.CommentHandler = lambda text: sys.exit("a comment: " + text)
        parser.ProcessingInstructionHandler = lambda *text: sys.exit("an instruction: %r" % (text,))
        parser.Parse(text.encode(), True)
    else:
        class Reader(html.parser.HTMLParser):
            def handle_starttag(self, name, attributes): found.start(name, attributes)
            def handle_startendtag(self, name, attributes): found.start(name, attributes)
            def handle_endtag(self, name): found.end(name)
            def handle_data(self, text): found.data(text)
            def handle_comment(self, text): sys.exit("a comment: " + text)
            def handle_pi(self, text): sys.exit("an instruction: " + text)
            def unknown_decl(self, text): sys.exit("a declaration: " + text)
        reader = Reader()
        reader.feed(text)
        reader.close()
    return found


good, bad = read(harmless), read(hostile)
if good.shape != bad.shape:
    place = next((i for i, (a, b) in enumerate(zip(good.shape, bad.shape)) if a != b), min(len(good.shape), len(bad.shape)))
    sys.exit("another shape at %d: %r, not %r" % (place, bad.shape[place:place + 3], good.shape[place:place + 3]))
with open(expected, encoding="utf8") as file: wanted = json.load(file)
if wanted is not None and wanted != bad.texts:
    place = next((i for i, (a, b) in enumerate(zip(wanted, bad.texts)) if a != b), min(len(wanted), len(bad.texts)))
    sys.exit("another text at %d of %d: %r, not %r" % (place, len(wanted), bad.texts[place:place + 1], wanted[place:place + 1]))
print(len(bad.shape), len(bad.texts))
