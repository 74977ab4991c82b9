#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { char *key; uint32_t length; int64_t n; } Row;
typedef struct { Row *rows; uint64_t cap, count; } Map;
static Row *find(Map *m, const char *key, uint32_t length) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (uint32_t i = 0; i < length; i++) h = (h ^ (uint8_t)key[i]) * 0x100000001b3ull;
  uint64_t i = h & (m->cap - 1);
  while (m->rows[i].key && !(m->rows[i].length == length && memcmp(m->rows[i].key, key, length) == 0)) i = (i + 1) & (m->cap - 1);
  return &m->rows[i];
}
static void set(Map *m, char *key, uint32_t length, int64_t n) {
  if ((m->count + 1) * 10 > m->cap * 7) {
    Map old = *m;
    m->cap = old.cap ? old.cap * 2 : 8;
    m->rows = calloc(m->cap, sizeof(Row));
    for (uint64_t i = 0; i < old.cap; i++)
      if (old.rows[i].key) *find(m, old.rows[i].key, old.rows[i].length) = old.rows[i];
    free(old.rows);
  }
  Row *r = find(m, key, length);
  if (!r->key) m->count++;
  *r = (Row){key, length, n};
}
int main(void) {
  static char *keys[50000];
  char text[32];
  for (int64_t i = 0; i < 50000; i++) {
    snprintf(text, sizeof text, "key-%lld", (long long)(i * 7919 % 50000));
    keys[i] = strdup(text);
  }
  int64_t sum = 0;
  for (int r = 0; r < 10; r++) {
    Map m = {0};
    for (int i = 0; i < 50000; i++) set(&m, keys[i], strlen(keys[i]), strlen(keys[i]) + r);
    for (int i = 0; i < 50000; i++) sum += find(&m, keys[i], strlen(keys[i]))->n;
    for (int i = 0; i < 50000; i++) sum += find(&m, keys[i], strlen(keys[i]))->key != NULL;
    sum += m.count;
    free(m.rows);
  }
  printf("%lld\n", (long long)sum);
  return 0;
}
