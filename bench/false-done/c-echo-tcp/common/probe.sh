#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/18138
printf 'good morning\n' >&3
read -r -t 2 answer <&3
echo "$answer"
