module example.test/ticker

go 1.20
