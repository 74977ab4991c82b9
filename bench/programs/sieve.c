#include <stdio.h>
#include <stdlib.h>
#define N 2000000
static long long round_(void) {
  unsigned char *composite = calloc(N, 1);
  long long count = 0;
  for (long long i = 2; i < N; i++)
    if (!composite[i]) {
      count++;
      for (long long j = i * i; j < N; j += i) composite[j] = 1;
    }
  free(composite);
  return count;
}
int main(void) {
  long long total = 0;
  for (int r = 0; r < 10; r++) total += round_();
  printf("%lld\n", total);
  return 0;
}
