"""What a job needs, and what fits: the numbers that the C tests and the documentation hold, from Python."""

import inspect
import json
import unittest

import memmodel
import networks


class Textbook(unittest.TestCase):
    def test_the_unet_has_its_parameters_and_its_formula(self):
        report = memmodel.estimate(networks.unet3d(), framework="textbook", textbook_rule="outputs", batch=1, dim=144)
        self.assertEqual(report.total.parameter_count, 5_650_801)
        self.assertEqual(report.formulas["layer outputs"], "1291.125*batch*dim^3")
        self.assertEqual(report.formula("layer outputs", "python"), "1291.125*batch*dim*dim*dim")
        self.assertEqual(report.assumptions, "dim is a multiple of 16")
        # 1291.125 * 144^3 bytes and 4 bytes a parameter
        self.assertEqual(report.peak.live, 1291125 * 144**3 // 1000 + 4 * 5_650_801)
        self.assertIsNone(report.peak.process)

    def test_a_size_that_cannot_be_halved_four_times_is_refused_with_the_layer(self):
        with self.assertRaises(memmodel.ShapeError) as caught:
            memmodel.estimate(networks.unet3d(), batch=1, dim=200)
        self.assertEqual(caught.exception.object, "decoder.3.concat_1")
        self.assertIn("has 25, but", caught.exception.message)

    def test_the_classifier_has_its_table(self):
        # test/golden/cnn50.md has the arithmetic.
        report = memmodel.estimate(networks.classifier(), framework="textbook", textbook_rule="cs231n", batch=64)
        parameters = [layer.parameter_count for layer in report.layers]
        self.assertEqual(parameters, [0, 896, 0, 18_496, 0, 0, 4_608_500, 5_010])
        self.assertEqual(report.total.parameter_count, 4_632_902)
        self.assertEqual(report.total.activation_count, 64 * 149_726)
        self.assertEqual(report.total.multiply_adds, 64 * 18_293_000)
        self.assertEqual(report.peak.live, 4 * (2 * 149_726 * 64 + 3 * 4_632_902 + 7_500 * 64))


class WhatIf(unittest.TestCase):
    def test_a_change_is_the_estimate_of_the_changed_job(self):
        net = networks.classifier()
        report = memmodel.estimate(net, batch=8, isa="avx2")
        changes = {change.name: change for change in report.what_if}
        for name, job in (("batch 4", {"batch": 4}), ("optimizer sgd", {"batch": 8, "optimizer": "sgd"})):
            peak = memmodel.estimate(net, isa="avx2", **job).peak
            self.assertEqual(changes[name].live, peak.live)
            self.assertEqual(changes[name].saving, report.peak.process - peak.process)
        self.assertEqual(report.metric, "process")
        self.assertEqual(memmodel.what_if(net, batch=8, isa="avx2"), report.what_if)

    def test_the_textbook_has_no_process(self):
        changes = memmodel.what_if(networks.classifier(), framework="textbook", batch=8)
        self.assertTrue(changes)
        self.assertEqual({change.process for change in changes}, {None})
        self.assertEqual(memmodel.estimate(networks.classifier(), framework="textbook", batch=8).metric, "live")

    def test_savings_are_of_the_metric_that_is_asked_for(self):
        report = memmodel.estimate(networks.classifier(), metric="live", batch=8)
        self.assertEqual(report.metric, "live")
        self.assertEqual({change.saving + change.live for change in report.what_if}, {report.peak.live})


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = memmodel.estimate(networks.classifier(), batch=8, isa="avx2", steps=2)

    def test_a_page_is_one_file_with_the_report(self):
        page = self.report.to_html()
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        self.assertEqual(data["peak"][0], self.report.peak.live)
        self.assertEqual([change[0] for change in data["changes"]], [change.name for change in self.report.what_if])
        self.assertNotIn("http", page)

    def test_a_trace_for_perfetto_counts_every_event(self):
        events = json.loads(self.report.trace.to_perfetto())["traceEvents"]
        live = [event["args"]["bytes"] for event in events if event["ph"] == "C" and event["name"] == "live"]
        self.assertEqual(live, self.report.trace.live)


class Simulation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = networks.classifier()
        cls.report = memmodel.estimate(cls.net, batch=8, isa="avx2", steps=2)

    def test_the_categories_sum_up_to_the_peak(self):
        categories = self.report.categories
        self.assertEqual(len(categories), 10)
        self.assertEqual(categories["parameters"], 4 * 4_632_902)
        overhead = categories["allocator overhead"] + categories["runtime"]
        self.assertEqual(sum(categories.values()) - overhead, self.report.peak.live)

    def test_the_trace_reaches_the_peak(self):
        trace = self.report.trace
        self.assertEqual(max(event.live for event in trace), self.report.peak.live)
        self.assertEqual(max(trace.live), self.report.peak.live)
        self.assertEqual(trace[-1], list(trace)[-1])
        with self.assertRaises(IndexError):
            trace[len(trace)]

    def test_a_trace_alone_has_the_same_peaks(self):
        report = self.report.trace.estimate(budget="1GiB")
        self.assertEqual(report.peak, self.report.peak)
        self.assertEqual(report.step_peaks, self.report.step_peaks)
        self.assertEqual(report.categories, self.report.categories)
        self.assertEqual(report.total.peak_bytes, self.report.total.peak_bytes)
        self.assertEqual((report.verdict, report.formulas, report.trace[0].line), ("fits", {}, ""))
        with self.assertRaises(memmodel.UnsupportedError):
            self.report.trace.estimate(framework="textbook")

    def test_each_step_has_its_peak(self):
        self.assertEqual(len(self.report.step_peaks), 2)
        self.assertEqual(max(self.report.step_peaks), self.report.peak.live)
        self.assertIn("step", self.report.peak_location)

    def test_the_peak_of_the_process_is_there_where_it_is_modelled(self):
        network = networks.classifier()
        known = memmodel.estimate(network, batch=1, framework="tensorflow", isa="avx2", base_bytes=10**9)
        more = memmodel.estimate(network, batch=1, framework="tensorflow", isa="avx2", base_bytes=10**9 + 1000)
        self.assertEqual(known.process_peak, known.peak.process)
        self.assertEqual(more.process_peak, known.process_peak + 1000)
        self.assertIsNone(memmodel.estimate(network, batch=1, framework="textbook").process_peak)

    def test_a_report_outlives_its_network(self):
        report = memmodel.estimate(networks.classifier(), batch=1)
        trace = report.trace
        del report
        self.assertEqual(trace[0].step, 0)

    def test_json_says_the_same(self):
        self.assertEqual(json.loads(self.report.to_json())["peak"]["live"], self.report.peak.live)

    def test_frames_have_a_row_a_layer_and_an_event(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas")
        frame = self.report.to_frame()
        self.assertEqual(len(frame), len(self.report.layers))
        self.assertEqual(int(frame["parameter_count"].sum()), self.report.total.parameter_count)
        self.assertEqual(len(self.report.trace.to_frame()), len(self.report.trace))

    def test_unmodelled_operators_are_listed(self):
        self.assertEqual(self.report.unmodelled, [])

    def test_the_maximum_is_the_last_that_fits(self):
        budget = "200MiB"
        largest = memmodel.estimate_max(self.net, "batch", budget, isa="avx2", metric="reserved")
        self.assertLessEqual(memmodel.estimate(self.net, batch=largest, isa="avx2").peak.reserved, 200 << 20)
        self.assertGreater(memmodel.estimate(self.net, batch=largest + 1, isa="avx2").peak.reserved, 200 << 20)
        self.assertEqual(memmodel.estimate_max(self.net, "batch", 1), 0)

    def test_a_budget_limits_the_process_unless_given_a_metric(self):
        for job in ({}, {"gpu": "a100"}):
            largest = memmodel.estimate_max(self.net, "batch", "1GiB", **job)
            self.assertLessEqual(memmodel.estimate(self.net, batch=largest, **job).peak.process, 1 << 30)
            self.assertGreater(memmodel.estimate(self.net, batch=largest + 1, **job).peak.process, 1 << 30)
            self.assertGreater(memmodel.estimate_max(self.net, "batch", "1GiB", metric="live", **job), largest)

    def test_a_gpu_is_named_by_its_kind(self):
        by_kind = memmodel.estimate(self.net, batch=2, gpu="h100")
        self.assertEqual(by_kind.peak, memmodel.estimate(self.net, batch=2, gpu="h100", device="cuda").peak)
        self.assertFalse(by_kind.validated)
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "which GPU.*h200"):
            memmodel.estimate(self.net, batch=2, device="cuda")
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "h100 is a GPU"):
            memmodel.estimate(self.net, batch=2, gpu="h100", device="cpu")

    def test_many_values_are_as_many_estimates(self):
        found = memmodel.estimate_many(self.net, "batch", range(1, 5), isa="avx2", optimizer="sgd")
        for batch, row in enumerate(found, 1):
            report = memmodel.estimate(self.net, isa="avx2", optimizer="sgd", batch=batch)
            self.assertEqual(row, (report.peak.process, report.interval, None))
        job = {"optimizer": "sgd", "gpu": "h100", "metric": "reserved"}
        job["budget"] = memmodel.estimate_many(self.net, "batch", [1024], **job)[0].interval[0]
        found = memmodel.estimate_many(self.net, "batch", [1, 1024, 4096], **job)
        self.assertEqual([row.verdict for row in found], ["fits", "uncertain", "exceeds"])
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "value 1 is 0"):
            memmodel.estimate_many(self.net, "batch", [4, 0])

    def test_errors_are_of_the_question(self):
        for error, sizes in (
            (memmodel.UnboundError, {}),
            (memmodel.NotFoundError, {"batch": 1, "bach": 1}),
            (memmodel.UnsupportedError, {"batch": 1, "framework": "abacus"}),
            (memmodel.MemmodelError, {"batch": 0}),
            (memmodel.MemmodelOverflowError, {"batch": 2**62}),
        ):
            with self.assertRaises(error):
                memmodel.estimate(self.net, **sizes)

    def test_every_field_of_a_job_is_an_argument(self):
        fields = {name for name, *_ in memmodel.ffi.Job._fields_} - {"size", "symbol_count", "parallel", "reserved"}
        fields |= {name for name, *_ in memmodel.ffi.Parallel._fields_} - {"size", "reserved"}
        self.assertEqual(fields - set(inspect.signature(memmodel.estimate).parameters), set())
        for field in fields - {"symbols", "budget"}:  # the others hand them on
            for ask in (memmodel.estimate_max, memmodel.optimize, memmodel.recompute, memmodel.estimate_many):
                words = {memmodel.estimate_max: ("batch", 1), memmodel.estimate_many: ("batch", [1])}.get(ask, (1,))
                with self.subTest(field=field), self.assertRaisesRegex((TypeError, ValueError), f"^{field}: "):
                    ask(self.net, *words, **{field: object()})

    def test_modules_are_the_largest_first_and_add_up_to_the_peak(self):
        for depth in (0, 1, 2):
            rows = self.report.by_module(depth)
            self.assertEqual(sum(row.peak_bytes for row in rows), self.report.peak.live)
            self.assertEqual(rows, sorted(rows, key=lambda row: -row.peak_bytes))
        self.assertEqual(sum(row.parameter_count for row in rows), self.report.total.parameter_count)
        with self.assertRaisesRegex(ValueError, "depth"):
            self.report.by_module(-1)

    def test_all_gpus_are_asked_at_once(self):
        rows = {row.gpu: row for row in memmodel.gpus(networks.unet3d(8, 2), batch=2, dim=16)}
        one = memmodel.estimate(networks.unet3d(8, 2), batch=2, dim=16, gpu="h100")
        self.assertEqual((rows["h100"].peak, rows["h100"].interval), (one.peak.process, one.interval))
        self.assertEqual((rows["h100"].verdict, rows["h100"].gpu_count, rows["h100"].price), ("fits", 1, None))
        self.assertGreater(rows["h200"].max, rows["h100"].max)
        self.assertIsNone(memmodel.gpus(networks.unet3d(8, 2), batch=2, dim=16, max=None)[0].max)

    def test_a_budget_makes_a_verdict(self):
        self.assertEqual((self.report.verdict, self.report.headroom, self.report.budget), (None, None, None))
        live = self.report.peak.live
        for budget, verdict in ((live, "fits"), (live - 1, "exceeds"), ("1GiB", "fits")):
            report = memmodel.estimate(self.net, batch=8, isa="avx2", steps=2, budget=budget, metric="live")
            self.assertEqual((report.verdict, report.headroom), (verdict, report.budget - live))
            self.assertIn({"fits": "fits with", "exceeds": "does not fit"}[verdict], report.summary)
            self.assertEqual(report.summary, json.loads(report.to_json())["summary"])
            self.assertIn(report.summary, report.to_html())
        self.assertEqual((self.report.summary, self.report.max_batch, self.report.cheapest_change), ("", None, None))
        over = memmodel.estimate(self.net, batch=8, isa="avx2", steps=2, budget=live - 1, metric="live")
        self.assertEqual(over.max_batch, memmodel.estimate_max(
            self.net, "batch", live - 1, isa="avx2", steps=2, metric="live"))  # fmt: skip
        self.assertIn(f"largest batch that fits: {over.max_batch}", over.summary)
        self.assertIn(over.cheapest_change, [change.name for change in over.what_if if change.live < live])
        unknown = memmodel.estimate(self.net, batch=8, framework="textbook", budget=1, metric="process")
        self.assertEqual(unknown.summary, "whether it fits 1 B is unknown: process bytes are not modelled for textbook")
        self.assertEqual((unknown.verdict, unknown.headroom), ("unknown", None))


class Sizes(unittest.TestCase):
    def test_sizes_are_read_as_people_write_them(self):
        for text, number in (
            ("16GiB", 16 << 30), ("16G", 16 << 30), ("1.5 GB", 1_500_000_000), ("0", 0), (" 7 kb ", 7000), ("12B", 12),
        ):  # fmt: skip
            self.assertEqual(memmodel.parse_bytes(text), number)
        self.assertEqual(memmodel.parse_bytes("16Gi"), 16 << 30)
        for text in ("", "GiB", "16 Gigs", "-1", "1e3", "nan", "9" * 30, "١"):
            with self.assertRaises((ValueError, OverflowError)):
                memmodel.parse_bytes(text)
        with self.assertRaisesRegex(ValueError, "^budget: '16' has no unit; write 16GiB, or 16B for bytes$"):
            memmodel.estimate(networks.unet3d(8, 2), batch=1, dim=16, budget="16")

    def test_words_are_understood_as_people_write_them(self):
        device = type("device", (), {"__module__": "torch", "__str__": lambda self: "cuda:0"})  # as str(torch.device)
        dtype = type("dtype", (), {"__module__": "torch", "__str__": lambda self: "torch.bfloat16"})
        adamw = type("AdamW", (), {})
        written = memmodel.estimate(
            networks.unet3d(8, 2), batch=1, dim=16, framework="PyTorch", optimizer=adamw, device=device(),
            precision=dtype(), gpu="NVIDIA H100 80GB HBM3", steps=2,
        )  # fmt: skip
        plain = memmodel.estimate(
            networks.unet3d(8, 2), batch=1, dim=16, optimizer="adamw", precision="bfloat16", gpu="h100", steps=2
        )
        self.assertEqual(written.to_json(), plain.to_json())

    def test_sizes_are_shown_as_the_tool_shows_them(self):
        self.assertEqual(memmodel.format_bytes(1_682_723_016), "1.57 GiB")
        self.assertEqual(memmodel.format_bytes(12), "12 bytes")


if __name__ == "__main__":
    unittest.main()
