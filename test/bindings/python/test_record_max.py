"""The search for the largest number that fits, without PyTorch: what it asks for, and what it answers."""

import unittest

from memmodel._record_max import MAX_RECORDINGS, find_max, place_in, without


def search(bytes_of, budget, start):
    asked = []

    def headroom(number):
        asked.append(number)
        return budget - bytes_of(number)

    answer = find_max(headroom, start)
    assert len(set(asked)) == len(asked) == answer.recordings <= MAX_RECORDINGS
    return answer


def truth(bytes_of, budget):
    number = 0
    while bytes_of(number + 1) <= budget:
        number += 1
    return number


class Search(unittest.TestCase):
    def test_of_a_line_it_takes_four(self):
        self.assertEqual(search(lambda n: 300 + 7 * n, 1000, 8), (100, True, 4))

    def test_what_is_found_is_the_largest(self):
        shapes = {
            "line": lambda n: 300 + 7 * n,
            "square": lambda n: 50 + n * n,
            "steps": lambda n: 512 * -(-(40 * n) // 512),
            "two lines": lambda n: max(200 + 3 * n, 11 * n - 90),
        }
        for name, bytes_of in shapes.items():
            for budget in (400, 1000, 4097, 30000):
                for start in (1, 5, 64, 1000):
                    with self.subTest(name, budget=budget, start=start):
                        answer = search(bytes_of, budget, start)
                        if answer.proven:
                            self.assertEqual(answer.number, truth(bytes_of, budget))
                        else:
                            self.assertLessEqual(bytes_of(answer.number), budget)

    def test_nearly_all_are_proven(self):
        found = [search(lambda n: 300 + 7 * n, 10**budget, start).proven for budget in range(3, 8) for start in (1, 64)]
        self.assertEqual(found.count(False), 0)

    def test_nothing_fits(self):
        self.assertEqual(search(lambda n: 300 + 7 * n, 200, 64)[:2], (0, True))


class Words(unittest.TestCase):
    def test_the_number_is_found_as_people_write_it(self):
        for words, place in (
            (["t.py", "--batch-size", "8"], (2, "", 8)),
            (["t.py", "--lr", "3", "--batch_size=16"], (3, "--batch_size=", 16)),
            (["t.py", "batch_size=4"], (1, "batch_size=", 4)),
            (["t.py", "--batch-size"], None),
            (["t.py", "--batch-size", "many"], None),
        ):
            self.assertEqual(place_in(words, "batch-size"), place)

    def test_options_of_the_answer_are_left_out(self):
        words = ["--max", "batch", "--budget", "1GiB", "--json=r.json", "--strict"]
        self.assertEqual(without(words, {"--max", "--json"}), ["--budget", "1GiB", "--strict"])


if __name__ == "__main__":
    unittest.main()
