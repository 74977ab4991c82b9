#include <math.h>
#include <stdio.h>
static double energy(const double *p, const double *v, const double *m) {
  double e = 0.0;
  for (int i = 0; i < 5; i++) {
    double vx = v[i * 3], vy = v[i * 3 + 1], vz = v[i * 3 + 2];
    e += 0.5 * m[i] * (vx * vx + vy * vy + vz * vz);
    for (int j = i + 1; j < 5; j++) {
      double dx = p[i * 3] - p[j * 3], dy = p[i * 3 + 1] - p[j * 3 + 1], dz = p[i * 3 + 2] - p[j * 3 + 2];
      e -= m[i] * m[j] / sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}
__attribute__((noinline)) static void advance(double *p, double *v, const double *m, double dt) {
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 5; j++) {
      double dx = p[i * 3] - p[j * 3], dy = p[i * 3 + 1] - p[j * 3 + 1], dz = p[i * 3 + 2] - p[j * 3 + 2];
      double d2 = dx * dx + dy * dy + dz * dz;
      double mag = dt / (d2 * sqrt(d2));
      v[i * 3] -= dx * m[j] * mag;
      v[i * 3 + 1] -= dy * m[j] * mag;
      v[i * 3 + 2] -= dz * m[j] * mag;
      v[j * 3] += dx * m[i] * mag;
      v[j * 3 + 1] += dy * m[i] * mag;
      v[j * 3 + 2] += dz * m[i] * mag;
    }
  for (int i = 0; i < 15; i++) p[i] += dt * v[i];
}
int main(void) {
  double p[15] = {0.0, 0.0, 0.0, 4.8414, -1.1603, -0.1036, 8.3434, 4.1248, -0.4035, 12.8944, -15.1112, -0.2233, 15.3797, -25.9193, 0.1793};
  double v[15] = {0.0, 0.0, 0.0, 0.6063, 2.8120, -0.0252, -1.0108, 1.8257, 0.0084, 1.0828, 0.8687, -0.0108, 0.9791, 0.5947, -0.0348};
  double m[5] = {39.4784, 0.0377, 0.0113, 0.0017, 0.002};
  for (int step = 0; step < 2000000; step++) advance(p, v, m, 0.001);
  printf("%.9f\n", energy(p, v, m));
  return 0;
}
