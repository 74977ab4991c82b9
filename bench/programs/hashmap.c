#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
typedef struct { int64_t key, n; uint8_t used; } Slot;
static Slot *slots;
static uint64_t cap = 8, count;
static Slot *find(int64_t k) {
  uint64_t i = ((uint64_t)k * 0x9E3779B97F4A7C15ull) & (cap - 1);
  while (slots[i].used && slots[i].key != k) i = (i + 1) & (cap - 1);
  return &slots[i];
}
static void bump(int64_t k) {
  if ((count + 1) * 10 > cap * 7) {
    Slot *old = slots;
    uint64_t before = cap;
    cap *= 2;
    slots = calloc(cap, sizeof(Slot));
    for (uint64_t i = 0; i < before; i++)
      if (old[i].used) *find(old[i].key) = old[i];
    free(old);
  }
  Slot *s = find(k);
  if (!s->used) {
    *s = (Slot){k, 0, 1};
    count++;
  }
  s->n++;
}
int main(void) {
  slots = calloc(cap, sizeof(Slot));
  int64_t seed = 12345, sum = 0;
  for (int i = 0; i < 5000000; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648ll;
    bump(seed % 100000);
  }
  for (int64_t k = 0; k < 100000; k++) {
    Slot *s = find(k);
    sum += (s->used ? s->n : 0) * (k % 10);
  }
  printf("%llu %lld\n", (unsigned long long)count, (long long)sum);
  return 0;
}
