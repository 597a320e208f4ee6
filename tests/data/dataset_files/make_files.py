#!/usr/bin/env python3
"""Makes dataset files of every kind and the rows that Python reads from them (pyarrow 26.0.1, csv, json).

usage: make_files.py INTO

Writes the files and INTO/rows.json: {file: {"rows": [...], "lines": [line where each row begins]}}. What JSON lacks is
written as Tunebench has it: dates and decimals as str() gives them, times to the unit of their column, numbers that are
not finite as null, maps as objects.
"""
import csv
import datetime
import decimal
import gzip
import io
import json
import math
import pathlib
import sys

import pyarrow
import pyarrow.parquet

ROWS = [
    {"question": "안녕하세요?", "answer": "반갑습니다, 어서 오세요."},
    {"question": 'a "quoted" word', "answer": "two\nlines"},
    {"question": "semi;colon, comma\tand|pipe", "answer": ' "x", '},
    {"question": "", "answer": "2024-01-01"},
    {"question": "007", "answer": "1e5"},
    {"question": "lone\rreturn", "answer": "crlf\r\nend"},
]
CP949_ROWS = ROWS + [{"question": "똠방각하 펲시콜라", "answer": "韓國 ①"}]


def as_json(value):
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: as_json(item) for key, item in value}
        return [as_json(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="milliseconds")
    if isinstance(value, (datetime.date, decimal.Decimal)):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def every_type():
    chat = pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.large_string())]))
    columns = {
        "text": (pyarrow.string(), ['a "b" \\ \x01\t\n é 漢 😀', "", None, "x"]),
        "large": (pyarrow.large_string(), ["one", None, "three", ""]),
        "view": (pyarrow.string_view(), ["short", "a text that is longer than twelve bytes", None, ""]),
        "coded": (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["b", "a", "b", None]),
        "yes": (pyarrow.bool_(), [True, False, None, True]),
        "i8": (pyarrow.int8(), [-128, 127, None, 0]),
        "i16": (pyarrow.int16(), [-32768, 32767, None, 0]),
        "i32": (pyarrow.int32(), [-2**31, 2**31 - 1, None, 0]),
        "i64": (pyarrow.int64(), [-2**63, 2**63 - 1, None, 9007199254740993]),
        "u8": (pyarrow.uint8(), [255, 0, None, 1]),
        "u16": (pyarrow.uint16(), [65535, 0, None, 1]),
        "u32": (pyarrow.uint32(), [2**32 - 1, 0, None, 1]),
        "u64": (pyarrow.uint64(), [2**64 - 1, 0, None, 1]),
        "f16": (pyarrow.float16(), [0.5, -65504.0, None, 0.0999755859375]),
        "f32": (pyarrow.float32(), [0.1, math.inf, None, -0.0]),
        "f64": (pyarrow.float64(), [0.1, 1e300, math.nan, 5e-324]),
        "date": (pyarrow.date32(), [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), None, None]),
        "at": (pyarrow.timestamp("ms"), [datetime.datetime(2024, 2, 29, 12, 30, 1, 250000), None, None, None]),
        "money": (pyarrow.decimal128(12, 2), [decimal.Decimal("1234567890.12"), decimal.Decimal("-0.05"), None, None]),
        "messages": (chat, [[{"role": "user", "content": "hi"}, {"role": "assistant", "content": None}], [], None,
                            [None, {"role": None, "content": "x"}]]),
        "nested": (pyarrow.list_(pyarrow.list_(pyarrow.int32())), [[[1, 2], []], [None, [None]], None, []]),
        "pair": (pyarrow.list_(pyarrow.float32(), 2), [[1.5, 2.5], [0.0, -1.0], None, [3.0, 4.0]]),
        "struct": (pyarrow.struct([("a", pyarrow.int64()), ("b", pyarrow.struct([("c", pyarrow.string())]))]),
                   [{"a": 1, "b": {"c": "deep"}}, {"a": None, "b": None}, None, {"a": 2, "b": {"c": None}}]),
        "map": (pyarrow.map_(pyarrow.string(), pyarrow.int32()), [[("k", 1), ("l", None)], [("m", 2)], None, None]),
        "nothing": (pyarrow.null(), [None, None, None, None]),
    }
    return pyarrow.table({name: pyarrow.array(values, type) for name, (type, values) in columns.items()})


def many():
    """More rows than one batch of the reader has, in several row groups of several pages."""
    return pyarrow.table({"instruction": [f"Count to {i}." for i in range(1100)],
                          "output": [" ".join(map(str, range(i % 7))) or "none" for i in range(1100)],
                          "label": pyarrow.array([i % 3 for i in range(1100)], pyarrow.int64())})


class Files:
    def __init__(self, into):
        self.into = into
        self.expected = {}

    def write(self, name, content, rows, lines):
        (self.into / name).write_bytes(content)
        self.expected[name] = {"rows": as_json(rows), "lines": lines}

    def parquet(self, name, table, **options):
        out = io.BytesIO()
        pyarrow.parquet.write_table(table, out, **options)
        read = pyarrow.parquet.read_table(io.BytesIO(out.getvalue())).to_pylist()
        self.write(name, out.getvalue(), read, list(range(1, len(read) + 1)))

    def table(self, name, encoding="utf-8", head="", rows=ROWS, pack=lambda content: content, **dialect):
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), **dialect)
        writer.writeheader()
        writer.writerows(rows)
        reader = csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=dialect.get("delimiter", ","))
        header = next(reader)
        read, lines, before = [], [], reader.line_num
        for cells in reader:
            read.append(dict(zip(header, cells, strict=True)))
            lines.append(before + 1 + head.count("\n"))
            before = reader.line_num
        assert read == rows, name
        self.write(name, pack((head + text.getvalue()).encode(encoding)), read, lines)


def zstd(content):
    return pyarrow.Codec("zstd").compress(content, asbytes=True)


def in_parts(pack):
    return lambda content: pack(content[:100]) + pack(content[100:])


def write_tables(files):
    files.table("comma.csv")
    files.table("lf.csv", lineterminator="\n", quoting=csv.QUOTE_ALL)
    files.table("semicolon.csv", delimiter=";")
    files.table("pipe.csv", delimiter="|", quoting=csv.QUOTE_ALL)
    files.table("tab.tsv", delimiter="\t")
    files.table("named.csv", delimiter=";", head="sep=;\r\n")
    files.table("mark.CSV", encoding="utf-8-sig")
    files.table("utf16.csv", encoding="utf-16")
    files.table("utf16_big.csv", head="\ufeff", encoding="utf-16-be")
    files.table("utf16_no_mark.csv", encoding="utf-16-le")
    files.table("cp949.csv", encoding="cp949", rows=CP949_ROWS)
    files.table("parts.csv.gz", pack=in_parts(lambda part: gzip.compress(part, mtime=0)))
    files.table("parts.csv.zst", pack=in_parts(zstd))
    files.table("korean.csv.gz", encoding="cp949", pack=lambda part: gzip.compress(part, mtime=0))


def write_json(files):
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    text = "\n".join(lines).encode()
    numbers = list(range(1, len(ROWS) + 1))
    files.write("rows.jsonl", text, ROWS, numbers)
    files.write("rows.jsonl.gz", gzip.compress(text, mtime=0), ROWS, numbers)
    files.write("rows.json.zst", zstd(text), ROWS, numbers)
    files.write("utf16.jsonl", "\n".join(lines).encode("utf-16"), ROWS, numbers)
    files.write("cp949.json", "\n".join(lines).encode("cp949"), ROWS, numbers)
    printed = json.dumps(ROWS, ensure_ascii=False, indent=1)
    files.write("list.json", printed.encode(), ROWS, [2 + 4 * i for i in range(len(ROWS))])
    files.write("one.json", json.dumps(ROWS[0], ensure_ascii=False, indent=2).encode(), ROWS[:1], [1])
    prose = "첫째 줄\r\n\r\n  second line, indented\n\t\nlast \"line\""
    read = [{"text": "첫째 줄"}, {"text": "  second line, indented"}, {"text": 'last "line"'}]
    files.write("prose.txt", prose.encode(), read, [1, 3, 5])
    files.write("prose_cp949.txt.zst", zstd(prose.encode("cp949")), read, [1, 3, 5])


def main():
    into = pathlib.Path(sys.argv[1])
    files = Files(into)
    files.parquet("types.parquet", every_type(), row_group_size=3, compression="zstd")
    for codec in ("none", "snappy", "gzip", "brotli", "lz4"):
        files.parquet(f"{codec}.parquet", pyarrow.Table.from_pylist(ROWS), compression=codec)
    files.parquet("many.parquet", many(), row_group_size=700, compression="zstd", data_page_size=1024)
    content = (into / "none.parquet").read_bytes()
    files.write("none.parquet.gz", gzip.compress(content, mtime=0), ROWS, list(range(1, len(ROWS) + 1)))
    pyarrow.parquet.write_table(pyarrow.table({"text": ["a"], "image": [b"\xff\xd8"]}), into / "bytes.parquet.refused")
    write_tables(files)
    write_json(files)
    (into / "rows.json").write_text(json.dumps(files.expected, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
