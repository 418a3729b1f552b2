#!/bin/sh
# Stands in for a C compiler and an archiver where only Rust is looked at: makes what it was asked to make, empty.
for word do
  case $previous in -o) : > "$word" ;; esac
  case $word in *.a) : > "$word" ;; esac
  previous=$word
done
