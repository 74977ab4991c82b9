#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *text = malloc(200000);
  size_t size = 0;
  for (int i = 0; i < 2000; i++) size += (size_t)sprintf(text + size, "{\"id\": %d, \"tags\": [\"a%d\", \"b\"], \"on\": true},\n", i, i);
  long long strings = 0, digits = 0, deepest = 0;
  for (int r = 0; r < 200; r++) {
    long long depth = 0;
    int inside = 0;
    for (size_t i = 0; i < size; i++) {
      unsigned char c = (unsigned char)text[i];
      if (inside) {
        if (c == 34) { inside = 0; strings++; }
      } else if (c == 34) inside = 1;
      else if (c == 123 || c == 91) { if (++depth > deepest) deepest = depth; }
      else if (c == 125 || c == 93) depth--;
      else if (c >= 48 && c <= 57) digits++;
    }
  }
  printf("%lld %lld %lld\n", strings, digits, deepest);
  return 0;
}
