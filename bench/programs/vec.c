#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int64_t sum = 0;
  for (int r = 0; r < 20; r++) {
    int64_t *v = NULL;
    size_t len = 0, cap = 0;
    for (int64_t i = 0; i < 1000000; i++) {
      if (len == cap) v = realloc(v, (cap = cap ? cap * 2 : 4) * 8);
      v[len++] = i * 3;
    }
    size_t at = r;
    for (int i = 0; i < 1000000; i++) {
      if (at < len) sum += v[at];
      at += 7919;
      if (at >= 1000000) at -= 1000000;
    }
    for (size_t i = 0; i < len; i++) sum += v[i] & 1;
    for (int i = 0; i < 500000; i++) sum += v[--len];
    free(v);
  }
  printf("%lld\n", (long long)sum);
  return 0;
}
