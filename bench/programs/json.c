// A parser for just this record, as one writes it by hand.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int64_t id, count; char name[64], city[64], note[64]; double score; int live; } Event;
static const char *skip(const char *s) {
  while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r' || *s == ',') s++;
  return s;
}
static const char *text(const char *s, char *out) {
  for (s++; *s && *s != '"'; s++) {
    if (*s == '\\') s++;
    *out++ = *s;
  }
  *out = 0;
  return s + 1;
}
static void parse(const char *s, Event *e) {
  char key[64], *end;
  s = skip(s) + 1;
  while (*(s = skip(s)) == '"') {
    s = skip(text(s, key));
    s = skip(s + 1);
    if (!strcmp(key, "id")) e->id = strtoll(s, &end, 10), s = end;
    else if (!strcmp(key, "name")) s = text(s, e->name);
    else if (!strcmp(key, "score")) e->score = strtod(s, &end), s = end;
    else if (!strcmp(key, "live")) e->live = *s == 't', s += e->live ? 4 : 5;
    else if (!strcmp(key, "city")) s = text(s, e->city);
    else if (!strcmp(key, "count")) e->count = strtoll(s, &end, 10), s = end;
    else if (!strcmp(key, "note")) s = text(s, e->note);
  }
}
int main(void) {
  int64_t sum = 0;
  double total = 0;
  char line[512];
  for (int64_t i = 0; i < 200000; i++) {
    snprintf(line, sizeof line, "{\"id\": %lld, \"name\": \"Ada Lovelace\", \"score\": 12.75, \"live\": true, \"city\": \"London\", \"count\": %lld, \"note\": \"said \\\"hello\\\" twice\"}", (long long)i, (long long)(i * 3));
    Event e;
    parse(line, &e);
    sum += e.id + e.count + strlen(e.name) + strlen(e.city) + strlen(e.note);
    if (e.live) total += e.score;
  }
  printf("%lld %g\n", (long long)sum, total);
  return 0;
}
