import collections
import sys

words = collections.Counter(sys.stdin.read().split())
for word, count in words.most_common(3):
    print(count, word)
