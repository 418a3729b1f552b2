module example.test/broker

go 1.20
