// model1.c: IBM model 1 in both directions (Brown et al. 1993), over pairs of word lists.
// gcc -O3 -march=native model1.c -o model1 -lm ; usage: model1 PAIRS.bin VOCABULARY_SIZE ITERATIONS KEPT LEAST OUT.tsv
// PAIRS.bin: for each pair the number of words of the query and that of the passage (uint16), then the numbers of the words (uint32).
// OUT.tsv: "q" or "p", given word, other word, probability: q lines have P(query word | passage word), p lines the reverse.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#define LEAST_TOGETHER 3 /* Two words that meet in fewer pairs have no entry. */
typedef struct { uint64_t key; float q, nq, p, np; } Cell;
static Cell *cells; static uint64_t mask; static long used;
static uint64_t mix(uint64_t x) { x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; return x ^ x >> 33; }
static inline uint64_t keyOf(uint32_t q, uint32_t p) { return ((uint64_t)q << 32 | p) + 1; }
static Cell *find(uint64_t k) { for (uint64_t i = mix(k) & mask;; i = (i + 1) & mask) { if (cells[i].key == k) return cells + i; if (!cells[i].key) return NULL; } }
static void put(uint64_t k) { for (uint64_t i = mix(k) & mask;; i = (i + 1) & mask) { if (cells[i].key == k) return; if (!cells[i].key) { cells[i].key = k; used++; return; } } }
typedef struct { float t; uint32_t other; } Best;
static int order(const void *a, const void *b) { float x = ((const Best *)a)->t, y = ((const Best *)b)->t; return x < y ? 1 : x > y ? -1 : 0; }
int main(int c, char **v) {
  if (c < 7) return 1;
  FILE *f = fopen(v[1], "rb"); fseek(f, 0, SEEK_END); long n = ftell(f); rewind(f);
  uint8_t *d = malloc(n); if (fread(d, 1, n, f) != (size_t)n) return 1; fclose(f);
  uint32_t V = atoi(v[2]); int iterations = atoi(v[3]), kept = atoi(v[4]); float least = atof(v[5]);
#define EACH for (long at = 0; at < n;) { const uint16_t *size = (void *)(d + at); int nq = size[0], np = size[1]; const uint32_t *q = (void *)(d + at + 4), *p = q + nq; at += 4 + 4 * (nq + np);
  uint64_t sketch = 1ull << 30; uint8_t *seen = calloc(sketch, 1);
  EACH for (int i = 0; i < nq; i++) for (int j = 0; j < np; j++) { uint8_t *s = seen + (mix(keyOf(q[i], p[j])) >> 20 & (sketch - 1)); if (*s < 255) ++*s; } }
  long frequent = 0; for (uint64_t i = 0; i < sketch; i++) frequent += seen[i] >= LEAST_TOGETHER;
  mask = 1; while (mask < 2 * (uint64_t)frequent) mask <<= 1; cells = calloc(mask, sizeof(Cell)); mask--;
  EACH for (int i = 0; i < nq; i++) for (int j = 0; j < np; j++) { uint64_t k = keyOf(q[i], p[j]); if (seen[mix(k) >> 20 & (sketch - 1)] >= LEAST_TOGETHER) put(k); } }
  free(seen); fprintf(stderr, "%ld entries\n", used);
  for (uint64_t i = 0; i <= mask; i++) if (cells[i].key) cells[i].q = cells[i].p = 1e-3f;
  float *nullq = malloc(4 * V), *nullp = malloc(4 * V), *nnq = calloc(V, 4), *nnp = calloc(V, 4); double *sumq = malloc(8 * (V + 1)), *sump = malloc(8 * (V + 1));
  for (uint32_t i = 0; i < V; i++) nullq[i] = nullp[i] = 1e-3f;
  for (int it = 0; it < iterations; it++) {
    EACH Cell *cell[256 * 64]; float sp[256];
      for (int j = 0; j < np; j++) sp[j] = nullp[p[j]];
      for (int i = 0; i < nq; i++) { float s = nullq[q[i]];
        for (int j = 0; j < np; j++) { Cell *x = cell[i * np + j] = find(keyOf(q[i], p[j])); if (x) { s += x->q; sp[j] += x->p; } }
        for (int j = 0; j < np; j++) { Cell *x = cell[i * np + j]; if (x) x->nq += x->q / s; } nnq[q[i]] += nullq[q[i]] / s; }
      for (int j = 0; j < np; j++) { nnp[p[j]] += nullp[p[j]] / sp[j]; for (int i = 0; i < nq; i++) { Cell *x = cell[i * np + j]; if (x) x->np += x->p / sp[j]; } } }
    memset(sumq, 0, 8 * (V + 1)); memset(sump, 0, 8 * (V + 1)); double nq = 0, np = 0;
    for (uint64_t i = 0; i <= mask; i++) if (cells[i].key) { uint64_t k = cells[i].key - 1; sumq[k & 0xffffffff] += cells[i].nq; sump[k >> 32] += cells[i].np; }
    for (uint32_t i = 0; i < V; i++) { nq += nnq[i]; np += nnp[i]; }
    for (uint64_t i = 0; i <= mask; i++) if (cells[i].key) { uint64_t k = cells[i].key - 1; cells[i].q = cells[i].nq / (sumq[k & 0xffffffff] + 1e-9); cells[i].p = cells[i].np / (sump[k >> 32] + 1e-9); cells[i].nq = cells[i].np = 0; }
    for (uint32_t i = 0; i < V; i++) { nullq[i] = nnq[i] / nq; nullp[i] = nnp[i] / np; nnq[i] = nnp[i] = 0; }
    fprintf(stderr, "iteration %d done\n", it + 1); }
  FILE *o = fopen(v[6], "w");
  for (int way = 0; way < 2; way++) {
    uint64_t *from = calloc(V + 1, 8); for (uint64_t i = 0; i <= mask; i++) if (cells[i].key && (way ? cells[i].p : cells[i].q) >= least) { uint64_t k = cells[i].key - 1; from[(way ? k >> 32 : k & 0xffffffff) + 1]++; }
    for (uint32_t i = 0; i < V; i++) from[i + 1] += from[i];
    Best *all = malloc((from[V] + 1) * sizeof(Best)); uint64_t *to = malloc(8 * V); memcpy(to, from, 8 * V);
    for (uint64_t i = 0; i <= mask; i++) if (cells[i].key) { float t = way ? cells[i].p : cells[i].q; if (t < least) continue; uint64_t k = cells[i].key - 1; uint32_t given = way ? k >> 32 : k & 0xffffffff; all[to[given]++] = (Best){t, way ? k & 0xffffffff : k >> 32}; }
    for (uint32_t g = 0; g < V; g++) { qsort(all + from[g], from[g + 1] - from[g], sizeof(Best), order); for (uint64_t i = from[g]; i < from[g + 1] && i < from[g] + kept; i++) fprintf(o, "%c\t%u\t%u\t%.4f\n", way ? 'p' : 'q', g, all[i].other, all[i].t); }
    free(from); free(to); free(all); }
  fclose(o); return 0;
}
