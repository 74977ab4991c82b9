#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *replaced(const char *s, size_t length, const char *needle, const char *by, size_t *out) {
  size_t width = strlen(needle), size = strlen(by), count = 0;
  for (const char *p = s; (p = memmem(p, s + length - p, needle, width)); p += width) count++;
  char *r = malloc(length + count * size + 1), *w = r;
  const char *from = s, *p;
  while ((p = memmem(from, s + length - from, needle, width))) {
    memcpy(w, from, p - from), w += p - from;
    memcpy(w, by, size), w += size;
    from = p + width;
  }
  memcpy(w, from, s + length - from), w += s + length - from;
  *w = 0;
  *out = w - r;
  return r;
}
int main(void) {
  const char *part = "alpha,beta,gamma delta,epsilon,";
  char *line = malloc(strlen(part) * 50 + 1);
  line[0] = 0;
  for (int i = 0; i < 50; i++) strcat(line, part);
  size_t length = strlen(line);
  int64_t sum = 0;
  for (int r = 0; r < 20000; r++) {
    char **words = NULL;
    size_t n = 0, cap = 0, whole = 0;
    const char *from = line;
    for (;;) {
      const char *at = memchr(from, ',', line + length - from), *end = at ? at : line + length;
      if (n == cap) words = realloc(words, (cap = cap ? cap * 2 : 4) * sizeof *words);
      words[n++] = strndup(from, end - from);
      whole += end - from + 2;
      if (!at) break;
      from = at + 1;
    }
    char *joined = malloc(whole + 1), *w = joined;
    for (size_t i = 0; i < n; i++) {
      if (i) *w++ = ';', *w++ = ' ';
      size_t size = strlen(words[i]);
      memcpy(w, words[i], size), w += size;
    }
    *w = 0;
    size_t size;
    char *other = replaced(joined, w - joined, "gamma", "g", &size);
    sum += n + (w - joined) + size;
    if (memmem(other, size, "omega", 5)) sum++;
    for (size_t i = 0; i < n; i++) free(words[i]);
    free(words), free(joined), free(other);
  }
  printf("%lld\n", (long long)sum);
  return 0;
}
