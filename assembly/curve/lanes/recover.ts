/**
 * Addresses of the signers of a batch (SEC 1, 4.1.6): four signatures in the lanes of a vector, all of the
 * batch in step. A signature that the formulas of a step do not fit is recovered alone.
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
import { addEach, addends, CAPACITY, doubleEach, POINTS, signs, spoilt } from './points'
import { copyQuad, LANES, putLane, QUAD, subtractQuads, subtractSigned, takeLane } from './quad'
import { GENERATOR_DIGITS, KEY_DIGITS, KEY_WINDOW, recodeAll } from './scalars'
import { squareRoot } from './square-root'
import { makeKeyTables, pickOfGenerator, pickOfKey } from './tables'

/** A request: digest, r, s (32 big-endian bytes each), parity of y. */
export const REQUEST: i32 = 97
/** An answer: 1 where there is an address, else 0; the address. */
export const ANSWER: i32 = 21

/** Below it a batch takes longer than its signatures one by one. */
const WORTHWHILE: i32 = 24

const DIGESTS: usize = memory.data(CAPACITY * ELEMENT)
const R: usize = memory.data(CAPACITY * ELEMENT)
const S: usize = memory.data(CAPACITY * ELEMENT)
/** A byte for each signature: 0 for one that no key can have made. */
const POSSIBLE: usize = memory.data(CAPACITY)
/** First R, then the sums. */
const SUMS: usize = memory.data((CAPACITY / LANES) * POINTS, 16)

const ZERO: usize = memory.data(QUAD, 16)
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

/** Reads the scalars; what is none, and what fills the last quad up, is one. */
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

/** The points of a quad from their x. One that is not on the curve goes on as a point of another curve. */
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

/** SUMS = u1 * G + u2 * SUMS. */
function addMultiples(quads: i32): void {
  pickOfKey(KEY_DIGITS - 1, false, quads)
  for (let q = 0; q < quads; q++) {
    const sum = SUMS + POINTS * q
    const addend = addends + POINTS * q
    copyQuad(sum, addend)
    subtractSigned(sum + QUAD, addend + QUAD, ZERO, signs + 16 * q)
  }
  addPicked(KEY_DIGITS - 1, true, quads)
  for (let i = KEY_DIGITS - 2; i >= 0; i--) {
    for (let j = 0; j < KEY_WINDOW; j++) doubleEach(SUMS, POINTS, SUMS, POINTS, quads)
    addPicked(i, false, quads)
    addPicked(i, true, quads)
  }
  for (let i = 0; i < GENERATOR_DIGITS; i++) {
    pickOfGenerator(i, quads)
    addEach(SUMS, POINTS, SUMS, POINTS, quads)
  }
}

function addPicked(digit: i32, ofLambda: bool, quads: i32): void {
  pickOfKey(digit, ofLambda, quads)
  addEach(SUMS, POINTS, SUMS, POINTS, quads)
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
