//! DyadicSample, BasicHistogram, StabilityHistogram, its threshold, and the check of a table and its certificate, in Rust with `std` alone.
//!
//! ```text
//! rustc --edition 2021 -O -o dyadic dyadic.rs
//! finitedp vectors run --group draw --group release --group threshold --group table --group certificate -- ./dyadic
//! ```
//!
//! Written from docs/vectors.md and docs/dyadic.md alone. Words have up to 4096 bits, and counts may be as large as n, which a table's words bound.
//!
//! A number is a fixed number of limbs of 32 bits, the least significant first: the same for all numbers of a case, from its public parameters. So every
//! operation on the word, on the noise and on the counts takes the same steps whatever they are: no early exit, no branch and no address depends on them.
//! Reading and printing decimal digits, and sorting labels, take time that depends on the data: they belong to the protocol, and a program that releases
//! something has to hide them otherwise.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

// Numbers.

#[derive(Clone, PartialEq)]
struct Num(Vec<u32>);

/// How many limbs hold so many bits, and one more.
fn limbs(bits: usize) -> usize {
    bits / 32 + 1
}

impl Num {
    fn small(width: usize, value: u32) -> Num {
        let mut limbs = vec![0; width];
        limbs[0] = value;
        Num(limbs)
    }

    fn power(width: usize, i: usize) -> Num {
        Num::small(width, 1).shift(i)
    }

    fn width(&self) -> usize {
        self.0.len()
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&limb| limb == 0)
    }

    fn bit(&self, i: usize) -> u32 {
        self.0[i / 32] >> (i % 32) & 1
    }

    /// The number of its bits.
    fn length(&self) -> usize {
        (0..32 * self.width()).rev().find(|&i| self.bit(i) == 1).map_or(0, |i| i + 1)
    }

    fn add(&self, other: &Num) -> Num {
        let mut carry = 0u64;
        let sum = self.0.iter().zip(&other.0).map(|(&a, &b)| {
            carry += u64::from(a) + u64::from(b);
            let limb = carry as u32;
            carry >>= 32;
            limb
        });
        Num(sum.collect())
    }

    /// The difference, and 1 where it is below 0.
    fn sub(&self, other: &Num) -> (Num, u32) {
        let mut borrow = 0u64;
        let difference = self.0.iter().zip(&other.0).map(|(&a, &b)| {
            let limb = u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(borrow);
            borrow = limb >> 63;
            limb as u32
        });
        let limbs = difference.collect();
        (Num(limbs), borrow as u32)
    }

    /// 1 where it is below the other one, else 0.
    fn below(&self, other: &Num) -> u32 {
        self.sub(other).1
    }

    /// `yes` where the choice is 1, `no` where it is 0.
    fn choose(choice: u32, yes: &Num, no: &Num) -> Num {
        let mask = 0u32.wrapping_sub(choice);
        Num(yes.0.iter().zip(&no.0).map(|(&a, &b)| (a & mask) | (b & !mask)).collect())
    }

    /// Times 2^by.
    fn shift(&self, by: usize) -> Num {
        let (whole, bits) = (by / 32, by % 32);
        let limb = |i: usize| if i < whole { 0 } else { u64::from(self.0[i - whole]) };
        let two = |i: usize| limb(i) << 32 | if i > 0 { limb(i - 1) } else { 0 };
        Num((0..self.width()).map(|i| (two(i) >> (32 - bits)) as u32).collect())
    }

    /// Over 2^by, rounded down.
    fn back(&self, by: usize) -> Num {
        let (whole, bits) = (by / 32, by % 32);
        let limb = |i: usize| self.0.get(i + whole).map_or(0, |&limb| u64::from(limb));
        Num((0..self.width()).map(|i| ((limb(i) | limb(i + 1) << 32) >> bits) as u32).collect())
    }

    /// The product, which has room; of public numbers alone.
    fn times(&self, other: &Num) -> Num {
        let mut product = vec![0u32; self.width()];
        for (i, &a) in self.0.iter().enumerate().filter(|(_, &a)| a > 0) {
            let mut carry = 0u64;
            for (limb, &b) in product[i..].iter_mut().zip(&other.0) {
                carry += u64::from(a) * u64::from(b) + u64::from(*limb);
                *limb = carry as u32;
                carry >>= 32;
            }
        }
        Num(product)
    }

    /// Over a small number, rounded down, and the remainder.
    fn over(&self, divisor: u32) -> (Num, u32) {
        let mut rest = 0u64;
        let mut quotient = self.clone();
        for limb in quotient.0.iter_mut().rev() {
            rest = rest << 32 | u64::from(*limb);
            *limb = (rest / u64::from(divisor)) as u32;
            rest %= u64::from(divisor);
        }
        (quotient, rest as u32)
    }

    /// floor(self 2^places / divisor), bit by bit.
    fn divide(&self, places: usize, divisor: &Num) -> Num {
        let width = self.width();
        let (mut quotient, mut rest) = (Num::small(width, 0), Num::small(width, 0));
        for i in (0..self.length() + places).rev() {
            rest = rest.shift(1);
            rest.0[0] |= if i >= places { self.bit(i - places) } else { 0 };
            let (less, too_small) = rest.sub(divisor);
            quotient = quotient.shift(1);
            quotient.0[0] |= 1 - too_small;
            rest = Num::choose(too_small, &rest, &less);
        }
        quotient
    }

    fn text(&self) -> String {
        let mut digits = Vec::new();
        let mut rest = self.clone();
        loop {
            let (quotient, digit) = rest.over(10);
            digits.push(char::from(b'0' + digit as u8));
            rest = quotient;
            if rest.is_zero() {
                return digits.iter().rev().collect();
            }
        }
    }
}

// Text.

/// Why input is refused: the reason, where the type has reasons.
type Refused = &'static str;

enum Read {
    Fits(Num),
    TooLarge,
    Negative,
}

/// A number below 2^bits.
fn decimal(text: &str, width: usize, bits: usize) -> Read {
    if text.is_empty() || text.starts_with('-') {
        return Read::Negative;
    }
    let mut number = Num::small(width, 0);
    for digit in text.bytes() {
        let mut carry = u64::from(digit - b'0');
        for limb in number.0.iter_mut() {
            carry += u64::from(*limb) * 10;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 || number.length() > bits {
            return Read::TooLarge;
        }
    }
    Read::Fits(number)
}

fn number(text: &str, width: usize, bits: usize) -> Result<Num, Refused> {
    match decimal(text, width, bits) {
        Read::Fits(number) => Ok(number),
        _ => Err(""),
    }
}

/// A word: the most significant digit comes first.
fn word(text: &str, width: usize, bits: usize) -> Result<Num, Refused> {
    let mut number = Num::small(width, 0);
    if text.len() != bits.div_ceil(4) {
        return Err("");
    }
    for (i, digit) in text.chars().rev().enumerate() {
        number.0[i / 8] |= digit.to_digit(16).ok_or("")? << (4 * (i % 8));
    }
    Ok(number)
}

/// The empty text is the empty list.
fn list(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split(' ').collect() }
}

/// The bits of a number of as many decimal digits, at most: log2(10) < 10/3.
fn most_bits(text: &str) -> usize {
    text.len() * 10 / 3 + 1
}

/// p and q of a rational above 0.
fn rational(text: &str, width: usize) -> Result<(Num, Num), Refused> {
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    let (p, q) = (number(p, width, 32 * width)?, number(q, width, 32 * width)?);
    if p.is_zero() || q.is_zero() { Err("") } else { Ok((p, q)) }
}

// Tables.

struct Table {
    bits: usize,
    width: usize,
    n: Num,
    /// w_0, ..., w_(h-1)
    head: Vec<Num>,
    tail: Num,
    last: Num,
    /// n - h: how many weights are equal to tail
    stretch: Num,
    /// S_0, ..., S_h
    sum: Vec<Num>,
}

/// Reads a table; its numbers have room for what `more` bits multiply them by. Where one has more than B + 1 bits, so has the sum.
fn read_table(bits: usize, more: usize, n: &str, head: &[&str], tail: &str, last: &str) -> Result<Table, Refused> {
    let width = limbs(2 * bits + more + 64);
    let (h, mut large, mut numbers) = (Num::small(width, head.len() as u32), false, Vec::new());
    for (i, text) in head.iter().chain([&tail, &last, &n]).enumerate() {
        match decimal(text, width, bits + 1) {
            Read::Fits(number) if number.is_zero() => return Err("shape"),
            Read::Fits(number) if i == head.len() + 2 && h.below(&number) == 0 => return Err("shape"),
            Read::Fits(number) => numbers.push(number),
            Read::TooLarge => large = true,
            Read::Negative => return Err("shape"),
        }
    }
    if large {
        return Err("sum");
    }
    let [tail, last, n] = <[Num; 3]>::try_from(numbers.split_off(head.len())).ok().ok_or("shape")?;
    let stretch = n.sub(&h).0;
    let mut sum = vec![stretch.times(&tail).add(&last)]; // S_h = w_n + (n - h) w_h
    for weight in numbers.iter().rev() {
        sum.push(sum[sum.len() - 1].add(weight));
    }
    sum.reverse();
    Ok(Table { bits, width, n, head: numbers, tail, last, stretch, sum })
}

impl Table {
    /// w_0 + 2(w_1 + ... + w_n) = 2^B: it is S_0 + S_0 - w_0.
    fn sums_up(&self) -> bool {
        let w_0 = self.head.first().unwrap_or(&self.tail);
        self.sum[0].add(&self.sum[0]).sub(w_0).0 == Num::power(self.width, self.bits)
    }

    /// S_b for a public b < n.
    fn sum_from(&self, b: &Num) -> Num {
        if b.below(&Num::small(self.width, self.head.len() as u32)) == 1 {
            return self.sum[b.0[0] as usize].clone();
        }
        self.n.sub(b).0.times(&self.tail).add(&self.last)
    }

    /// How many j in 1..n have m < S_j: of the head's sums each is looked at. In the stretch S_(n-i) = w_n + i w_h for 0 <= i < n - h; q of them are at
    /// most m, and q is found bit by bit, from the first bit that n - h has: the greatest with w_n + (q - 1) w_h <= m and q <= n - h.
    fn sums_above(&self, m: &Num) -> Num {
        let in_head: u32 = self.sum[1..].iter().map(|sum| m.below(sum)).sum();
        let reach = m.add(&self.tail);
        let (mut at, mut q) = (self.last.clone(), Num::small(self.width, 0));
        for i in (0..self.stretch.length()).rev() {
            let (next_at, next_q) = (at.add(&self.tail.shift(i)), q.add(&Num::power(self.width, i)));
            let yes = (1 ^ reach.below(&next_at)) & (1 ^ self.stretch.below(&next_q));
            at = Num::choose(yes, &next_at, &at);
            q = Num::choose(yes, &next_q, &q);
        }
        self.stretch.sub(&q).0.add(&Num::small(self.width, in_head))
    }

    /// count + Z clamped to 0..n, of the word u. Both directions are computed, and one is taken.
    fn draw(&self, count: &Num, u: &Num) -> Num {
        let (zero, one) = (Num::small(self.width, 0), Num::small(self.width, 1));
        let direction = u.bit(self.bits - 1); // the first bit: 1 means up
        let complement = Num::power(self.width, self.bits).sub(&one).0.sub(u).0; // of all B bits
        let z = self.sums_above(&Num::choose(direction, &complement, u));
        let (down, negative) = count.sub(&z);
        let up = count.add(&z);
        let down = Num::choose(negative, &zero, &down);
        let up = Num::choose(self.n.below(&up), &self.n, &up);
        Num::choose(direction, &up, &down)
    }

    /// The least b in 0..n with S_b/2^B <= delta, where S_b <= floor(delta 2^B), and that S_b; above n there is nothing.
    fn threshold(&self, delta: &(Num, Num)) -> Result<(Num, Num), Refused> {
        if delta.0.below(&delta.1) == 0 {
            return Err("");
        }
        let allowed = delta.0.divide(self.bits, &delta.1);
        let b = self.sums_above(&allowed); // S_1, ..., S_b are above it, and no later one
        let b = b.add(&Num::small(self.width, allowed.below(&self.sum[0]))); // so is S_0 = 2^B - S_1
        if b.below(&self.n) == 1 { Ok((b.clone(), self.sum_from(&b))) } else { Ok((self.n.clone(), Num::small(self.width, 0))) }
    }

    /// The privacy part of a certificate's check: the name of a condition that fails.
    fn check(&self, epsilon: &str, ratio: &str) -> Result<(), Refused> {
        let r = rational(ratio, self.width);
        let (p, q) = r.clone().unwrap_or((Num::small(self.width, 0), Num::small(self.width, 1)));
        let at_most_r_times = |a: &Num, b: &Num| p.times(b).below(&q.times(a)) == 0;
        let next = |j: usize| self.head.get(j + 1).unwrap_or(&self.tail);
        let steps = || self.head.iter().enumerate();
        if steps().any(|(j, weight)| weight.below(next(j)) == 1) {
            return Err("descent");
        }
        if !steps().all(|(j, weight)| at_most_r_times(weight, next(j))) {
            return Err("i");
        }
        // in the stretch (ii) says 1 + w_h/S_(j+1) <= R: its last case, j = n - 1, decides
        if !self.sum.windows(2).all(|two| at_most_r_times(&two[0], &two[1])) || !at_most_r_times(&self.tail.add(&self.last), &self.last) {
            return Err("ii");
        }
        if !self.sums_up() {
            return Err("sum");
        }
        if r.is_err() || q.below(&p) == 0 || rational(epsilon, self.width).is_err() || !at_most_exp(ratio, epsilon) {
            return Err("R");
        }
        Ok(())
    }
}

/// Is R at most e^x, for x = epsilon/2? By the series, in fixed point with so many places, rounded down and rounded up; e^x is no rational, so that some
/// number of places decides.
fn at_most_exp(ratio: &str, epsilon: &str) -> bool {
    let of_ratio = ratio.split('/').map(most_bits).max().unwrap_or(0);
    let mut places = of_ratio + 64;
    loop {
        let width = limbs(2 * places + 4 * of_ratio + 2 * most_bits(epsilon) + 64);
        let (Ok((p, q)), Ok((a, b))) = (rational(ratio, width), rational(epsilon, width)) else { return false };
        let (b, one) = (b.add(&b), Num::small(width, 1));
        if a.below(&b.times(&Num::small(width, p.length() as u32))) == 0 {
            return true; // x >= bits of p, and R <= p < 2^bits < e^x
        }
        let x = a.divide(places, &b);
        let above = x.add(&one);
        let enough = 2 * above.back(places).0[0] + 4; // from that term on each is at most half of the one before
        let (mut low, mut high) = (Num::power(width, places), Num::power(width, places)); // the term 1
        let (mut sum_low, mut sum_high) = (low.clone(), high.clone());
        let mut k = 1;
        while k < enough || high.length() > 2 {
            low = low.times(&x).back(places).over(k).0;
            high = high.times(&above).back(places).add(&one).over(k).0.add(&one);
            sum_low = sum_low.add(&low);
            sum_high = sum_high.add(&high);
            k += 1;
        }
        sum_high = sum_high.add(&high); // all terms that are left are together at most the last one
        let shifted = p.shift(places);
        if q.times(&sum_low).below(&shifted) == 0 {
            return true;
        }
        if q.times(&sum_high).below(&shifted) == 1 {
            return false;
        }
        places *= 2;
    }
}

// Certificates: JSON of three sorts of values. All that may stand in one is ASCII, so that other bytes and characters are refused as they come.

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while let Some((b' ' | b'\t' | b'\n' | b'\r', rest)) = self.rest.split_first() {
            self.rest = rest;
        }
    }

    fn byte(&mut self) -> Result<u8, Refused> {
        let (&first, rest) = self.rest.split_first().ok_or("")?;
        self.rest = rest;
        Ok(first)
    }

    /// Reads the byte, with the blanks around it, where it is what comes.
    fn next(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.rest.first() == Some(&byte);
        if there {
            self.rest = &self.rest[1..];
        }
        self.blanks();
        there
    }

    fn need(&mut self, byte: u8) -> Result<(), Refused> {
        if self.next(byte) { Ok(()) } else { Err("") }
    }

    fn string(&mut self) -> Result<String, Refused> {
        let mut text = String::new();
        if self.byte()? != b'"' {
            return Err("");
        }
        loop {
            match self.byte()? {
                b'"' => return Ok(text),
                b'\\' => match self.byte()? {
                    byte @ (b'"' | b'\\' | b'/') => text.push(char::from(byte)),
                    b'u' => {
                        let mut code = 0;
                        for _ in 0..4 {
                            code = 16 * code + char::from(self.byte()?).to_digit(16).ok_or("")?;
                        }
                        text.push(char::from_u32(code).filter(|c| (' '..='~').contains(c)).ok_or("")?);
                    }
                    _ => return Err(""),
                },
                byte @ b' '..=b'~' => text.push(char::from(byte)),
                _ => return Err(""),
            }
        }
    }

    fn integer(&mut self) -> String {
        let mut text = String::new();
        while let Some((&byte @ b'0'..=b'9', rest)) = self.rest.split_first() {
            text.push(char::from(byte));
            self.rest = rest;
        }
        text
    }

    fn strings(&mut self) -> Result<Vec<String>, Refused> {
        let mut found = Vec::new();
        self.need(b'[')?;
        if self.next(b']') {
            return Ok(found);
        }
        loop {
            found.push(self.string()?);
            if !self.next(b',') {
                self.need(b']')?;
                return Ok(found);
            }
        }
    }
}

/// An integer without a sign or a leading 0.
fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

/// p/q or p.
fn terms(text: &str) -> bool {
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    digits(p) && digits(q) && q != "0"
}

fn certificate(bytes: &[u8]) -> Result<(), Refused> {
    let mut reader = Reader { rest: bytes };
    let (mut found, mut head): (HashMap<String, String>, Option<Vec<String>>) = (HashMap::new(), None);
    reader.need(b'{')?;
    loop {
        let key = reader.string()?;
        reader.need(b':')?;
        if found.contains_key(&key) || (key == "head" && head.is_some()) {
            return Err("");
        }
        match key.as_str() {
            "head" => head = Some(reader.strings()?),
            "version" | "bits" => drop(found.insert(key, reader.integer())),
            "format" | "epsilon" | "ratio" | "n" | "tail" | "last" => drop(found.insert(key, reader.string()?)),
            _ => return Err(""),
        }
        if !reader.next(b',') {
            break;
        }
    }
    reader.need(b'}')?;
    let head = head.ok_or("")?;
    let value = |key: &str| found.get(key).map(String::as_str).ok_or("");
    let (epsilon, ratio, bits) = (value("epsilon")?, value("ratio")?, value("bits")?);
    if !reader.rest.is_empty() || value("format")? != "finitedp dyadic table" || value("version")? != "1" || !digits(bits) {
        return Err("");
    }
    let bits: usize = bits.parse().ok().filter(|bits| (1..=4096).contains(bits)).ok_or("")?;
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let (n, tail, last) = (value("n")?, value("tail")?, value("last")?);
    if !head.iter().chain([&n, &tail, &last]).all(|text| digits(text)) {
        return Err("");
    }
    if !terms(epsilon) || epsilon.len() > 1000 || !terms(ratio) || ratio.len() > 1000 {
        return Err("");
    }
    read_table(bits, most_bits(epsilon) + most_bits(ratio), n, &head, tail, last)?.check(epsilon, ratio)
}

// The protocol: one case a line, one answer a line. No value holds a quotation mark or a backslash, so that a line is a list of texts between them.

type Fields<'a> = HashMap<&'a str, &'a str>;

fn fields(line: &str) -> Fields<'_> {
    let texts: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    texts.chunks_exact(2).map(|two| (two[0], two[1])).collect()
}

fn bits_of(fields: &Fields) -> Result<usize, Refused> {
    fields["bits"].parse().ok().filter(|bits| (1..=4096).contains(bits)).ok_or("")
}

fn table_of(fields: &Fields, more: usize) -> Result<Table, Refused> {
    read_table(bits_of(fields)?, more, fields["n"], &list(fields["head"]), fields["tail"], fields["last"])
}

/// A table whose law is a law.
fn law_of(fields: &Fields, more: usize) -> Result<Table, Refused> {
    let table = table_of(fields, more).map_err(|_| "")?;
    if table.sums_up() { Ok(table) } else { Err("") }
}

fn draw(fields: &Fields) -> Result<String, Refused> {
    let table = law_of(fields, 0)?;
    let count = number(fields["count"], table.width, table.bits)?;
    if table.n.below(&count) == 1 {
        return Err("");
    }
    let word = word(list(fields["tape"]).first().ok_or("")?, table.width, table.bits)?;
    Ok(format!(r#","output":"{}","bitsRead":"{}""#, table.draw(&count, &word).text(), table.bits))
}

fn release(fields: &Fields) -> Result<String, Refused> {
    let table = law_of(fields, 0)?;
    let stability = fields["mechanism"] == "stability";
    let (labels, counts, tape) = (list(fields["labels"]), list(fields["counts"]), list(fields["tape"]));
    if labels.len() != counts.len() {
        return Err("");
    }
    let mut total = Num::small(table.width, 0);
    let mut bins = Vec::new();
    for (label, count) in labels.into_iter().zip(counts) {
        let count = number(count, table.width, table.bits)?;
        total = total.add(&count);
        if table.n.below(&total) == 1 {
            return Err("");
        }
        if !stability || !count.is_zero() {
            bins.push((label, count));
        }
    }
    if stability {
        bins.sort_by_key(|bin| bin.0); // `str` sorts by its UTF-8 bytes, as code points sort
    }
    let mut read = bins.len();
    if fields["padded"] == "yes" {
        read = table.n.text().parse().map_err(|_| "")?; // n words, used or not
    }
    if tape.len() < read {
        return Err("");
    }
    let threshold = number(fields["threshold"], table.width, table.bits)?;
    let (mut released, mut noisy) = (Vec::new(), Vec::new());
    for ((label, count), text) in bins.iter().zip(tape) {
        let z = table.draw(count, &word(text, table.width, table.bits)?);
        if !stability || threshold.below(&z) == 1 {
            released.push(*label);
            noisy.push(z.text());
        }
    }
    let (released, noisy) = (released.join(" "), noisy.join(" "));
    Ok(format!(r#","releasedLabels":"{released}","releasedCounts":"{noisy}","bitsRead":"{}""#, read * table.bits))
}

fn threshold(fields: &Fields) -> Result<String, Refused> {
    let table = law_of(fields, 2 * most_bits(fields["delta"]))?;
    let (b, there) = table.threshold(&rational(fields["delta"], table.width)?)?;
    let whole = Num::power(table.width, table.bits).text();
    Ok(format!(r#","threshold":"{}","deltaThere":"{}/{whole}""#, b.text(), there.text()))
}

fn table(fields: &Fields) -> Result<String, Refused> {
    let (epsilon, ratio) = (fields["epsilon"], fields["ratio"]);
    table_of(fields, most_bits(epsilon) + most_bits(ratio))?.check(epsilon, ratio)?;
    Ok(String::new())
}

fn answer(fields: &Fields) -> Result<String, Refused> {
    match fields["type"] {
        "Draw" => draw(fields),
        "Release" => release(fields),
        "Threshold" => threshold(fields),
        "Table" => table(fields),
        "Certificate" => {
            let digit = |byte: u8| char::from(byte).to_digit(16).ok_or("");
            let bytes: Result<Vec<u8>, Refused> =
                fields["text"].as_bytes().chunks(2).map(|two| Ok((16 * digit(two[0])? + digit(two[1])?) as u8)).collect();
            certificate(&bytes?).map(|()| String::new()).map_err(|_| "")
        }
        other => panic!("no cases of type {other}"),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let fields = fields(&line);
        let (result, outputs) = match answer(&fields) {
            Ok(outputs) => ("valid", outputs),
            Err("") => ("invalid", String::new()),
            Err(reason) => ("invalid", format!(r#","reason":"{reason}""#)),
        };
        writeln!(out, r#"{{"tcId":"{}","result":"{result}"{outputs}}}"#, fields["tcId"])?;
        out.flush()?;
    }
    Ok(())
}
