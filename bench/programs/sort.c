// A stable merge sort, as the others do it for records; qsort's glibc form is one.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int64_t id; char *name; } Row;
static int byNumber(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}
static int byText(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int byId(const void *a, const void *b) { return byNumber(&((const Row *)a)->id, &((const Row *)b)->id); }
int main(void) {
  int64_t *nums = malloc(500000 * 8), *a = malloc(500000 * 8), seed = 12345;
  char **words = malloc(125000 * 8), **b = malloc(125000 * 8), text[32];
  Row *rows = malloc(125000 * sizeof(Row)), *c = malloc(125000 * sizeof(Row));
  for (int i = 0; i < 500000; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648ll;
    nums[i] = seed;
    if (i % 4) continue;
    snprintf(text, sizeof text, "w%lld", (long long)seed);
    words[i / 4] = strdup(text);
    snprintf(text, sizeof text, "r%d", i);
    rows[i / 4] = (Row){seed % 1000, strdup(text)};
  }
  for (int r = 0; r < 3; r++) {
    memcpy(a, nums, 500000 * 8), memcpy(b, words, 125000 * 8), memcpy(c, rows, 125000 * sizeof(Row));
    qsort(a, 500000, 8, byNumber), qsort(b, 125000, 8, byText), qsort(c, 125000, sizeof(Row), byId);
    printf("%lld %s %s\n", (long long)a[250000], b[60000], c[60000].name);
  }
  return 0;
}
