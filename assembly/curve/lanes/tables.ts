/**
 * Tables of odd multiples of points, and what they give a batch to add. The table of G has a part for each
 * digit of u1, so that no doubling is needed there: 1 MB, made once (6 ms with code that has just been compiled).
 */

import { BETA } from '../generated/secp256k1-field'
import { multiply } from '../generated/secp256k1-lanes'
import { GENERATOR } from '../generated/secp256k1-table'
import { addEach, addends, doubleEach, makeFactors, POINTS, signs } from './points'
import { CAPACITY, copyLane, copyQuad, LANES, putAll, QUAD } from './quad'
import {
  digitAt,
  digitsAt,
  FIRST_HALF,
  GENERATOR_DIGITS,
  GENERATOR_ROWS,
  GENERATOR_WINDOW,
  KEY_WINDOW,
  SECOND_HALF,
} from './scalars'

const KEY_MULTIPLES: i32 = 1 << (KEY_WINDOW - 1)
const GENERATOR_MULTIPLES: i32 = 1 << (GENERATOR_WINDOW - 1)

/** Four multiples: x, y, and x of lambda times them. */
const KEY_ENTRY: i32 = 3 * QUAD
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

/** Makes the table of G; has to be called once, before anything else here. */
export function makeGeneratorTable(): void {
  makeFactors()
  putAll(BETAS, BETA)
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

/** Makes twice each point what `addEach` adds. */
function addTwiceFrom(points: usize, count: i32, stride: i32): void {
  doubleEach(addends, POINTS, points, stride, count)
  memory.fill(signs, 0, 16 * count)
}

/** Makes the odd multiples of `count` quads of points. */
export function makeKeyTables(points: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const entry = KEY_TABLE + KEY_ENTRIES * i
    copyQuad(entry, points + POINTS * i)
    copyQuad(entry + QUAD, points + POINTS * i + QUAD)
  }
  addTwiceFrom(points, count, POINTS)
  for (let j = 1; j < KEY_MULTIPLES; j++) {
    const entries = KEY_TABLE + KEY_ENTRY * j
    addEach(entries, KEY_ENTRIES, entries - KEY_ENTRY, KEY_ENTRIES, count)
  }
  const end = KEY_TABLE + KEY_ENTRIES * count
  for (let entry = KEY_TABLE; entry < end; entry += KEY_ENTRY) {
    multiply(entry + 2 * QUAD, entry, BETAS)
  }
}

/**
 * Makes the multiples of R for digit `i` of their half `points` without their signs, which go to `pointSigns`, and
 * those of lambda * R what is to be added to them before.
 */
export function pickOfKey(points: usize, pointSigns: usize, i: i32, count: i32): void {
  for (let q = 0; q < count; q++) {
    const table = KEY_TABLE + KEY_ENTRIES * q
    pickKeys(points + POINTS * q, table, FIRST_HALF + i, q, 0)
    pickKeys(addends + POINTS * q, table, SECOND_HALF + i, q, 2 * QUAD)
    const first = signsOf(FIRST_HALF + i, q)
    v128.store(pointSigns + 16 * q, first)
    v128.store(signs + 16 * q, v128.xor(first, signsOf(SECOND_HALF + i, q)))
  }
}

@inline
function pickKeys(out: usize, table: usize, row: i32, q: i32, x: i32): void {
  const a = table + KEY_ENTRY * placeOf(row, LANES * q)
  const b = table + KEY_ENTRY * placeOf(row, LANES * q + 1) + 4
  const c = table + KEY_ENTRY * placeOf(row, LANES * q + 2) + 8
  const d = table + KEY_ENTRY * placeOf(row, LANES * q + 3) + 12
  gather(out, a + x, b + x, c + x, d + x, 16)
  gather(out + QUAD, a + QUAD, b + QUAD, c + QUAD, d + QUAD, 16)
}

/** Makes the multiples of G for digit `i` of u1 what is to be added. */
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

/** Place of the odd multiple of a digit. */
@inline
function placeOf(row: i32, index: i32): i32 {
  return abs(digitAt(row, index)) >> 1
}

/** Joins four elements whose pairs of limbs are `stride` bytes apart to a quad. */
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
