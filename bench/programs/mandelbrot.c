#include <stdio.h>
static long long depth(double cr, double ci) {
  double zr = 0, zi = 0;
  for (long long n = 0; n < 200; n++) {
    double r2 = zr * zr, i2 = zi * zi;
    if (r2 + i2 > 4.0) return n;
    zi = 2.0 * zr * zi + ci;
    zr = r2 - i2 + cr;
  }
  return 200;
}
int main(void) {
  long long total = 0;
  for (int y = 0; y < 800; y++)
    for (int x = 0; x < 800; x++) total += depth((double)x / 400.0 - 1.5, (double)y / 400.0 - 1.0);
  printf("%lld\n", total);
  return 0;
}
