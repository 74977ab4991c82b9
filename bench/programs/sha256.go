package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

func main() {
	large := []byte(strings.Repeat("0123456789abcdef", 65536))
	sum := 0
	for i := 0; i < 64; i++ {
		d := sha256.Sum256(large)
		sum += int(d[0])
	}
	small := sha256.Sum256([]byte("seed"))
	for i := 0; i < 200000; i++ {
		small = sha256.Sum256(small[:])
	}
	fmt.Println(sum, small[31])
}
