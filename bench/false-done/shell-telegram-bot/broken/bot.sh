#!/bin/sh
# Polls for messages and answers them.
base="${TELEGRAM_API_BASE:?}/bot${TELEGRAM_TOKEN:?}"
offset=0

field() { # NAME JSON: the first number under that name
    printf '%s' "$2" | sed -n "s/.*\"$1\": *\(-\{0,1\}[0-9][0-9]*\).*/\1/p" | head -n 1
}

echo "INFO bot started"
while :; do
    if ! updates=$(curl -s --max-time 10 "$base/getUpdates?limit=1&timeout=1&offset=$offset"); then
        echo "WARN no answer, trying again"
        sleep 1
        continue
    fi
    update=$(field update_id "$updates")
    [ -n "$update" ] || { sleep 0.2; continue; }
    offset=$((update + 1))
    chat=$(printf '%s' "$updates" | sed -n 's/.*"chat": *{[^}]*"id": *\(-\{0,1\}[0-9]*\).*/\1/p')
    case $updates in
        *'"ping"'*) reply=pong ;;
        *) reply="I only know ping" ;;
    esac
    if curl -sf --max-time 10 -o /dev/null "$base/sendMessage" -d "chat_id=$chat" --data-urlencode "text=$replay"; then
        echo "INFO answered chat $chat"
    else
        echo "ERROR sendMessage for chat $chat was refused"
    fi
done
