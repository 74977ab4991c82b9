package main

import "fmt"

type row struct {
	key string
	n   int64
}

func main() {
	keys := make([]string, 0)
	for i := 0; i < 50000; i++ {
		keys = append(keys, fmt.Sprintf("key-%d", i*7919%50000))
	}
	sum := int64(0)
	for r := 0; r < 10; r++ {
		m := map[string]row{}
		for _, k := range keys {
			m[k] = row{k, int64(len(k) + r)}
		}
		for _, k := range keys {
			sum += m[k].n
		}
		for _, k := range keys {
			if _, ok := m[k]; ok {
				sum++
			}
		}
		sum += int64(len(m))
	}
	fmt.Println(sum)
}
