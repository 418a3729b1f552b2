module example.test/cache

go 1.20
