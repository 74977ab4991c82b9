#include <stdio.h>
static double a[90000], b[90000], c[90000];
int main(void) {
  for (int i = 0; i < 90000; i++) {
    a[i] = (double)(i % 7) + 0.5;
    b[i] = (double)(i % 11) - 2.5;
  }
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < 300; i++)
      for (int j = 0; j < 300; j++) {
        double sum = 0.0;
        for (int k = 0; k < 300; k++) sum += a[i * 300 + k] * b[k * 300 + j];
        c[i * 300 + j] += sum;
      }
  double trace = 0.0;
  for (int i = 0; i < 300; i++) trace += c[i * 301];
  printf("%g\n", trace);
  return 0;
}
