package main

import (
	"fmt"
	"strings"
)

func main() {
	var b strings.Builder
	for i := 0; i < 2000; i++ {
		fmt.Fprintf(&b, "{\"id\": %d, \"tags\": [\"a%d\", \"b\"], \"on\": true},\n", i, i)
	}
	data := []byte(b.String())
	var strs, digits, deepest int64
	for r := 0; r < 200; r++ {
		var depth int64
		inside := false
		for i := 0; i < len(data); i++ {
			c := data[i]
			if inside {
				if c == 34 {
					inside = false
					strs++
				}
			} else if c == 34 {
				inside = true
			} else if c == 123 || c == 91 {
				depth++
				if depth > deepest {
					deepest = depth
				}
			} else if c == 125 || c == 93 {
				depth--
			} else if c >= 48 && c <= 57 {
				digits++
			}
		}
	}
	fmt.Println(strs, digits, deepest)
}
