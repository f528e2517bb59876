"""Keras' callback in real, short trainings on TensorFlow; skipped where a package is missing."""

import os
import time
import unittest
import warnings

from test_integrations import Told, needs

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")


def fit(model, *callbacks, rows=16, **options):
    import numpy

    x, y = numpy.zeros((rows, 8), "float32"), numpy.zeros((rows, 1), "float32")
    return model.fit(x, y, verbose=0, callbacks=list(callbacks), **{"batch_size": 4, **options})


@needs("keras", "tensorflow")
class Keras(Told):
    def model(self, *, built=True):
        import keras

        layers = [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)]
        model = keras.Sequential([keras.Input((8,)), *layers] if built else layers)
        model.compile(optimizer="adam", loss="mse")
        return model

    def callback(self, **options):
        from memmodel.integrations.keras import MemoryCallback

        return MemoryCallback(log=self.lines.append, samples=self.folder / "runs.csv", **options)

    def when_told(self):
        """A callback that notes before which step the first line was there."""
        import keras

        lines = self.lines

        class Note(keras.callbacks.Callback):
            told = []

            def on_train_batch_end(self, batch, logs=None):
                self.told.append((batch, len(lines)))

        return Note()

    def test_a_training_has_its_prediction_and_its_row(self):
        callback, note = self.callback(budget="16GiB"), self.when_told()
        fit(self.model(), callback, note)
        self.check_told()
        self.assertEqual(note.told[:2], [(0, 2), (1, 3)])
        row = self.rows()[0]
        self.assertEqual((row["batch"], row["elements"]), ("4", "32"))
        self.assertEqual(int(row["predicted_bytes"]), callback.report.peak.process)
        # TensorFlow alone takes more than 200 MiB, and the step next to nothing: within a tenth of each other
        self.assertGreater(int(row["peak_bytes"]), 200 << 20)
        self.assertLess(abs(int(row["peak_bytes"]) / int(row["predicted_bytes"]) - 1), 0.1)

    def test_a_model_that_its_first_step_builds_is_predicted_before_the_second(self):
        note = self.when_told()
        fit(self.model(built=False), self.callback(budget="16GiB"), note)
        self.check_told()
        self.assertEqual(note.told[:2], [(0, 0), (1, 3)])

    def test_a_single_batch_has_the_rows_that_there_are(self):
        fit(self.model(), self.callback(budget="16GiB"), rows=3, batch_size=32)
        self.check_told()
        self.assertEqual(self.rows()[0]["batch"], "3")

    def test_batches_of_a_generator_are_known_where_the_callback_is_told(self):
        import numpy

        def batches():
            while True:
                yield numpy.zeros((5, 8), "float32"), numpy.zeros((5, 1), "float32")

        self.model().fit(
            batches(), steps_per_epoch=3, verbose=0, callbacks=[self.callback(budget="16GiB", batch_size=5)]
        )
        self.check_told()
        self.assertEqual(self.rows()[0]["batch"], "5")

    def test_an_error_of_its_own_is_one_warning_and_the_training_goes_on(self):
        from memmodel.integrations.keras import MemoryWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            history = fit(self.model(), self.callback(budget="16GiB", isa="6502"), epochs=3)
        told = [str(one.message) for one in caught if issubclass(one.category, MemoryWarning)]
        self.assertEqual(len(told), 1, told)
        self.assertIn("6502", told[0])
        self.assertEqual((len(history.history["loss"]), self.lines), (3, []))

    def test_a_step_is_watched_in_less_than_a_millisecond(self):
        callback = self.callback()
        fit(self.model(), callback)
        began = time.perf_counter()
        for step in range(1000):
            callback.on_train_batch_begin(step)
            callback.on_train_batch_end(step)
        self.assertLess((time.perf_counter() - began) / 1000, 1e-3)


if __name__ == "__main__":
    unittest.main()
