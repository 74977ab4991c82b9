#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  long long total = 0;
  for (long long r = 0; r < 200; r++) {
    size_t length = 0, capacity = 16;
    char *text = malloc(capacity);
    for (long long i = 0; i < 5000; i++) {
      char part[64];
      int n = snprintf(part, sizeof part, "line %lld;", i * r);
      if (length + (size_t)n > capacity) text = realloc(text, capacity *= 2);
      memcpy(text + length, part, (size_t)n);
      length += (size_t)n;
    }
    for (size_t at = 0; at < length; at += 64)
      if (text[at] == ';') total++;
    total += (long long)length;
    free(text);
  }
  printf("%lld\n", total);
  return 0;
}
