#!/bin/sh
# Prints the sales per region.
set -eu
database=$(mktemp)
trap 'rm -f "$database"' EXIT
sqlite3 "$database" < schema.sql
sqlite3 "$database" ".mode csv" ".import --skip 1 sales.csv sales"
sqlite3 "$database" < report.sql
