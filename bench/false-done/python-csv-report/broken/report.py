"""Counts rows and averages the column `amount`."""
import csv
import sys


def mean(values):
    return sum(values) / len(values)


def main(path):
    with open(path, newline="") as file:
        amounts = [float(row["amount"]) for row in csv.DictReader(file)]
    print(f"rows={len(amounts)} mean={mean(amounts):.2f} errors=0")


if __name__ == "__main__":
    main(sys.argv[1])
