#!/bin/sh
# Lower case, words only.
tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' ' '
