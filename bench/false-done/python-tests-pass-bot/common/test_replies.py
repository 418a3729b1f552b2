import unittest

from replies import length_of


class RepliesTest(unittest.TestCase):
    def test_many(self):
        self.assertEqual(length_of("ping"), "4 letters")

    def test_one(self):
        self.assertEqual(length_of("a"), "1 letter")

    def test_error_is_a_word_like_any_other(self):
        self.assertEqual(length_of("ERROR"), "5 letters")
