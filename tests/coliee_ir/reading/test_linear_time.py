"""No file takes longer than its size explains: readers, sniffers and the validator, on what is made to be slow."""

import contextlib
import gc
import time

import pytest

from coliee_adapters.errors import ColieeError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect
from coliee_adapters.records import Run
from coliee_ir.commands.validate import validate
from coliee_ir.reading.anything import read_gold, read_queries, read_run
from coliee_ir.reading.tasks import find_task


def statute(text):
    return f'<dataset><pair id="H18-1-1" label="Y"><t1>{text}</t1></pair></dataset>'


def nested(root, element, n):
    tag = element[1:].partition(" ")[0]
    elements = [element.format(at) for at in range(n // (len(element) + len(tag) + 3))]
    return f"<{root}>{''.join(elements)}{f'</{tag}>' * len(elements)}</{root}>"


def case_law(text):
    return f"<COLIEE task='1'><instance id='1'><cases_noticed>{text}</cases_noticed></instance></COLIEE>"


#: shape → the file of a size; each has repeated what some pattern may try again and again
SHAPES = {
    "blanks before a word": lambda n: "001" + " " * n + "1 T\n",
    "blanks before a word in the second line": lambda n: "R07-01-O Y T\nR07-02-O" + " " * n + "Y T\n",
    "blanks behind a comma": lambda n: "001," + " " * n + "x y\n",
    "blanks at the end": lambda n: "001 002 T" + " " * n + "\n001 003 T\n",
    "commas": lambda n: "001 002 T\n" + "," * n + "\n",
    "semicolons and blanks": lambda n: "001 002 T\n" + "; " * (n // 2) + "\n",
    "quotes": lambda n: "001,002,T\n" + '"' * n + "\n",
    "carriage returns": lambda n: "001 002 T\n001 003" + "\r" * n + "x T\n",
    "carriage returns and newlines": lambda n: "001 002 T\n" + "\r\r\n" * (n // 3) + "001 003 T\n",
    "comments in a line": lambda n: "/**/" * (n // 4) + "001 002 T\n",
    "comments in the second line": lambda n: "001 002 T\n" + "/**/" * (n // 4) + "001 003 T\n",
    "stars": lambda n: "001 002 T\n/*" + "*" * n + "\n*/001 003 T\n",
    "byte order marks within": lambda n: "001 002 T\n001 003" + "\ufeff" * (n // 3) + " T\n",
    "a long number": lambda n: "001 Q0 002 1 1.5 T\n001 Q0 003 2 " + "9" * n + " T\n",
    "numbers and hyphens": lambda n: "R07-01-O 1-1 T\nR07-01-O " + "1-" * (n // 2) + "x T\n",
    "dots": lambda n: "001 002 T\n001 " + ".a" * (n // 2) + " T\n",
    "empty lines": lambda n: "001 002 T\n" + "\n" * n + "001 003 T\n",
    "open brackets": lambda n: "[" * n,
    "blanks behind a bracket in JSON": lambda n: '{"001": [' + " " * n + "x}",
    "escapes behind what is not a number": lambda n: '[NaNx "' + '\\"' * (n // 2),
    "a key twice before escapes": lambda n: '{"001": {"a": 1, "a": 2}, "' + '\\"' * (n // 2),
    "many members": lambda n: "{" + ", ".join(f'"{i}": ["{i}"]' for i in range(n // 16)) + "}",
    "a member twice": lambda n: "{" + '"001" ' * (n // 6) + '"001": ["2"], "001.txt": ["3"]}',
    "nested pairs": lambda n: nested("dataset", '<pair id="H18-1-{}" label="Y">', n),
    "nested t1": lambda n: statute("<t1>a" * (n // 10) + "</t1>" * (n // 10)),
    "nested instances": lambda n: nested("COLIEE", "<instance id='{}'>", n),
    "nested lists": lambda n: case_law("<cases_noticed>1" * (n // 32) + "</cases_noticed>" * (n // 32)),
    "tags that open": lambda n: "<pair" * (n // 5),
    "attributes": lambda n: "<dataset><pair " + " ".join(f'a{i}="1"' for i in range(n // 10)) + "/></dataset>",
    "articles in XML": lambda n: statute("Article 1" * (n // 9)),
    "article numbers in XML": lambda n: statute("Article 1" + "-1" * (n // 2)),
    "answers in a text": lambda n: "R07-01-O " + "Answer: Yes, Answer: Yes. " * (n // 26) + "\n",
    "tags around answers": lambda n: "R07-01-O " + "<answer>" * (n // 8) + "\n",
    "blanks before an answer": lambda n: "R07-01-O " + ("the answer is" + " " * 500) * (n // 513) + "\n",
    "brackets in XML": lambda n: statute("Article 1" + "(1) " * (n // 4) + "a"),
}  # fmt: skip


def _sniff(path):
    head = Source(path).head()
    return [form.sniff(head) for form in (*detect.known_forms("gold"), *detect.known_forms("run"))]


def _read(path):
    for form in detect.known_forms("run"):
        if form.name != "parquet":  # which a process of its own reads
            _tried(detect.read_run, Source(path), form=form.name)
    for task in (None, "4"):
        _tried(read_run, path, task=task)


def _gold(path):
    for form in detect.known_forms("gold"):
        _tried(detect.read_gold, Source(path), form=form.name)
    _tried(read_queries, path)
    _tried(find_task, read_gold({"R07-01-O": "Y"}), path)


def _validate(path):
    for task in (None, "1", "tort"):
        _tried(validate, path, task=task)


def _tried(act, *given, **options):
    with contextlib.suppress(ColieeError):
        record = act(*given, **options)
        if isinstance(record, Run):
            list(record.blocks())


@pytest.mark.parametrize("size", [2_000, pytest.param(16_000, marks=pytest.mark.explore)])  # 64 KiB are sniffed
@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_as_much_takes_nowhere_near_sixteen_times_as_long(tmp_path, shape, size):
    path = tmp_path / "run.txt"

    def took(act, size):
        """Processor time, without the pauses of the garbage collector."""
        path.write_text(SHAPES[shape](size), encoding="utf-8", newline="")
        gc.disable()
        try:
            start = time.process_time()
            act(str(path))
            return time.process_time() - start
        finally:
            gc.enable()

    def growth(act):
        longer = took(act, 4 * size)
        return longer / max(took(act, size), 0.003) if longer > 0.02 else 0  # what is over in no time is not measured

    for act in (_sniff, _read, _gold, _validate):
        assert growth(act) < 9 or min(growth(act) for _ in range(3)) < 9, act.__name__
