package main

import (
	"fmt"
	"slices"
	"sort"
)

type row struct {
	id   int64
	name string
}

func main() {
	var nums []int64
	var words []string
	var rows []row
	seed := int64(12345)
	for i := 0; i < 500000; i++ {
		seed = (seed*1103515245 + 12345) % 2147483648
		nums = append(nums, seed)
		if i%4 == 0 {
			words = append(words, fmt.Sprintf("w%d", seed))
			rows = append(rows, row{seed % 1000, fmt.Sprintf("r%d", i)})
		}
	}
	for r := 0; r < 3; r++ {
		a, b, c := slices.Clone(nums), slices.Clone(words), slices.Clone(rows)
		slices.Sort(a)
		slices.Sort(b)
		sort.SliceStable(c, func(i, j int) bool { return c[i].id < c[j].id })
		fmt.Println(a[250000], b[60000], c[60000].name)
	}
}
