// DyadicSample, BasicHistogram, StabilityHistogram, its threshold, and the check of a table and its certificate, in JavaScript without a package.
//
//     finitedp vectors run --group draw --group release --group threshold --group table --group certificate -- node dyadic.mjs
//
// Written from docs/vectors.md and docs/dyadic.md alone. All numbers are BigInt: a Number would round beyond 2^53.
//
// A draw does the same operations whatever word and count are: all sums of the head are compared, the stretch is bisected in a number of steps that the
// table gives, and both directions are computed. How long one operation on BigInts takes depends on their values, which this language cannot hide.

import { createInterface } from "node:readline";

class Refused extends Error {} // input that is to be refused; its message is the reason, where the type has reasons

const refuse = (reason = "") => { throw new Refused(reason); };
const below = (a, b) => BigInt(a < b); // 1 where a < b, else 0
const choose = (yes, a, b) => yes * a + (1n - yes) * b; // a where yes is 1, b where it is 0
const length = (a) => a.toString(2).length; // the number of bits of a number above 0
const list = (text) => (text === "" ? [] : text.split(" ")); // the empty text is the empty list

function rational(text) {
  const [p, q = "1"] = text.split("/");
  return [BigInt(p), BigInt(q)];
}

// Tables. sum[j] is S_j for j = 0, ..., h; the stretch is the n - h weights that are equal to tail.

function readTable({ bits, n, head, tail, last }) {
  const table = { bits: BigInt(bits), n: BigInt(n), head: head.map(BigInt), tail: BigInt(tail), last: BigInt(last) };
  const h = table.head.length;
  table.stretch = table.n - BigInt(h);
  if (table.n < 1n || table.stretch < 1n) refuse("shape");
  if (![...table.head, table.tail, table.last].every((weight) => weight >= 1n)) refuse("shape");
  table.sum = [];
  table.sum[h] = table.last + table.stretch * table.tail;
  for (let j = h - 1; j >= 0; j--) table.sum[j] = table.sum[j + 1] + table.head[j];
  return table;
}

// w_0 + 2(w_1 + ... + w_n) = 2^B: it is S_0 + S_0 - w_0.
function sumsUp(table) {
  const w0 = table.head.length > 0 ? table.head[0] : table.tail;
  return 2n * table.sum[0] - w0 === 1n << table.bits;
}

// The table of a line of Draw, Release or Threshold: it has to be one whose law is a law.
function tableOf(fields) {
  const table = readTable({ ...fields, head: list(fields.head) });
  if (!sumsUp(table)) refuse();
  return table;
}

// S_b for a public b < n.
function sumFrom(table, b) {
  return b < table.head.length ? table.sum[Number(b)] : table.last + (table.n - b) * table.tail;
}

// How many j in 1..n have m < S_j. In the stretch S_(n-i) = w_n + i w_h for 0 <= i < n - h; q of them are at most m, and q is found bit by bit, from the
// first bit that n - h has: the greatest with w_n + (q - 1) w_h <= m and q <= n - h.
function sumsAbove(table, m) {
  let inHead = 0n;
  for (let j = 1; j <= table.head.length; j++) inHead += below(m, table.sum[j]);
  let q = 0n;
  for (let i = BigInt(length(table.stretch)) - 1n; i >= 0n; i--) {
    const next = q + (1n << i);
    const at = table.last + (next - 1n) * table.tail;
    const yes = (1n - below(m, at)) * (1n - below(table.stretch, next));
    q = choose(yes, next, q);
  }
  return inHead + table.stretch - q;
}

// count + Z clamped to 0..n, of the word u.
function draw(table, count, u) {
  const direction = u >> (table.bits - 1n); // the first bit: 1 means up
  const m = choose(direction, (1n << table.bits) - 1n - u, u); // the complement of all B bits, or the word
  const z = sumsAbove(table, m);
  const down = count - z;
  const up = count + z;
  return choose(direction, choose(below(table.n, up), table.n, up), choose(below(down, 0n), 0n, down));
}

function word(table, tape, i) {
  if (i >= tape.length) refuse();
  return BigInt(`0x${tape[i]}`); // the most significant digit comes first
}

// The least b in 0..n with S_b/2^B <= delta, where S_b <= floor(delta 2^B), and that probability; above n there is nothing.
function threshold(table, [p, q]) {
  if (p <= 0n || p >= q) refuse();
  const allowed = (p << table.bits) / q;
  let b = sumsAbove(table, allowed); // S_1, ..., S_b are above it, and no later one
  b += below(allowed, table.sum[0]); // so is S_0 = 2^B - S_1
  return b < table.n ? [b, sumFrom(table, b)] : [table.n, 0n];
}

// Is p/q at most e^(a/b)? By the series, in fixed point with so many places, rounded down and rounded up; e^x is no rational where x is none but 0, so that
// some number of places decides.
function atMostExp([p, q], [a, b]) {
  if (a >= b * BigInt(length(p))) return true; // p/q <= p < 2^length < e^length
  for (let places = BigInt(length(p) + length(q) + 64); ; places *= 2n) {
    const x = (a << places) / b;
    const enough = 2n * (a / b) + 4n; // from that term on each is at most half of the one before
    let [low, high] = [1n << places, 1n << places]; // the term 1
    let [sumLow, sumHigh] = [low, high];
    for (let k = 1n; k < enough || high > 2n; k++) {
      low = ((low * x) >> places) / k;
      high = (((high * (x + 1n)) >> places) + 1n) / k + 1n;
      sumLow += low;
      sumHigh += high;
    }
    sumHigh += high; // all terms that are left are together at most the last one
    if (p << places <= q * sumLow) return true;
    if (p << places > q * sumHigh) return false;
  }
}

// The privacy part of a certificate's check: refuses a table by the name of a condition that fails.
function check(table, epsilon, ratio) {
  const [p, q] = ratio;
  const weights = [...table.head, table.tail];
  let [descent, first, second] = [true, true, true];
  for (let j = 0; j < table.head.length; j++) {
    if (weights[j] < weights[j + 1]) descent = false;
    if (q * weights[j] > p * weights[j + 1]) first = false;
    if (q * table.sum[j] > p * table.sum[j + 1]) second = false;
  }
  // in the stretch (ii) says 1 + w_h/S_(j+1) <= R: its last case, j = n - 1, decides
  if (q * (table.tail + table.last) > p * table.last) second = false;
  if (!descent) refuse("descent");
  if (!first) refuse("i");
  if (!second) refuse("ii");
  if (!sumsUp(table)) refuse("sum");
  const [a, b] = epsilon;
  if (a <= 0n || p <= q || !atMostExp(ratio, [a, 2n * b])) refuse("R");
}

// Certificates: JSON of three sorts of values, read by hand, since JSON.parse takes a key twice and 1.0 for 1. All that may stand in one is ASCII.

function readCertificate(bytes) {
  const text = String.fromCharCode(...bytes);
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? refuse();
    at = pattern.lastIndex;
    return found[0];
  };
  const next = (c) => {
    take(/[ \t\n\r]*/y);
    const there = text[at] === c;
    if (there) at++;
    take(/[ \t\n\r]*/y);
    return there;
  };
  const need = (c) => next(c) || refuse();
  const string = () => JSON.parse(take(/"(?:[ !#-[\]-~]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y));
  const integer = () => take(/0|[1-9][0-9]*/y);
  const strings = () => {
    const found = [];
    need("[");
    if (next("]")) return found;
    do found.push(string()); while (next(","));
    need("]");
    return found;
  };
  const kinds = { format: string, version: integer, bits: integer, epsilon: string, ratio: string, n: string, head: strings, tail: string, last: string };
  const found = new Map();
  need("{");
  do {
    const key = string();
    need(":");
    if (!Object.hasOwn(kinds, key) || found.has(key)) refuse();
    found.set(key, kinds[key]());
  } while (next(","));
  need("}");
  if (at !== text.length || found.size !== Object.keys(kinds).length) refuse();
  return Object.fromEntries(found);
}

function checkCertificate(bytes) {
  const found = readCertificate(bytes);
  const digits = /^(?:0|[1-9][0-9]*)$/;
  const terms = /^(?:0|[1-9][0-9]*)(?:\/[1-9][0-9]*)?$/;
  if (found.format !== "finitedp dyadic table" || found.version !== "1") refuse();
  if (found.bits.length > 4 || Number(found.bits) < 1 || Number(found.bits) > 4096) refuse();
  if (![found.n, found.tail, found.last, ...found.head].every((text) => digits.test(text))) refuse();
  if (!terms.test(found.epsilon) || found.epsilon.length > 1000 || !terms.test(found.ratio) || found.ratio.length > 1000) refuse();
  check(readTable(found), rational(found.epsilon), rational(found.ratio));
}

// The types of cases.

const byCodePoints = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)); // `<` would compare UTF-16

function release(fields) {
  const table = tableOf(fields);
  const stability = fields.mechanism === "stability";
  const [labels, counts, tape] = [list(fields.labels), list(fields.counts).map(BigInt), list(fields.tape)];
  if (labels.length !== counts.length || counts.some((count) => count < 0n)) refuse();
  if (counts.reduce((sum, count) => sum + count, 0n) > table.n) refuse();
  let bins = labels.map((label, i) => ({ label, count: counts[i] }));
  if (stability) bins = bins.filter(({ count }) => count > 0n).sort((a, b) => byCodePoints(a.label, b.label));
  let read = BigInt(bins.length);
  if (fields.padded === "yes") read = table.n; // n words, used or not
  if (BigInt(tape.length) < read) refuse();
  for (const [i, bin] of bins.entries()) bin.noisy = draw(table, bin.count, word(table, tape, i));
  const released = stability ? bins.filter(({ noisy }) => noisy > BigInt(fields.threshold)) : bins;
  return {
    releasedLabels: released.map(({ label }) => label).join(" "),
    releasedCounts: released.map(({ noisy }) => noisy).join(" "),
    bitsRead: `${read * table.bits}`,
  };
}

const answers = {
  Draw(fields) {
    const table = tableOf(fields);
    const count = BigInt(fields.count);
    if (count < 0n || count > table.n) refuse();
    return { output: `${draw(table, count, word(table, list(fields.tape), 0))}`, bitsRead: fields.bits };
  },
  Release: release,
  Threshold(fields) {
    const table = tableOf(fields);
    const [b, there] = threshold(table, rational(fields.delta));
    return { threshold: `${b}`, deltaThere: `${there}/${1n << table.bits}` };
  },
  Table(fields) {
    check(readTable({ ...fields, head: list(fields.head) }), rational(fields.epsilon), rational(fields.ratio));
    return {};
  },
  Certificate(fields) {
    checkCertificate(Buffer.from(fields.text, "hex"));
    return {};
  },
};

function answer(fields) {
  try {
    return { result: "valid", ...answers[fields.type](fields) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.message ? { result: "invalid", reason: error.message } : { result: "invalid" };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const fields = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ tcId: fields.tcId, ...answer(fields) })}\n`);
}
