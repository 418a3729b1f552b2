#!/usr/bin/env bash
# Sends "inc" twice to a fresh counter and prints both answers.
exec 3<>/dev/tcp/127.0.0.1/18134
printf 'inc\ninc\n' >&3
read -r -t 2 first <&3
read -r -t 2 second <&3
echo "$first $second"
