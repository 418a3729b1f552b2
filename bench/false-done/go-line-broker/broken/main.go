package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
)

func serve(connection net.Conn) {
	defer connection.Close()
	answers := make(chan int)
	scanner := bufio.NewScanner(connection)
	for scanner.Scan() {
		answers <- len(scanner.Text())
		fmt.Fprintf(connection, "length %d\n", <-answers)
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:18182")
	if err != nil {
		log.Fatal(err)
	}
	log.Println("broker ready")
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Printf("accept: %v", err)
			continue
		}
		go serve(connection)
	}
}
