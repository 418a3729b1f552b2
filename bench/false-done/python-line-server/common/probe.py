import socket
import sys

with socket.create_connection(("127.0.0.1", 18112), timeout=2) as connection:
    connection.sendall(sys.argv[1].encode() + b"\n")
    print(connection.makefile().readline(), end="")
