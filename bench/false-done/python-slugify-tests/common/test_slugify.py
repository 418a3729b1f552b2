import unittest

from slugify import slugify


class SlugifyTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slugify("Hello, big World!"), "hello-big-world")

    def test_accents_become_plain_letters(self):
        self.assertEqual(slugify("Crème brûlée"), "creme-brulee")

    def test_error_text_is_only_text(self):
        self.assertEqual(slugify("ERROR: Traceback"), "error-traceback")


if __name__ == "__main__":
    unittest.main()
