"""Exported files compute what the library computes: C and Python bit for bit, SQL and LaTeX nearly."""

import itertools
import math
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import memmodel
from memmodel import _ffi

POINTS = 10_000
HARD = (
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 8.0, 16.0, 27.0, 1 / 3, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-310,
    2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 1e300, 1e-300, 4503599627370496.0,
    4503599627370495.5, 9007199254740993.0, 1 - 2**-53, 1 + 2**-52, 0.7071067811865475, 0.7071067811865476, -2.5,
)  # fmt: skip

# Every operation that a formula may have; each with a scale that makes it about as large as the others.
FORMULAS = (
    {"dim*log(dim)*sqrt(batch)": 1, "batch/dim": 700, "floor(dim/16)*batch + 3*dim": 1, "max(dim, 20*batch)": 2},
    {"dim^(1/3)": 50, "dim^(7/5)*batch": 0.05, "dim^(5/4)*batch^(2/3)": 0.4, "min(dim, 9*batch)^(3/2)": 0.3},
    {"equal(dim, 32)*batch": 100, "1/(dim + batch)^2": 1e5, "dim^2*batch": 0.01, "log(dim + batch^2)^2/sqrt(batch)": 9},
    {"exp(dim/40)*batch": 1, "tanh(batch/9)*dim": 5, "cos(dim*batch) + 2": 60, "sin(dim/7)*batch + 16": 9},
    {"(dim + 3*batch)^(3/4)": 3, "dim^11": 1e-17, "(batch + 1)^(-1/3)": 70, "dim^(-3/10)": 100},
)

MAIN = """
#include "predict.h"
#include <stdio.h>

int main(void)
{
    double point[2], value;

    while (fread(point, sizeof point, 1, stdin) == 1) {
        value = predict_y(point[0], point[1]);
        fwrite(&value, sizeof value, 1, stdout);
    }
    return 0;
}
"""


def model_of(formula):
    """A model with all these terms: fitted to a table that they make."""
    table = {"dim": [], "batch": [], "y": []}
    names = {
        "log": math.log,
        "sqrt": math.sqrt,
        "floor": math.floor,
        "max": max,
        "min": min,
        "equal": lambda a, b: a == b,
        **{name: getattr(math, name) for name in ("exp", "tanh", "sin", "cos")},
    }
    for dim, batch in itertools.product((16.0, 24.0, 32.0, 57.0, 96.0, 128.0), (1.0, 2.0, 3.0, 5.0, 8.0, 16.0)):
        values = (scale * eval(term.replace("^", "**"), {**names, "dim": dim, "batch": batch})
                  for term, scale in formula.items())  # fmt: skip
        table["dim"].append(dim)
        table["batch"].append(batch)
        table["y"].append(10 + sum(values))
    return memmodel.fit(table, "y", ["dim", "batch"], terms=list(formula), basis="user", max_terms=4)


def model_with_limits():
    """Of a general quantity: a square and an offset, inputs moved into the domain, and the value into its limits."""
    generator = random.Random(2)
    table = {"dim": [], "batch": [], "y": []}
    for _ in range(60):
        dim, batch = generator.uniform(16, 128), generator.uniform(1, 16)
        table["dim"].append(dim)
        table["batch"].append(batch)
        table["y"].append((3 + dim * 0.1 + math.sqrt(batch)) ** 2 * (1 + 0.01 * generator.random()) - 20)
    return memmodel.fit(table, "y", ["dim", "batch"], basis="general")


SEARCHED = (
    lambda dim, batch: 3 * dim * math.tanh(batch / 4) / (dim + 20.5),
    lambda dim, batch: 5 * batch * math.exp(-dim / 60) + 2 * math.cos(batch),
    lambda dim, batch: dim * batch / (math.sqrt(batch) + 0.37) + min(dim, 9 * batch),
)


def searched_model(law):
    """Of trees with numbers in them, found by a short search."""
    generator = random.Random(3)
    rows = [(generator.uniform(16, 128), generator.uniform(1, 16)) for _ in range(60)]
    table = {"dim": [dim for dim, _ in rows], "batch": [batch for _, batch in rows], "y": [law(*row) for row in rows]}
    return memmodel.fit(table, "y", ["dim", "batch"], loss="squared", search=True, max_evaluations=250_000)


def points(count):
    """A part as in the training data, a part of any bits, a part of hard numbers."""
    generator = random.Random(1)
    for _ in range(count // 3):
        yield generator.uniform(16, 200), generator.uniform(1, 64)
        yield struct.unpack("2d", generator.randbytes(16))
        yield generator.choice(HARD), generator.choice((*HARD, generator.uniform(1, 64)))


def bits(value):
    return b"nan" if math.isnan(value) else struct.pack("d", value)


def describe(model, point):
    return f"{model.formula()} at dim {point[0].hex()}, batch {point[1].hex()}"


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.models = [*(model_of(formula) for formula in FORMULAS), *map(searched_model, SEARCHED), model_with_limits()]
        cls.points = list(points(POINTS))
        cls.values = [[_ffi.model_evaluate(model._handle, point) for point in cls.points] for model in cls.models]

    def assert_same_bits(self, model, values, expected):
        self.assertEqual(len(values), len(expected))
        for point, value, wanted in zip(self.points, values, expected):
            if bits(value) != bits(wanted):
                self.fail(f"{value.hex()}, not {wanted.hex()}: {describe(model, point)}")

    def test_the_formulas_have_every_term(self):
        for model, formula in zip(self.models, FORMULAS):
            self.assertGreaterEqual(model.scores.term_count, len(formula), model.formula())
        self.assertIsNotNone(self.models[-1].output_range)
        for model in self.models[len(FORMULAS) : -1]:
            self.assertGreater(model.scores.r2, 0.999, model.formula())

    def run_c(self, header, *compile_with):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "predict.h").write_text(header)
            Path(folder, "main.c").write_text(MAIN)
            subprocess.run([*compile_with, "-o", "main", "main.c", "-lm"], cwd=folder, check=True)
            numbers = b"".join(struct.pack("2d", *point) for point in self.points)
            output = subprocess.run([f"{folder}/main"], input=numbers, capture_output=True, check=True).stdout
        return [value for (value,) in struct.iter_unpack("d", output)]

    def test_c_has_the_same_bits_however_it_is_compiled(self):
        strict = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
        for compiler, options in itertools.product(("gcc", "clang"), (("-O0",), ("-O3", "-march=native"))):
            if not shutil.which(compiler):
                continue
            for model, expected in zip(self.models, self.values):
                with self.subTest(compiler=compiler, options=options):
                    values = self.run_c(model.to_code("c"), compiler, *strict, *options)
                    self.assert_same_bits(model, values, expected)

    def test_two_headers_can_be_included_together(self):
        header = self.models[0].to_code("c") + self.models[1].to_code("c").replace("predict_y", "predict_z")
        self.assert_same_bits(self.models[0], self.run_c(header, "cc", "-std=c99", "-Wall", "-Werror"), self.values[0])

    def test_python_has_the_same_bits(self):
        for model, expected in zip(self.models, self.values):
            module = {}
            exec(model.to_code("python"), module)
            self.assert_same_bits(model, [module["predict_y"](*point) for point in self.points], expected)

    def test_json_is_the_same_model(self):
        for model, expected in zip(self.models, self.values):
            copy = memmodel.Model.from_json(model.to_json())
            self.assert_same_bits(model, [_ffi.model_evaluate(copy._handle, point) for point in self.points], expected)

    def assert_near(self, model, point, value, wanted, rounding=0.0):
        if not math.isclose(value, wanted, rel_tol=1e-13, abs_tol=rounding):
            self.fail(f"{value!r}, not {wanted!r}: {describe(model, point)}")

    def test_sql_has_the_same_values_but_for_the_last_digits(self):
        """Databases read decimals and compute logarithms and powers their own way, and have NULL for NaN."""
        base = sqlite3.connect(":memory:")
        try:
            base.execute("SELECT ln(2), power(2, 0.5), floor(2.5)")
        except sqlite3.OperationalError:
            self.skipTest("this SQLite has no mathematical functions")
        base.execute("CREATE TABLE runs (dim REAL, batch REAL)")
        base.executemany("INSERT INTO runs VALUES (?, ?)", self.points)
        for model, expected in zip(self.models, self.values):
            rows = base.execute(f"SELECT {model.to_code('sql')} FROM runs").fetchall()
            for point, (value,), wanted in zip(self.points, rows, expected):
                if all(1e-280 < number < 1e18 for number in point) and 1e-280 < abs(wanted) < 1e280:
                    self.assert_near(model, point, value, wanted)
                elif value is None:
                    self.assertFalse(math.isfinite(wanted) and min(point) > 0, describe(model, point))

    def test_latex_reads_back_as_the_same_values(self):
        """Where the formula is a moderate number. What is printed for a paper does not show limits."""
        for model, expected in zip(self.models[:-1], self.values):
            program = compile(python_of_latex(model.to_code("latex")), "latex", "eval")
            for point, wanted in zip(self.points, expected):
                if all(1e-10 < number < 1e10 for number in point) and math.isfinite(wanted):
                    names = {"dim": point[0], "batch": point[1], "math": math, "max": max, "min": min}
                    # where terms cancel, the last bits of their functions are left
                    self.assert_near(model, point, eval(program, names), wanted, rounding=1e-14)


# ---- a reader of the LaTeX that is exported ----

TOKEN = re.compile(
    r"\s*(\\left\\lfloor|\\right\\rfloor|\\left\(|\\right\)|\\left\[|\\right\]|\\mathrm\{(?:[^}\\]|\\_)*\}|\\[a-z]+|\\,"
    r"|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[A-Za-z]|.)"
)


ENDS_OF_PRODUCTS = {"end", "+", "-", "=", ",", "/", "}", ")", r"\right)", r"\right]", r"\right\rfloor"}


class LatexReader:
    """Python of a formula: sums of products, whose factors stand side by side."""

    def __init__(self, text):
        self.tokens = [token for token in TOKEN.findall(text.strip()) if token != r"\,"] + ["end"]

    def accept(self, *tokens):
        return self.tokens.pop(0) if self.tokens[0] in tokens else None

    def expect(self, token):
        if not self.accept(token):
            raise ValueError(f"{token} expected, not {self.tokens[0]}")

    def group(self):
        self.expect("{")
        value = self.sum()
        self.expect("}")
        return value

    def sum(self):
        value = f"-{self.product()}" if self.accept("-") else self.product()
        while sign := self.accept("+", "-"):
            value += f" {sign} {self.product()}"
        return f"({value})"

    def product(self):
        value = self.power()
        while self.tokens[0] not in ENDS_OF_PRODUCTS:
            self.accept(r"\cdot")
            value += f" * {self.power()}"
        return value

    def power(self):
        value = self.atom()
        if not self.accept("^"):
            return value
        self.expect("{")
        exponent = self.sum()
        if self.accept("/"):
            exponent += f" / {self.sum()}"
        self.expect("}")
        return f"{value} ** ({exponent})"

    def pair(self, between, last):
        first = self.sum()
        self.expect(between)
        second = self.sum()
        self.expect(last)
        return first, second

    def atom(self):
        token = self.tokens.pop(0)
        if token == r"\frac":
            return f"({self.group()} / {self.group()})"
        if token == r"\sqrt":
            return f"math.sqrt({self.group()})"
        if token in {r"\max", r"\min"}:
            return self.extreme(token[1:])
        if token in {r"\ln", r"\exp", r"\sin", r"\cos", r"\tanh"}:
            self.expect(r"\left(")
            return ("math.log" if token == r"\ln" else f"math.{token[1:]}") + self.closed(self.sum(), r"\right)")
        if token in {"(", r"\left("}:
            return self.closed(self.sum(), ")" if token == "(" else r"\right)")
        if token == r"\left\lfloor":
            return "math.floor" + self.closed(self.sum(), r"\right\rfloor")
        if token == r"\left[":
            first, second = self.pair("=", r"\right]")
            return f"float({first} == {second})"
        if token.startswith(r"\mathrm{"):
            return token[len(r"\mathrm{") : -1].replace(r"\_", "_")
        return str(float(token)) if token[0].isdigit() else token

    def extreme(self, name):
        self.expect(r"\left(")
        first, second = self.pair(",", r"\right)")
        return f"{name}({first}, {second})"

    def closed(self, value, last):
        self.expect(last)
        return value


def python_of_latex(text):
    reader = LatexReader(text)
    value = reader.sum()
    reader.expect("end")
    return value


if __name__ == "__main__":
    unittest.main()
