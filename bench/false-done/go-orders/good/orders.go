package main

type order struct {
	Customer string `json:"customer"`
	Cents    int    `json:"cents"`
}

var orders = []order{{"ann", 1200}, {"bob", 550}, {"ann", 300}}

func totals() map[string]int {
	sums := make(map[string]int)
	for _, one := range orders {
		sums[one.Customer] += one.Cents
	}
	return sums
}
