package main

import (
	"fmt"
	"strings"
)

func main() {
	line := strings.Repeat("alpha,beta,gamma delta,epsilon,", 50)
	sum := 0
	for r := 0; r < 20000; r++ {
		words := strings.Split(line, ",")
		joined := strings.Join(words, "; ")
		replaced := strings.ReplaceAll(joined, "gamma", "g")
		sum += len(words) + len(joined) + len(replaced)
		if strings.Contains(replaced, "omega") {
			sum++
		}
	}
	fmt.Println(sum)
}
