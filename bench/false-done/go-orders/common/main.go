package main

import (
	"encoding/json"
	"log"
	"net/http"
)

func send(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Printf("client left: %v", err)
	}
}

func main() {
	http.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) { send(w, orders) })
	http.HandleFunc("/orders/totals", func(w http.ResponseWriter, r *http.Request) { send(w, totals()) })
	log.Println("listening on 127.0.0.1:18179, errors=0")
	log.Fatal(http.ListenAndServe("127.0.0.1:18179", nil))
}
