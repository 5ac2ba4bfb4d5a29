"""A maintainer reads src in an hour: files that call one way, one name for one thing, structs that fit a screen."""
import re
from pathlib import Path

from tests.fuzz import test_fuzz
from tests.sim import variant_list
from upstream import sources

SRC = Path(__file__).resolve().parents[2] / "src"
SOURCES = sorted(SRC.rglob("*.[ch]"))
LARGEST = {"lw_device": 23}     # ten of them are the lines that each I/O reads
MOST_FIELDS = 20
MOST_IN_A_STATE = 6
MOST_REPEATED = 60              # there were 233

PROTOTYPE = re.compile(r"^(?!\s|#)[\w\s*]*?\blw_\w+\([^;{}]*?\);", re.MULTILINE)
FUNCTION = re.compile(r"^(?!\s|#|typedef)([\w\s*]*?)\b(lw_\w+)\([^;{}]*?\)\s*\{", re.MULTILINE)
STRUCT = re.compile(r"^struct (lw_\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"\b(?:struct|enum|union)\s+(lw_\w+)\s*\{")


def code(path):
    """Without comments and texts."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\n])*"', '""', text)


def calls(texts):
    """{file: files of which it uses a function}; a file's own static functions are nobody else's."""
    homes = {name: path for path, text in texts.items() for kind, name in FUNCTION.findall(text)
             if path.suffix == ".h" or not re.search(r"\bstatic\b", kind)}
    found = {}
    for path, text in texts.items():
        used = set(re.findall(r"\blw_\w+\b", PROTOTYPE.sub("", text)))
        found[path] = {homes[name] for name in used if name in homes} - {path}
    return found


def circles(graph):
    """Files that can be reached from themselves."""
    def reached(start):
        seen, todo = set(), list(graph[start])
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo.extend(graph[path])
        return seen
    return {path for path in graph if path in reached(path)}


def test_no_file_calls_itself_through_others():
    graph = calls({path: code(path) for path in SOURCES})
    assert sum(map(len, graph.values())) > 100
    assert {str(path.relative_to(SRC)) for path in circles(graph)} == set()


def test_a_circle_would_be_found():
    a, b = Path("a.c"), Path("b.c")
    texts = {a: "int lw_a(void)\n{\n\tlw_b();\n}\n", b: "int lw_a(void);\nint lw_b(void)\n{\n\tlw_a();\n}\n"}
    assert circles(calls(texts)) == {a, b}


def test_no_name_is_both_of_a_struct_and_of_a_function():
    texts = [code(path) for path in SOURCES]
    tags = {tag for text in texts for tag in TAG.findall(text)}
    functions = {name for text in texts for _, name in FUNCTION.findall(text)}
    assert len(tags) > 50 and len(functions) > 300
    assert tags & functions == set()


def test_structs_are_small():
    fields = {name: body.count(";") for path in SOURCES for name, body in STRUCT.findall(code(path))}
    assert len(fields) > 50 and fields["lw_path_state"] <= MOST_IN_A_STATE
    assert {name: count for name, count in fields.items() if count > LARGEST.get(name, MOST_FIELDS)} == {}


def test_few_texts_of_the_sources_stand_elsewhere():
    """Each would have to follow when its line changes: the series for the kernel's tree, variants and planted bugs
    name what they change, and repeat a text only where there is no name."""
    repeated = [*sources.TEXTS.values(), *variant_list.TEXTS.values(), *test_fuzz.TEXTS.values()]
    assert sum(map(len, repeated)) <= MOST_REPEATED
