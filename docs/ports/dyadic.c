/* DyadicSample, BasicHistogram, StabilityHistogram, its threshold, and the check of a table and its certificate, in C11 without a library.
 *
 *     cc -std=c11 -O2 -o dyadic dyadic.c
 *     finitedp vectors run --group draw --group release --group threshold --group table --group certificate -- ./dyadic
 *
 * Written from docs/vectors.md and docs/dyadic.md alone. Words have up to 4096 bits, and counts may be as large as n, which a table's words bound.
 *
 * A number is W limbs of 32 bits, the least significant first. W is the same for all numbers of a case, and follows from its public parameters
 * (the bits of a word, the digits of R). So every operation on the word, on the noise and on the counts takes the same steps whatever they are:
 * no early exit, no branch and no address depends on them. Reading and printing decimal digits, and sorting labels, take time that depends on
 * the data: they belong to the protocol, and a program that releases something has to hide them otherwise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of one case: what `take` gives is freed, all at once, by `give_back`. */

typedef struct block { struct block *before; max_align_t start; } block;
static block *blocks;

static void *take(size_t bytes) {
    block *b = calloc(1, sizeof(block) + bytes);
    if (!b) { fputs("out of memory\n", stderr); exit(3); }
    b->before = blocks;
    blocks = b;
    return &b->start;
}

static void give_back(void) {
    while (blocks) { block *b = blocks; blocks = b->before; free(b); }
}

/* Numbers. */

typedef uint32_t *num;
static size_t W;

static void width(size_t bits) { W = bits / 32 + 1; }
static num zero(void) { return take(W * sizeof(uint32_t)); }
static void copy(num r, const uint32_t *a) { memcpy(r, a, W * sizeof(uint32_t)); }
static num small(uint32_t value) { num r = zero(); r[0] = value; return r; }
static uint32_t bit(const uint32_t *a, size_t i) { return a[i / 32] >> (i % 32) & 1; }
static num power(size_t i) { num r = zero(); r[i / 32] = (uint32_t)1 << (i % 32); return r; }

static void add(num r, const uint32_t *a, const uint32_t *b) {
    uint64_t carry = 0;
    for (size_t i = 0; i < W; i++) { carry += (uint64_t)a[i] + b[i]; r[i] = (uint32_t)carry; carry >>= 32; }
}

static uint32_t sub(num r, const uint32_t *a, const uint32_t *b) { /* gives 1 where a is below b */
    uint64_t borrow = 0;
    for (size_t i = 0; i < W; i++) { uint64_t d = (uint64_t)a[i] - b[i] - borrow; r[i] = (uint32_t)d; borrow = d >> 63; }
    return (uint32_t)borrow;
}

static uint32_t below(const uint32_t *a, const uint32_t *b) { /* 1 where a < b, else 0 */
    uint64_t borrow = 0;
    for (size_t i = 0; i < W; i++) borrow = ((uint64_t)a[i] - b[i] - borrow) >> 63;
    return (uint32_t)borrow;
}

static void choose(num r, uint32_t yes, const uint32_t *a, const uint32_t *b) { /* a where yes is 1, b where it is 0 */
    uint32_t mask = (uint32_t)0 - yes;
    for (size_t i = 0; i < W; i++) r[i] = (a[i] & mask) | (b[i] & ~mask);
}

static void shift(num r, const uint32_t *a, size_t by) { /* a 2^by */
    size_t limbs = by / 32, bits = by % 32;
    for (size_t i = W; i-- > 0;) {
        uint64_t two = i < limbs ? 0 : (uint64_t)a[i - limbs] << 32 | (i > limbs ? a[i - limbs - 1] : 0);
        r[i] = (uint32_t)(two >> (32 - bits));
    }
}

static void back(num r, const uint32_t *a, size_t by) { /* a/2^by, rounded down */
    size_t limbs = by / 32, bits = by % 32;
    for (size_t i = 0; i < W; i++) {
        uint64_t two = (i + limbs < W ? a[i + limbs] : 0) | (i + limbs + 1 < W ? (uint64_t)a[i + limbs + 1] << 32 : 0);
        r[i] = (uint32_t)(two >> bits);
    }
}

static void times(num r, const uint32_t *a, const uint32_t *b) { /* r is neither a nor b; the product has room in W limbs */
    memset(r, 0, W * sizeof(uint32_t));
    for (size_t i = 0; i < W; i++) {
        uint64_t carry = 0;
        if (a[i] == 0) continue; /* only public numbers are multiplied */
        for (size_t j = 0; i + j < W; j++) { carry += (uint64_t)a[i] * b[j] + r[i + j]; r[i + j] = (uint32_t)carry; carry >>= 32; }
    }
}

static uint32_t over(num a, uint32_t d) { /* a becomes a/d, rounded down; gives the remainder */
    uint64_t rest = 0;
    for (size_t i = W; i-- > 0;) { rest = rest << 32 | a[i]; a[i] = (uint32_t)(rest / d); rest %= d; }
    return (uint32_t)rest;
}

static bool is_zero(const uint32_t *a) {
    for (size_t i = 0; i < W; i++) if (a[i]) return false;
    return true;
}

static size_t length(const uint32_t *a) { /* the number of its bits */
    size_t i = 32 * W;
    while (i > 0 && !bit(a, i - 1)) i--;
    return i;
}

/* floor(a 2^places / b), bit by bit; the quotient and 2b have room. */
static void divide(num r, const uint32_t *a, size_t places, const uint32_t *b) {
    num rest = zero(), less = zero(), one = small(1);
    memset(r, 0, W * sizeof(uint32_t));
    for (size_t i = length(a) + places; i-- > 0;) {
        shift(rest, rest, 1);
        if (i >= places && bit(a, i - places)) add(rest, rest, one);
        shift(r, r, 1);
        if (!sub(less, rest, b)) { copy(rest, less); add(r, r, one); }
    }
}

/* Text. */

typedef struct { const char *at; size_t size; } slice;

static bool is(slice s, const char *text) { return s.size == strlen(text) && memcmp(s.at, text, s.size) == 0; }
static size_t most_bits(slice s) { return s.size * 10 / 3 + 1; } /* of as many decimal digits: log2(10) < 10/3 */

typedef enum { FITS, TOO_LARGE, NEGATIVE } sort_of;

static sort_of decimal(num r, slice s, size_t bits) { /* s as a number below 2^bits */
    memset(r, 0, W * sizeof(uint32_t));
    if (s.size == 0 || s.at[0] == '-') return NEGATIVE;
    for (size_t i = 0; i < s.size; i++) {
        uint64_t carry = (uint64_t)(s.at[i] - '0');
        for (size_t j = 0; j < W; j++) { carry += (uint64_t)r[j] * 10; r[j] = (uint32_t)carry; carry >>= 32; }
        if (carry || length(r) > bits) return TOO_LARGE;
    }
    return FITS;
}

static bool hexadecimal(num r, slice s, size_t bits) { /* a word: the most significant digit first */
    memset(r, 0, W * sizeof(uint32_t));
    if (s.size != (bits + 3) / 4) return false;
    for (size_t i = 0; i < s.size; i++) {
        char c = s.at[s.size - 1 - i];
        uint32_t digit = (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        r[i / 8] |= digit << (4 * (i % 8));
    }
    return length(r) <= bits;
}

static void print(const uint32_t *a) {
    num rest = zero();
    char *digits = take(10 * W + 2), *p = digits + 10 * W + 1;
    copy(rest, a);
    do *--p = (char)('0' + over(rest, 10)); while (!is_zero(rest));
    fputs(p, stdout);
}

static slice *pieces(slice s, char between, size_t *count) { /* what stands between the blanks; none of the empty text */
    slice *list = take((s.size + 1) * sizeof(slice));
    *count = 0;
    for (size_t from = 0, i = 0; s.size > 0 && i <= s.size; i++)
        if (i == s.size || s.at[i] == between) { list[(*count)++] = (slice){s.at + from, i - from}; from = i + 1; }
    return list;
}

typedef struct { num p, q; } rational;

static bool fraction(rational *r, slice s) { /* above 0, whatever its terms; W has room */
    size_t count;
    slice *both = pieces(s, '/', &count);
    *r = (rational){zero(), small(1)};
    if (count < 1 || count > 2 || decimal(r->p, both[0], 32 * W) != FITS) return false;
    if (count == 2 && decimal(r->q, both[1], 32 * W) != FITS) return false;
    return !is_zero(r->p) && !is_zero(r->q);
}

/* Tables. */

typedef struct {
    size_t bits, h;                /* B, and how many weights the head has */
    num n, tail, last, stretch;    /* stretch = n - h: how many weights are equal to tail */
    num *head, *sum;               /* w_0, ..., w_(h-1), and S_0, ..., S_h */
} table;

/* Reads a table; gives 0, or the name of the condition that fails already. Where a number has more than B + 1 bits, so has the sum. */
static const char *read_table(table *t, size_t bits, slice n, const slice *head, size_t h, slice tail, slice last) {
    bool large = false;
    *t = (table){bits, h, zero(), zero(), zero(), zero(), take((h + 1) * sizeof(num)), take((h + 1) * sizeof(num))};
    for (size_t i = 0; i < h + 3; i++) {
        num r = i == h ? t->n : i == h + 1 ? t->tail : i == h + 2 ? t->last : (t->head[i] = zero());
        sort_of sort = decimal(r, i == h ? n : i == h + 1 ? tail : i == h + 2 ? last : head[i], bits + 1);
        if (sort == NEGATIVE || (sort == FITS && is_zero(r))) return "shape";
        large |= sort == TOO_LARGE;
        if (i == h && sort == FITS && !below(small((uint32_t)h), r)) return "shape";
    }
    if (large) return "sum";
    sub(t->stretch, t->n, small((uint32_t)h));
    times(t->sum[h] = zero(), t->stretch, t->tail); /* S_h = w_n + (n - h) w_h */
    add(t->sum[h], t->sum[h], t->last);
    for (size_t j = h; j-- > 0;) add(t->sum[j] = zero(), t->sum[j + 1], t->head[j]);
    return 0;
}

/* w_0 + 2(w_1 + ... + w_n) = 2^B: it is S_0 + S_0 - w_0. */
static bool sums_up(const table *t) {
    num both = zero();
    add(both, t->sum[0], t->sum[0]);
    sub(both, both, t->h ? t->head[0] : t->tail);
    return memcmp(both, power(t->bits), W * sizeof(uint32_t)) == 0;
}

/* S_b for a public b < n. */
static void sum_from(num r, const table *t, const uint32_t *b) {
    num left = zero();
    if (below(b, small((uint32_t)t->h))) { copy(r, t->sum[b[0]]); return; }
    sub(left, t->n, b);
    times(r, left, t->tail);
    add(r, r, t->last);
}

/* How many j in 1..n have m < S_j: of the head's sums each is looked at. Of the stretch, where S_(n-i) = w_n + i w_h for 0 <= i < n - h, q of them
   are at most m, and q is found bit by bit, from the first bit that n - h has: the greatest with w_n + (q - 1) w_h <= m and q <= n - h. */
static void sums_above(num z, const table *t, const uint32_t *m) {
    num reach = zero(), at = zero(), q = zero(), step = zero(), next_at = zero(), next_q = zero();
    uint32_t in_head = 0;
    for (size_t j = 1; j <= t->h; j++) in_head += below(m, t->sum[j]);
    add(reach, m, t->tail);
    copy(at, t->last);
    for (size_t i = length(t->stretch); i-- > 0;) {
        shift(step, t->tail, i);
        add(next_at, at, step);
        memset(step, 0, W * sizeof(uint32_t));
        step[i / 32] = (uint32_t)1 << (i % 32);
        add(next_q, q, step);
        uint32_t yes = (1 ^ below(reach, next_at)) & (1 ^ below(t->stretch, next_q));
        choose(at, yes, next_at, at);
        choose(q, yes, next_q, q);
    }
    sub(z, t->stretch, q);
    memset(step, 0, W * sizeof(uint32_t));
    step[0] = in_head;
    add(z, z, step);
}

/* count + Z clamped to 0..n, of the word u. Both directions are computed, and one is taken. */
static void draw(num noisy, const table *t, const uint32_t *count, const uint32_t *u) {
    num ones = zero(), m = zero(), z = zero(), down = zero(), up = zero(), none = zero();
    uint32_t direction = bit(u, t->bits - 1); /* the first bit: 1 means up */
    sub(ones, power(t->bits), small(1));
    sub(m, ones, u);
    choose(m, direction, m, u); /* the complement of all B bits, or the word */
    sums_above(z, t, m);
    choose(down, sub(down, count, z), none, down); /* below 0 is 0 */
    add(up, count, z);
    choose(up, below(t->n, up), t->n, up); /* above n is n */
    choose(noisy, direction, up, down);
}

/* Is R at most e^x, for x = epsilon/2? By the series, in fixed point with so many places, rounded down and rounded up; e^x is no rational, so that some
   number of places decides. */
static bool at_most_exp(slice ratio, slice epsilon) {
    size_t of_ratio = most_bits(ratio), of_epsilon = most_bits(epsilon), count;
    slice *terms = pieces(ratio, '/', &count);
    of_ratio = most_bits(terms[0]) > most_bits(terms[count - 1]) ? most_bits(terms[0]) : most_bits(terms[count - 1]);
    for (size_t places = of_ratio + 64;; places *= 2) {
        rational r, e;
        width(2 * places + 4 * of_ratio + 2 * of_epsilon + 64);
        fraction(&r, ratio);
        fraction(&e, epsilon);
        num x = zero(), above = zero(), scratch = zero(), other = zero(), one = small(1);
        add(e.q, e.q, e.q);
        times(scratch, e.q, small((uint32_t)length(r.p)));
        if (!below(e.p, scratch)) return true; /* x >= bits of p, and R <= p < 2^bits < e^x */
        divide(x, e.p, places, e.q);
        add(above, x, one);
        num low = power(places), high = power(places), sum_low = power(places), sum_high = power(places); /* the term 1, and the sum */
        back(scratch, above, places);
        uint32_t enough = 2 * scratch[0] + 4; /* from that term on each is at most half of the one before */
        for (uint32_t k = 1; k < enough || length(high) > 2; k++) {
            times(scratch, low, x);
            back(low, scratch, places);
            over(low, k);
            times(scratch, high, above);
            back(high, scratch, places);
            add(high, high, one);
            over(high, k);
            add(high, high, one);
            add(sum_low, sum_low, low);
            add(sum_high, sum_high, high);
        }
        add(sum_high, sum_high, high); /* all terms that are left are together at most the last one */
        shift(scratch, r.p, places);
        times(other, r.q, sum_low);
        if (!below(other, scratch)) return true;
        times(other, r.q, sum_high);
        if (below(other, scratch)) return false;
    }
}

/* The privacy part of a certificate's check: 0, or the name of a condition that fails. The table has been read. */
static const char *fails(const table *t, slice epsilon, slice ratio) {
    rational r, e;
    num left = zero(), right = zero();
    bool positive = fraction(&r, ratio), descent = true, first = true, second = true;
    for (size_t j = 0; j < t->h; j++) { /* w_(j+1), and S_j, for j below h */
        const uint32_t *next = j + 1 < t->h ? t->head[j + 1] : t->tail;
        if (below(t->head[j], next)) descent = false;
        times(left, r.q, t->head[j]);
        times(right, r.p, next);
        if (below(right, left)) first = false;
        times(left, r.q, t->sum[j]);
        times(right, r.p, t->sum[j + 1]);
        if (below(right, left)) second = false;
    }
    num end = zero(); /* in the stretch (ii) says 1 + w_h/S_(j+1) <= R: its last case, j = n - 1, decides */
    add(end, t->tail, t->last);
    times(left, r.q, end);
    times(right, r.p, t->last);
    if (below(right, left)) second = false;
    if (!descent) return "descent";
    if (!first) return "i";
    if (!second) return "ii";
    if (!sums_up(t)) return "sum";
    if (!positive || !below(r.q, r.p) || !fraction(&e, epsilon) || !at_most_exp(ratio, epsilon)) return "R";
    return 0;
}

/* Certificates: JSON of three sorts of values. All that may stand in one is ASCII, so that other bytes and characters are refused as they come. */

typedef struct { const char *at, *end; bool bad; } reader;

static void blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool next(reader *r, char c) { /* reads c, with the blanks around it, where it is what comes */
    blanks(r);
    if (r->bad || r->at == r->end || *r->at != c) return false;
    r->at++;
    blanks(r);
    return true;
}

static void need(reader *r, char c) { if (!next(r, c)) r->bad = true; }

static slice string(reader *r) {
    char *text = take((size_t)(r->end - r->at) + 1);
    size_t size = 0;
    blanks(r);
    if (r->bad || r->at == r->end || *r->at++ != '"') { r->bad = true; return (slice){text, 0}; }
    while (r->at < r->end && *r->at != '"') {
        char c = *r->at++;
        if ((unsigned char)c < 32 || (unsigned char)c > 126) break;
        if (c == '\\') {
            static const char names[] = "\"\\/", hexes[] = "0123456789abcdef";
            if (r->at < r->end && *r->at && strchr(names, *r->at)) c = *r->at++;
            else if (r->end - r->at >= 5 && *r->at == 'u') {
                unsigned code = 0;
                for (int i = 1; i <= 4; i++) {
                    char digit = r->at[i];
                    const char *place = digit ? strchr(hexes, digit >= 'A' && digit <= 'F' ? digit + 32 : digit) : 0;
                    code = place ? 16 * code + (unsigned)(place - hexes) : 0xFFFFFu;
                }
                if (code < 32 || code > 126) break;
                c = (char)code;
                r->at += 5;
            } else break;
        }
        text[size++] = c;
    }
    if (r->at == r->end || *r->at != '"') r->bad = true;
    else r->at++;
    return (slice){text, size};
}

static bool digits(slice s) { /* an integer without a sign or a leading 0 */
    for (size_t i = 0; i < s.size; i++) if (s.at[i] < '0' || s.at[i] > '9') return false;
    return s.size > 0 && (s.size == 1 || s.at[0] != '0');
}

static bool terms(slice s) { /* p/q or p */
    size_t count;
    slice *both = pieces(s, '/', &count);
    for (size_t i = 0; i < count; i++) if (!digits(both[i])) return false;
    return count == 1 || (count == 2 && !is(both[1], "0"));
}

static bool certificate(const char *bytes, size_t size) {
    static const char *const keys[] = {"format", "version", "bits", "epsilon", "ratio", "n", "head", "tail", "last"};
    enum { FORMAT, VERSION, BITS, EPSILON, RATIO, N, HEAD, TAIL, LAST, KEYS };
    reader r = {bytes, bytes + size, false};
    slice value[KEYS] = {{0, 0}}, *head = take((size / 2 + 1) * sizeof(slice));
    bool seen[KEYS] = {false};
    size_t h = 0;
    need(&r, '{');
    do {
        slice key = string(&r);
        int k = 0;
        while (k < KEYS && !is(key, keys[k])) k++;
        need(&r, ':');
        if (r.bad || k == KEYS || seen[k]) return false;
        seen[k] = true;
        if (k == HEAD) {
            need(&r, '[');
            if (next(&r, ']')) continue;
            do {
                head[h] = string(&r);
                if (r.bad || !digits(head[h++])) return false;
            } while (next(&r, ','));
            need(&r, ']');
        } else if (k == VERSION || k == BITS) {
            value[k].at = r.at;
            while (r.at < r.end && *r.at >= '0' && *r.at <= '9') r.at++;
            value[k].size = (size_t)(r.at - value[k].at);
        } else value[k] = string(&r);
    } while (next(&r, ','));
    need(&r, '}');
    if (r.bad || r.at != r.end) return false;
    for (int k = 0; k < KEYS; k++) if (!seen[k]) return false;
    if (!is(value[FORMAT], "finitedp dyadic table") || !is(value[VERSION], "1")) return false;
    if (!digits(value[BITS]) || value[BITS].size > 4 || !digits(value[N]) || !digits(value[TAIL]) || !digits(value[LAST])) return false;
    if (!terms(value[EPSILON]) || value[EPSILON].size > 1000 || !terms(value[RATIO]) || value[RATIO].size > 1000) return false;
    size_t bits = 0;
    for (size_t i = 0; i < value[BITS].size; i++) bits = 10 * bits + (size_t)(value[BITS].at[i] - '0');
    if (bits < 1 || bits > 4096) return false;
    table t;
    width(2 * bits + most_bits(value[RATIO]) + most_bits(value[EPSILON]) + 64);
    if (read_table(&t, bits, value[N], head, h, value[TAIL], value[LAST])) return false;
    return !fails(&t, value[EPSILON], value[RATIO]);
}

/* The protocol: one case a line, one answer a line. */

static char line[1 << 17];

static slice field(const char *key) { /* what stands behind "key":" up to the next quotation mark */
    char mark[32];
    snprintf(mark, sizeof mark, "\"%s\":\"", key);
    const char *at = strstr(line, mark);
    if (!at) { fprintf(stderr, "a line without %s\n", key); exit(3); }
    at += strlen(mark);
    return (slice){at, strcspn(at, "\"")};
}

static void begin(const char *result) {
    slice id = field("tcId");
    printf("{\"tcId\":\"%.*s\",\"result\":\"%s\"", (int)id.size, id.at, result);
}

static void invalid(const char *reason) {
    begin("invalid");
    if (reason) printf(",\"reason\":\"%s\"", reason);
}

static const char *table_of_line(table *t, size_t more) { /* 0, or what fails; `more` bits of room for what its numbers are multiplied by */
    size_t bits = strtoul(field("bits").at, 0, 10), h;
    if (bits < 1 || bits > 4096) { fputs("bits: 1 to 4096\n", stderr); exit(3); }
    slice *head = pieces(field("head"), ' ', &h);
    width(2 * bits + more + 64);
    return read_table(t, bits, field("n"), head, h, field("tail"), field("last"));
}

static void answer_table(void) {
    table t;
    slice epsilon = field("epsilon"), ratio = field("ratio");
    const char *reason = table_of_line(&t, most_bits(epsilon) + most_bits(ratio));
    if (!reason) reason = fails(&t, epsilon, ratio);
    if (reason) invalid(reason);
    else begin("valid");
}

static int of_hex(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static void answer_certificate(void) {
    slice text = field("text");
    char *bytes = take(text.size / 2 + 1);
    for (size_t i = 0; i < text.size / 2; i++) bytes[i] = (char)(16 * of_hex(text.at[2 * i]) + of_hex(text.at[2 * i + 1]));
    begin(certificate(bytes, text.size / 2) ? "valid" : "invalid");
}

static void answer_threshold(void) {
    table t;
    rational delta;
    slice text = field("delta");
    if (table_of_line(&t, 2 * most_bits(text)) || !sums_up(&t) || !fraction(&delta, text) || !below(delta.p, delta.q)) { invalid(0); return; }
    num allowed = zero(), b = zero(), there = zero();
    divide(allowed, delta.p, t.bits, delta.q);  /* S_b/2^B <= delta where S_b <= floor(delta 2^B) */
    sums_above(b, &t, allowed);                 /* S_1, ..., S_b are above it, and no later one */
    if (below(allowed, t.sum[0])) add(b, b, small(1)); /* so is S_0 = 2^B - S_1 */
    if (!below(b, t.n)) copy(b, t.n);           /* nothing is above n */
    else sum_from(there, &t, b);
    begin("valid");
    fputs(",\"threshold\":\"", stdout);
    print(b);
    fputs("\",\"deltaThere\":\"", stdout);
    print(there);
    fputs("/", stdout);
    print(power(t.bits));
    fputs("\"", stdout);
}

static void answer_draw(void) {
    table t;
    size_t words;
    slice *tape = pieces(field("tape"), ' ', &words);
    if (table_of_line(&t, 0) || !sums_up(&t)) { invalid(0); return; }
    num count = zero(), word = zero(), noisy = zero();
    if (decimal(count, field("count"), t.bits) != FITS || below(t.n, count)) { invalid(0); return; }
    if (words < 1 || !hexadecimal(word, tape[0], t.bits)) { invalid(0); return; }
    draw(noisy, &t, count, word);
    begin("valid");
    fputs(",\"output\":\"", stdout);
    print(noisy);
    printf("\",\"bitsRead\":\"%zu\"", t.bits);
}

typedef struct { slice label; num count, noisy; } bin;

static int by_bytes(const void *a, const void *b) { /* as code points sort */
    slice x = ((const bin *)a)->label, y = ((const bin *)b)->label;
    int order = memcmp(x.at, y.at, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

static void answer_release(void) {
    table t;
    size_t given, labels, words, bins = 0;
    slice *label = pieces(field("labels"), ' ', &labels), *text = pieces(field("counts"), ' ', &given), *tape = pieces(field("tape"), ' ', &words);
    bool stability = is(field("mechanism"), "stability");
    if (table_of_line(&t, 0) || !sums_up(&t) || labels != given) { invalid(0); return; }
    bin *list = take((labels + 1) * sizeof(bin));
    num total = zero(), threshold = zero(), word = zero();
    for (size_t i = 0; i < labels; i++) {
        num count = zero();
        if (decimal(count, text[i], t.bits) != FITS) { invalid(0); return; }
        add(total, total, count);
        if (below(t.n, total)) { invalid(0); return; }
        if (!stability || !is_zero(count)) list[bins++] = (bin){label[i], count, zero()};
    }
    if (decimal(threshold, field("threshold"), t.bits) != FITS) { invalid(0); return; }
    if (stability) qsort(list, bins, sizeof(bin), by_bytes);
    size_t read = bins;
    if (is(field("padded"), "yes")) { /* n words, used or not */
        if (below(small((uint32_t)words), t.n)) { invalid(0); return; }
        read = t.n[0];
    }
    if (words < read) { invalid(0); return; }
    for (size_t i = 0; i < read; i++) {
        if (!hexadecimal(word, tape[i], t.bits)) { invalid(0); return; }
        if (i < bins) draw(list[i].noisy, &t, list[i].count, word);
    }
    begin("valid");
    for (int what = 0; what < 2; what++) {
        const char *before = "";
        fputs(what ? "\",\"releasedCounts\":\"" : ",\"releasedLabels\":\"", stdout);
        for (size_t i = 0; i < bins; i++) {
            if (stability && !below(threshold, list[i].noisy)) continue;
            fputs(before, stdout);
            before = " ";
            if (what) print(list[i].noisy);
            else printf("%.*s", (int)list[i].label.size, list[i].label.at);
        }
    }
    printf("\",\"bitsRead\":\"%zu\"", t.bits * read);
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        slice type = field("type");
        if (is(type, "Draw")) answer_draw();
        else if (is(type, "Release")) answer_release();
        else if (is(type, "Threshold")) answer_threshold();
        else if (is(type, "Table")) answer_table();
        else if (is(type, "Certificate")) answer_certificate();
        else { fprintf(stderr, "no cases of type %.*s\n", (int)type.size, type.at); return 3; }
        puts("}");
        fflush(stdout);
        give_back();
    }
    return 0;
}
