package main

import (
	"fmt"
	"strconv"
	"strings"
)

func main() {
	var total int64
	for r := int64(0); r < 200; r++ {
		var b strings.Builder
		for i := int64(0); i < 5000; i++ {
			b.WriteString("line ")
			b.WriteString(strconv.FormatInt(i*r, 10))
			b.WriteByte(';')
		}
		text := b.String()
		for at := 0; at < len(text); at += 64 {
			if text[at:at+1] == ";" {
				total++
			}
		}
		total += int64(len(text))
	}
	fmt.Println(total)
}
