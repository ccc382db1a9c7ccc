/**
 * Tables of multiples of points, and the addends they supply to a batch. The table of G has a part for each digit of
 * u1, so u1 needs no doublings: 600 kB, built once (2 ms, several times that with cold code).
 */

import { BETA } from '../generated/secp256k1-field'
import { multiply, TWICE_PRIME } from '../generated/secp256k1-lanes'
import { GENERATOR } from '../generated/secp256k1-table'
import { addEach, addends, doubleAndAdd, doubleEach, makeFactors, POINTS, signs } from './points'
import {
  CAPACITY,
  copyLane,
  copyQuad,
  LANES,
  putAll,
  QUAD,
  subtractQuads,
  subtractSigned,
} from './quad'
import {
  digitAt,
  digitsAt,
  GENERATOR_DIGITS,
  GENERATOR_ROWS,
  GENERATOR_WINDOW,
  KEY_ROWS,
} from './scalars'

const KEY_MULTIPLES: i32 = 12
const GENERATOR_MULTIPLES: i32 = 1 << (GENERATOR_WINDOW - 1)

/** Four multiples: x, y, x of lambda times them and of lambda^2 times them. */
const KEY_ENTRY: i32 = 4 * QUAD
const LAMBDA: i32 = 2 * QUAD
const LAMBDA_SQUARED: i32 = 3 * QUAD
const KEY_ENTRIES: i32 = KEY_MULTIPLES * KEY_ENTRY
const KEY_TABLE: usize = memory.data((CAPACITY / LANES) * KEY_ENTRIES, 16)

/** A multiple: x and y, the limbs of each in pairs. */
const GENERATOR_ENTRY: i32 = 80
const GENERATOR_Y: i32 = 40
const GENERATOR_ENTRIES: i32 = GENERATOR_MULTIPLES * GENERATOR_ENTRY
const GENERATOR_TABLE: usize = memory.data(GENERATOR_DIGITS * GENERATOR_ENTRIES, 16)

const BASE_QUADS: i32 = (GENERATOR_DIGITS + LANES - 1) / LANES
const BASES: usize = memory.data(BASE_QUADS * POINTS, 16)
const POWER: usize = memory.data(POINTS, 16)
const BETAS: usize = memory.data(QUAD, 16)
const TWICE_PRIMES: usize = memory.data(QUAD, 16)
const REST: usize = memory.data(QUAD, 16)
/** No signs. */
const ZERO: usize = memory.data(16, 16)

/** Builds the table of G. Must be called once, before anything else here. */
export function makeGeneratorTable(): void {
  makeFactors()
  putAll(BETAS, BETA)
  putAll(TWICE_PRIMES, TWICE_PRIME)
  putAll(POWER, GENERATOR)
  putAll(POWER + QUAD, GENERATOR + 36)
  for (let i = 0; i < BASE_QUADS * LANES; i++) {
    const base = BASES + POINTS * (i / LANES)
    copyLane(base, i % LANES, POWER, 0)
    copyLane(base + QUAD, i % LANES, POWER + QUAD, 0)
    for (let j = 0; j < GENERATOR_WINDOW; j++) doubleEach(POWER, POINTS, POWER, POINTS, 1)
  }
  addTwiceFrom(BASES, BASE_QUADS, POINTS)
  for (let i = 0; i < GENERATOR_MULTIPLES; i++) {
    if (i > 0) addEach(BASES, POINTS, BASES, POINTS, BASE_QUADS)
    for (let j = 0; j < GENERATOR_DIGITS; j++) {
      const from = BASES + POINTS * (j / LANES) + 4 * (j % LANES)
      const entry = GENERATOR_TABLE + GENERATOR_ENTRIES * j + GENERATOR_ENTRY * i
      for (let at = 0; at < GENERATOR_Y; at += 4) {
        store<u32>(entry + at, load<u32>(from + 4 * at))
        store<u32>(entry + at, load<u32>(from + QUAD + 4 * at), GENERATOR_Y)
      }
    }
  }
}

/** Makes twice each point the addend of `addEach`. */
function addTwiceFrom(points: usize, count: i32, stride: i32): void {
  doubleEach(addends, POINTS, points, stride, count)
  memory.fill(signs, 0, 16 * count)
}

/** Builds the multiples of `count` quads of points: see DIGITS of tools/secp256k1-lanes-source.ts. */
export function makeKeyTables(points: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    copyQuad(KEY_TABLE + KEY_ENTRIES * i, points + POINTS * i)
    copyQuad(KEY_TABLE + KEY_ENTRIES * i + QUAD, points + POINTS * i + QUAD)
    multiplyByLambda(KEY_TABLE + KEY_ENTRIES * i)
  }
  // 2 and 1 - omega
  takeMultiple(0, LAMBDA, true, count)
  doubleAndAddMultiples(1, 0, 2, 0, count)
  for (let i = 0; i < count; i++) multiplyByLambda(KEY_TABLE + KEY_ENTRY + KEY_ENTRIES * i)
  // 4 and 3
  takeMultiple(0, 0, false, count)
  doubleAndAddMultiples(4, 1, 3, 1, count)
  // 2 - 2 * omega and 2 - omega
  takeMultiple(0, LAMBDA, true, count)
  doubleAndAddMultiples(7, 2, 5, 1, count)
  // 8 and 3 + omega, which is 2 - omega^2
  takeMultiple(0, LAMBDA_SQUARED, true, count)
  doubleAndAddMultiples(8, 4, 6, 1, count)
  // 4 + omega
  takeMultiple(0, LAMBDA, false, count)
  addMultiple(9, 4, count)
  // 3 - omega, which is 4 + omega^2
  takeMultiple(0, LAMBDA_SQUARED, false, count)
  addMultiple(10, 4, count)
  // 5 + 2 * omega, which is 3 - 2 * omega^2
  takeMultiple(1, LAMBDA_SQUARED, true, count)
  addMultiple(11, 3, count)
  for (let i = 0; i < count; i++) {
    for (let j = 2; j < KEY_MULTIPLES; j++) {
      multiplyByLambda(KEY_TABLE + KEY_ENTRY * j + KEY_ENTRIES * i)
    }
  }
}

/** Makes a multiple, whose x is at `x` of its entry, the addend or subtrahend. */
function takeMultiple(multiple: i32, x: i32, negative: bool, count: i32): void {
  for (let i = 0; i < count; i++) {
    const entry = KEY_TABLE + KEY_ENTRY * multiple + KEY_ENTRIES * i
    copyQuad(addends + POINTS * i, entry + x)
    copyQuad(addends + POINTS * i + QUAD, entry + QUAD)
  }
  memory.fill(signs, negative ? 0xff : 0, 16 * count)
}

function doubleAndAddMultiples(twice: i32, once: i32, sum: i32, from: i32, count: i32): void {
  doubleAndAdd(
    KEY_TABLE + KEY_ENTRY * twice,
    KEY_TABLE + KEY_ENTRY * once,
    KEY_TABLE + KEY_ENTRY * sum,
    KEY_TABLE + KEY_ENTRY * from,
    KEY_ENTRIES,
    count,
  )
}

function addMultiple(sum: i32, from: i32, count: i32): void {
  const out = KEY_TABLE + KEY_ENTRY * sum
  addEach(out, KEY_ENTRIES, KEY_TABLE + KEY_ENTRY * from, KEY_ENTRIES, count)
}

/** Completes an entry: beta * x, and beta^2 * x, which is -x - beta * x. */
function multiplyByLambda(entry: usize): void {
  multiply(entry + LAMBDA, entry, BETAS)
  subtractQuads(REST, TWICE_PRIMES, entry)
  subtractSigned(entry + LAMBDA_SQUARED, REST, entry + LAMBDA, ZERO)
}

/** Makes the multiples of R for digit `i` of u2 the addends. */
export function pickOfKey(i: i32, count: i32): void {
  const row = KEY_ROWS + i
  for (let q = 0; q < count; q++) {
    const table = KEY_TABLE + KEY_ENTRIES * q
    const codeA = digitAt(row, LANES * q)
    const codeB = digitAt(row, LANES * q + 1)
    const codeC = digitAt(row, LANES * q + 2)
    const codeD = digitAt(row, LANES * q + 3)
    const a = entryOf(table, codeA)
    const b = entryOf(table, codeB) + 4
    const c = entryOf(table, codeC) + 8
    const d = entryOf(table, codeD) + 12
    const out = addends + POINTS * q
    gather(out, a + xOf(codeA), b + xOf(codeB), c + xOf(codeC), d + xOf(codeD), 16)
    gather(out + QUAD, a + QUAD, b + QUAD, c + QUAD, d + QUAD, 16)
    v128.store(signs + 16 * q, signsOf(row, q))
  }
}

@inline
function entryOf(table: usize, code: i32): usize {
  return table + KEY_ENTRY * ((code >> 2) & 15)
}

@inline
function xOf(code: i32): i32 {
  return QUAD * (code & 3)
}

/** Makes the multiples of G for digit `i` of u1 the addends. */
export function pickOfGenerator(i: i32, count: i32): void {
  const table = GENERATOR_TABLE + GENERATOR_ENTRIES * i
  const row = GENERATOR_ROWS + i
  for (let q = 0; q < count; q++) {
    const a = table + GENERATOR_ENTRY * placeOf(row, LANES * q)
    const b = table + GENERATOR_ENTRY * placeOf(row, LANES * q + 1)
    const c = table + GENERATOR_ENTRY * placeOf(row, LANES * q + 2)
    const d = table + GENERATOR_ENTRY * placeOf(row, LANES * q + 3)
    const out = addends + POINTS * q
    gather(out, a, b, c, d, 4)
    gather(out + QUAD, a + GENERATOR_Y, b + GENERATOR_Y, c + GENERATOR_Y, d + GENERATOR_Y, 4)
    v128.store(signs + 16 * q, signsOf(row, q))
  }
}

/** The signs of the digits of a quad: -1 or 0 in each lane. */
@inline
function signsOf(row: i32, quad: i32): v128 {
  return i32x4.extend_low_i16x8_s(i16x8.shr_s(digitsAt(row, LANES * quad), 15))
}

/** Index of the odd multiple of a digit. */
@inline
function placeOf(row: i32, index: i32): i32 {
  return abs(digitAt(row, index)) >> 1
}

/** Joins four elements, whose pairs of limbs are `stride` bytes apart, into a quad. */
@inline
function gather(out: usize, a: usize, b: usize, c: usize, d: usize, stride: i32): void {
  for (let at = 0; at < 10 * stride; at += stride) {
    let pairs = v128.load32_zero(a + at)
    pairs = v128.load32_lane(b + at, pairs, 1)
    pairs = v128.load32_lane(c + at, pairs, 2)
    pairs = v128.load32_lane(d + at, pairs, 3)
    v128.store(out, pairs)
    out += 16
  }
}
