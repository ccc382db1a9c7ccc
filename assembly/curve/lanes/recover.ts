/**
 * Addresses of the signers of a batch (SEC 1, 4.1.6): four signatures in the lanes of a vector, the whole batch in
 * step. A signature that hits a special case of the formulas is recovered alone.
 */
import { keccak256 } from '../../hash/keccak'
import { ORDER, PRIME } from '../generated/secp256k1-field'
import { multiply, square } from '../generated/secp256k1-lanes'
import {
  ELEMENT,
  fromBytes,
  isLess,
  isZero,
  reduceOnce,
  setSmall,
  subtract,
  toBytes,
} from '../limbs'
import { recoverAddress } from '../secp256k1'
import { addEach, addends, doubleAndAdd, doubleEach, doublePlus, POINTS, signs } from './points'
import {
  CAPACITY,
  copyQuad,
  LANES,
  putLane,
  QUAD,
  subtractQuads,
  subtractSigned,
  takeLane,
} from './quad'
import { GENERATOR_DIGITS, KEY_DIGITS, KEY_WINDOW, recodeAll, topless } from './scalars'
import { spoilt } from './shared-inverse'
import { squareRoot } from './square-root'
import { makeKeyTables, pickOfGenerator, pickOfKey } from './tables'

/** A request: digest, r, s (32 big-endian bytes each), parity of y. */
export const REQUEST: i32 = 97
/** An answer: 1 if there is an address, else 0; the address. */
export const ANSWER: i32 = 21

/** A smaller batch takes longer than its signatures one by one. */
const WORTHWHILE: i32 = 12

const DIGESTS: usize = memory.data(CAPACITY * ELEMENT)
const R: usize = memory.data(CAPACITY * ELEMENT)
const S: usize = memory.data(CAPACITY * ELEMENT)
/** A byte for each signature: 0 if no key can have made it. */
const POSSIBLE: usize = memory.data(CAPACITY)
/** First R, then the sums. */
const SUMS: usize = memory.data((CAPACITY / LANES) * POINTS, 16)
/** Sums of the multiples of G. */
const GENERATOR_SUMS: usize = memory.data((CAPACITY / LANES) * POINTS, 16)

const ZERO: usize = memory.data(QUAD, 16)
const ADDED: usize = memory.data(POINTS, 16)
const CUBE: usize = memory.data(QUAD, 16)
const SQUARE: usize = memory.data(QUAD, 16)
const VALUE: usize = memory.data(ELEMENT)
const KEY: usize = memory.data(64)

/** Writes the answers to `count` requests, at most CAPACITY. */
export function recoverAll(requests: usize, answers: usize, count: i32): void {
  if (count < WORTHWHILE) {
    for (let i = 0; i < count; i++) recoverAlone(requests + REQUEST * i, answers + ANSWER * i)
    return
  }
  const quads = (count + LANES - 1) / LANES
  memory.fill(spoilt, 0, CAPACITY)
  readAll(requests, count, quads * LANES)
  for (let q = 0; q < quads; q++) liftQuad(requests, q, count)
  recodeAll(DIGESTS, R, S, quads * LANES)
  makeKeyTables(SUMS, quads)
  addMultiples(quads)
  for (let i = 0; i < count; i++) {
    const answer = answers + ANSWER * i
    if (load<u8>(POSSIBLE + i) == 0) memory.fill(answer, 0, ANSWER)
    else if (load<u8>(spoilt + i) != 0) recoverAlone(requests + REQUEST * i, answer)
    else writeAddress(i, answer)
  }
}

function recoverAlone(request: usize, answer: usize): void {
  const parity = load<u8>(request, 96)
  const found = recoverAddress(request, parity, request + 32, request + 64, answer + 1)
  if (!found) memory.fill(answer, 0, ANSWER)
  else store<u8>(answer, 1)
}

/** Reads the scalars. Invalid ones, and those that fill the last quad, are replaced by one. */
function readAll(requests: usize, count: i32, filled: i32): void {
  for (let i = 0; i < filled; i++) {
    const request = requests + REQUEST * i
    const digest = DIGESTS + ELEMENT * i
    const r = R + ELEMENT * i
    const s = S + ELEMENT * i
    if (i < count) {
      fromBytes(digest, request)
      reduceOnce(digest, ORDER)
      fromBytes(r, request + 32)
      fromBytes(s, request + 64)
    }
    const possible = i < count && isScalar(r) && isScalar(s)
    store<u8>(POSSIBLE + i, possible ? 1 : 0)
    if (!possible) {
      setSmall(digest, 1)
      setSmall(r, 1)
      setSmall(s, 1)
    }
    putLane(SUMS + POINTS * (i / LANES), i % LANES, r)
  }
}

function isScalar(a: usize): bool {
  return !isZero(a) && isLess(a, ORDER)
}

/**
 * Computes the points of a quad from their x. A point that is not on the curve continues as a point of another curve.
 */
function liftQuad(requests: usize, quad: i32, count: i32): void {
  const x = SUMS + POINTS * quad
  const y = x + QUAD
  square(SQUARE, x)
  multiply(CUBE, SQUARE, x)
  v128.store(CUBE, i16x8.add(v128.load(CUBE), i16x8(7, 0, 7, 0, 7, 0, 7, 0)))
  squareRoot(y, CUBE)
  square(SQUARE, y)
  subtractQuads(SQUARE, SQUARE, CUBE)
  for (let lane = 0; lane < LANES; lane++) {
    const i = quad * LANES + lane
    if (i >= count) return
    takeLane(VALUE, SQUARE, lane)
    if (!isZero(VALUE)) store<u8>(POSSIBLE + i, 0)
    takeLane(VALUE, y, lane)
    if ((load<u32>(VALUE) & 1) == load<u8>(requests + REQUEST * i, 96)) continue
    subtract(VALUE, PRIME, VALUE)
    putLane(y, lane, VALUE)
  }
}

/**
 * SUMS = u1 * G + u2 * SUMS. The first doublings add multiples of G to a separate sum, which needs no inversions of
 * its own. The last of each three doublings is combined with the addition of a digit of u2.
 */
function addMultiples(quads: i32): void {
  pickOfKey(KEY_DIGITS - 1, quads)
  copySigned(SUMS, addends, signs, quads)
  pickOfGenerator(0, quads)
  copySigned(GENERATOR_SUMS, addends, signs, quads)
  // The last doubling is not part of the first addition: 4 times a small top digit may equal the next digit.
  let added = 1
  for (let j = 0; j < KEY_WINDOW; j++) added = double(added, quads)
  pickOfKey(KEY_DIGITS - 2, quads)
  addEach(SUMS, POINTS, SUMS, POINTS, quads)
  replaceTopless(quads)
  for (let i = KEY_DIGITS - 3; i >= 0; i--) {
    for (let j = 1; j < KEY_WINDOW; j++) added = double(added, quads)
    pickOfKey(i, quads)
    doublePlus(SUMS, quads)
  }
  memory.copy(addends, GENERATOR_SUMS, POINTS * quads)
  memory.fill(signs, 0, 16 * quads)
  addEach(SUMS, POINTS, SUMS, POINTS, quads)
}

/** Doubles SUMS and adds the next multiple of G, after `added` of them. Returns the new count. */
function double(added: i32, quads: i32): i32 {
  if (added == GENERATOR_DIGITS) {
    doubleEach(SUMS, POINTS, SUMS, POINTS, quads)
    return added
  }
  pickOfGenerator(added, quads)
  doubleAndAdd(SUMS, SUMS, GENERATOR_SUMS, GENERATOR_SUMS, POINTS, quads)
  return added + 1
}

/** Starts the sums whose top digit is zero at the point just added. */
function replaceTopless(quads: i32): void {
  for (let q = 0; q < quads; q++) {
    const sum = SUMS + POINTS * q
    copySigned(ADDED, addends + POINTS * q, signs + 16 * q, 1)
    const chosen = v128.load(topless + 16 * q)
    for (let at = 0; at < POINTS; at += 16) {
      v128.store(sum + at, v128.bitselect(v128.load(ADDED + at), v128.load(sum + at), chosen))
    }
  }
}

/** out = points, negated according to `pointSigns`. */
function copySigned(out: usize, points: usize, pointSigns: usize, quads: i32): void {
  for (let q = 0; q < quads; q++) {
    const point = points + POINTS * q
    copyQuad(out + POINTS * q, point)
    subtractSigned(out + POINTS * q + QUAD, point + QUAD, ZERO, pointSigns + 16 * q)
  }
}

function writeAddress(index: i32, answer: usize): void {
  const sum = SUMS + POINTS * (index / LANES)
  takeLane(VALUE, sum, index % LANES)
  toBytes(KEY, VALUE)
  takeLane(VALUE, sum + QUAD, index % LANES)
  toBytes(KEY + 32, VALUE)
  keccak256(KEY, 64, KEY)
  memory.copy(answer + 1, KEY + 12, 20)
  store<u8>(answer, 1)
}
