import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

/** geth's messages: core/vm/contracts.go, core/vm/gas_table.go, gnark-crypto, go-eth-kzg. */

const engine = await engineInBlock({ revision: 'Prague' })
const empty = stateWith(new Uint8Array())
const word = (value: bigint): Uint8Array => bigintToBytes(value, 32)
const zeros = (length: number): Uint8Array => new Uint8Array(length)

/** Returns the failure of a transaction to a precompile. */
function failureOf(id: number, ...parts: Uint8Array[]): string | undefined {
  const to = bigintToBytes(BigInt(id), 20)
  const input = transaction({ to, data: concatBytes(parts) })
  return executed(answerFrom(engine.transact(input, { discard: true }), empty)).error
}

describe('the error of BN254', () => {
  const P = bn254.fields.Fp.ORDER
  const ENCODING = 'invalid fp.Element encoding'
  const OFF_CURVE = 'point is not on curve'
  const OUTSIDE = 'point is not in correct subgroup'
  const first = concatBytes([word(1n), word(2n)])
  const off = concatBytes([word(1n), word(1n)])
  const { x, y } = bn254.G2.Point.BASE.toAffine()
  const second = concatBytes([word(x.c1), word(x.c0), word(y.c1), word(y.c0)])

  test('describes an invalid point of an addition or multiplication', () => {
    for (const id of [0x06, 0x07]) {
      expect(failureOf(id, word(P), word(2n))).toBe(ENCODING)
      expect(failureOf(id, word(1n), word(P + 1n))).toBe(ENCODING)
      expect(failureOf(id, off)).toBe(OFF_CURVE)
      expect(failureOf(id, first, zeros(32))).toBeUndefined()
    }
    expect(failureOf(0x06, first, off)).toBe(OFF_CURVE)
    expect(failureOf(0x06, off, word(P), word(P))).toBe(OFF_CURVE)
    expect(failureOf(0x06, first, word(P), word(P))).toBe(ENCODING)
  })

  test('reports the first failure of a pairing', () => {
    const outside = (() => {
      // On the twist, whose cofactor is large: the first x that has a y
      const { Fp2 } = bn254.fields
      const b = Fp2.sub(Fp2.sqr(y), Fp2.mul(Fp2.sqr(x), x))
      for (let c0 = 1n; ; c0++) {
        const at = { c0, c1: 0n }
        try {
          const root = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(at), at), b))
          return concatBytes([word(0n), word(c0), word(root.c1), word(root.c0)])
        } catch {}
      }
    })()
    expect(failureOf(0x08, zeros(191))).toBe('bad elliptic curve pairing size')
    expect(failureOf(0x08, off, second)).toBe(OFF_CURVE)
    expect(failureOf(0x08, first, second.slice(0, 96), word(P))).toBe(ENCODING)
    expect(failureOf(0x08, first, word(P + 1n), second.slice(32))).toBe(ENCODING)
    expect(failureOf(0x08, first, word(1n), second.slice(32))).toBe(OFF_CURVE)
    expect(failureOf(0x08, first, outside)).toBe(OUTSIDE)
    expect(failureOf(0x08, first, second, word(P), word(2n), second)).toBe(ENCODING)
    expect(failureOf(0x08, first, outside, word(P), word(2n), second)).toBe(OUTSIDE)
  })
})

test('the error of BLAKE2F states the length and the flag', () => {
  expect(failureOf(0x09, zeros(212))).toBe('invalid input length')
  expect(failureOf(0x09, zeros(212), Uint8Array.of(2))).toBe('invalid final flag')
})

describe('the error of BLS12-381', () => {
  const P = bls12_381.fields.Fp.ORDER
  const TOP = 'invalid field element top bytes'
  const ENCODING = 'invalid fp.Element encoding'
  const OFF_CURVE = 'invalid point: not on curve'
  const element = (value: bigint): Uint8Array => bigintToBytes(value, 64)
  const { x, y } = bls12_381.G1.Point.BASE.toAffine()
  const first = concatBytes([element(x), element(y)])
  const base = bls12_381.G2.Point.BASE.toAffine()
  const second = concatBytes([base.x.c0, base.x.c1, base.y.c0, base.y.c1].map(element))
  // y^2 = x^3 + 4 contains (0, 2), which has order three
  const outside = concatBytes([element(0n), element(2n)])

  test('describes invalid lengths, elements and points', () => {
    for (let id = 0x0b; id <= 0x11; id++) {
      expect(failureOf(id, zeros(1)), `${id}`).toBe('invalid input length')
    }
    expect(failureOf(0x10, element(1n << 384n))).toBe(TOP)
    expect(failureOf(0x10, element(P))).toBe(ENCODING)
    expect(failureOf(0x11, element(0n), element(P))).toBe(ENCODING)
    expect(failureOf(0x0b, first, element(1n), element(1n))).toBe(OFF_CURVE)
    expect(failureOf(0x0b, element(P), element(1n << 384n), first)).toBe(ENCODING)
    expect(failureOf(0x0d, second, element(1n), zeros(192))).toBe(OFF_CURVE)
  })

  test('states the group of a point outside the subgroup', () => {
    expect(failureOf(0x0c, first, word(1n), outside, word(1n))).toBe(
      'g1 point is not on correct subgroup',
    )
    expect(failureOf(0x0f, outside, second)).toBe('g1 point is not on correct subgroup')
    // A pair is decoded before its points are checked for the subgroup
    expect(failureOf(0x0f, outside, element(1n), zeros(192))).toBe(OFF_CURVE)
  })
})

describe('the error of point evaluation', () => {
  test('describes an invalid length, hash and proof', () => {
    expect(failureOf(0x0a, zeros(191))).toBe('invalid input length')
    expect(failureOf(0x0a, zeros(192))).toBe('mismatched versioned hash')
  })

  test.each([
    [0xc0, 0, "can't verify opening proof", 1],
    [0xc0, 0, 'scalar is not canonical when interpreted as a big integer in big-endian', 255],
    [0x00, 0, 'short buffer', 0],
    [0x40, 0, 'short buffer', 0],
    [0xe0, 0, 'invalid point encoding', 0],
    [0x20, 0, 'invalid point encoding', 0],
    [0xc0, 1, 'invalid infinity point encoding', 0],
    [0x9f, 0xff, 'invalid fp.Element encoding', 0],
    [0x80, 1, "invalid compressed coordinate: square root doesn't exist", 0],
    [0x80, 0, 'invalid point: subgroup check failed', 0],
  ])(
    'describes a point whose first byte is %i and whose other bytes are %i',
    (head, rest, text, claim) => {
      const infinity = new Uint8Array(48)
      infinity[0] = 0xc0
      const point = new Uint8Array(48).fill(rest === 1 ? 0 : rest)
      point[0] = head
      if (rest === 1) point[47] = 1
      const hashOf = (commitment: Uint8Array) => {
        const hash = sha256(commitment)
        hash[0] = 1
        return hash
      }
      const claimed = new Uint8Array(32).fill(claim)
      const expected = `error verifying kzg proof: ${text}`
      const scalars = [word(5n), claimed]
      expect(failureOf(0x0a, hashOf(infinity), ...scalars, infinity, point)).toBe(expected)
      // The scalars are checked first, then the commitment
      if (claim === 0) {
        expect(failureOf(0x0a, hashOf(point), ...scalars, point, infinity)).toBe(expected)
      }
    },
  )
})

describe('the error of MODEXP above 1024 bytes (EIP-7823)', () => {
  test('concerns the length if the gas suffices, and otherwise the gas', async () => {
    const block = await engineInBlock({ revision: 'Osaka' })
    const to = address(0x05)
    const data = concatBytes([word(1025n), word(1n), word(0n)])
    const failure = (gas: bigint) =>
      executed(answerFrom(block.transact(transaction({ to, data, gas }), { discard: true }), empty))
        .error
    // 2 * 129 words squared, beyond the intrinsic gas
    expect(failure(21_000n + 4n * 93n + 16n * 3n + 33_282n)).toBe(
      'one or more of base/exponent/modulus length exceeded 1024 bytes',
    )
    expect(failure(21_000n + 4n * 93n + 16n * 3n + 33_281n)).toBe('out of gas')
  })
})

const OUT_OF_GAS = 'out of gas'
const SIZE = 'gas uint64 overflow'
const PRICE = 'out of gas: gas uint64 overflow'
const CALL_GAS = 'out of gas: out of gas'
const INITCODE = 'out of gas: max initcode size exceeded: code size 49153 limit 49152'

const END_OF_SIZES = 2n ** 64n - 32n
/** The largest memory size that has a price. */
const END_OF_PRICES = 0x1fffffffe0n

type Code = readonly (string | number | bigint)[]

/** Returns the failures of the code, with `gas` in its frame, in each interpreter loop. */
async function failures(code: Code, gas = 1_000_000): Promise<ReadonlySet<string | undefined>> {
  const block = await engineInBlock()
  const found = new Set<string | undefined>()
  const sink = { onEvent: () => {} }
  for (const trace of [
    undefined,
    sink,
    { ...sink, onStep: () => {}, steps: { stack: false, memory: false } },
  ]) {
    const input = transaction({ gas: BigInt(21_000 + gas) })
    const run = block.transact(input, { discard: true, ...(trace && { trace }) })
    found.add(executed(answerFrom(run, stateWith(assemble(...code)))).error)
  }
  return found
}

describe('the error for memory that is too expensive', () => {
  /** Every operation on `size` bytes at `offset`. */
  const operations: readonly (readonly [string, (offset: bigint, size: bigint) => Code])[] = [
    ['KECCAK256', (offset, size) => [size, offset, 'KECCAK256']],
    ['CALLDATACOPY', (offset, size) => [size, 0, offset, 'CALLDATACOPY']],
    ['CODECOPY', (offset, size) => [size, 0, offset, 'CODECOPY']],
    ['EXTCODECOPY', (offset, size) => [size, 0, offset, 0, 'EXTCODECOPY']],
    ['RETURNDATACOPY', (offset, size) => [size, 0, offset, 'RETURNDATACOPY']],
    ['MCOPY to', (offset, size) => [size, 0, offset, 'MCOPY']],
    ['MCOPY from', (offset, size) => [size, offset, 0, 'MCOPY']],
    ['LOG1', (offset, size) => [0, size, offset, 'LOG1']],
    ['RETURN', (offset, size) => [size, offset, 'RETURN']],
    ['REVERT', (offset, size) => [size, offset, 'REVERT']],
    ['CALL, input', (offset, size) => [0, 0, size, offset, 0, 0, 0, 'CALL']],
    ['CALL, output', (offset, size) => [size, offset, 0, 0, 0, 0, 0, 'CALL']],
    ['STATICCALL', (offset, size) => [size, offset, 1, 1, 0, 0, 'STATICCALL']],
  ]
  const fixed: typeof operations = [
    ['MLOAD', (offset) => [offset, 'MLOAD']],
    ['MSTORE', (offset) => [1, offset, 'MSTORE']],
    ['MSTORE of a sum', (offset) => [1, 1, 'ADD', offset, 'MSTORE']],
    ['MSTORE8', (offset) => [1, offset, 'MSTORE8']],
  ]

  test.each(operations)('is that of geth for %s', async (name, code) => {
    const lack = /CALL(,|$)/.test(name) ? CALL_GAS : OUT_OF_GAS
    for (const [offset, size, text] of [
      [0n, END_OF_PRICES, lack],
      [END_OF_PRICES - 1n, 1n, lack],
      [1n, END_OF_PRICES, PRICE],
      [END_OF_PRICES, 1n, PRICE],
      [END_OF_SIZES - 9n, 9n, PRICE],
      [END_OF_SIZES - 9n, 10n, SIZE],
      [2n ** 64n - 1n, 1n, SIZE],
      [0n, 2n ** 64n - 1n, SIZE],
      [2n ** 64n, 1n, SIZE],
      [0n, 2n ** 256n - 1n, SIZE],
    ] as const) {
      const found = await failures(code(offset, size))
      expect(found, `${size} bytes at ${offset}`).toEqual(new Set([text]))
    }
  })

  test.each(fixed)('is that of geth for the fixed size of %s', async (_, code) => {
    for (const [offset, text] of [
      [END_OF_PRICES - 32n, OUT_OF_GAS],
      [END_OF_PRICES, PRICE],
      [END_OF_SIZES - 32n, PRICE],
      [END_OF_SIZES, SIZE],
      [2n ** 255n, SIZE],
    ] as const) {
      expect(await failures(code(offset, 0n)), `at ${offset}`).toEqual(new Set([text]))
    }
  })

  test('appears only if the constant gas can be paid', async () => {
    const huge = 2n ** 64n
    expect(await failures([1, huge, 'KECCAK256'], 6 + 29)).toEqual(new Set([OUT_OF_GAS]))
    expect(await failures([1, huge, 'KECCAK256'], 6 + 30)).toEqual(new Set([SIZE]))
    expect(await failures([1, huge, 0, 'CREATE'], 9 + 31_999)).toEqual(new Set([OUT_OF_GAS]))
    expect(await failures([1, huge, 0, 'CREATE'], 9 + 32_000)).toEqual(new Set([SIZE]))
    const call: Code = [0, 0, 1, huge, 0, 0x1234, 0, 'CALL']
    expect(await failures(call, 21 + 99)).toEqual(new Set([OUT_OF_GAS]))
    expect(await failures(call, 21 + 100)).toEqual(new Set([SIZE]))
  })

  test('does not affect the next failure', async () => {
    const block = await engineInBlock()
    const failureOf = (code: Code, gas: bigint) => {
      const run = block.transact(transaction({ gas }), { discard: true })
      return executed(answerFrom(run, stateWith(assemble(...code)))).error
    }
    expect(failureOf([2n ** 64n, 'MLOAD'], 30_000n)).toBe(SIZE)
    expect(failureOf([0, 'MLOAD'], 21_005n)).toBe(OUT_OF_GAS)
  })
})

describe('the error of initcode above the limit of EIP-3860', () => {
  test.each([
    [[49_153, 0, 0, 'CREATE'], INITCODE],
    [[0, 49_153, 0, 0, 'CREATE2'], INITCODE],
    [[49_153, 2n ** 36n, 0, 'CREATE'], INITCODE],
    [[49_153, END_OF_PRICES, 0, 'CREATE'], PRICE],
    [[1, 2n ** 64n, 0, 'CREATE'], SIZE],
    [[2n ** 256n - 1n, 0, 0, 'CREATE'], SIZE],
  ])('for %s is %s', async (code, text) => {
    expect(await failures(code)).toEqual(new Set([text]))
  })
})

describe('the error of a call without enough gas', () => {
  const cold: Code = [0, 0, 0, 0, 0, 0x1234, 0, 'CALL']
  const paying: Code = [0, 0, 0, 0, 1, 1, 0, 'CALL']
  const founding: Code = [0, 0, 0, 0, 1, 0x1234, 0, 'CALL']

  test.each([
    ['the price of a cold address', cold, 21 + 2599, CALL_GAS],
    ['the transfer of value', paying, 21 + 100 + 8999, CALL_GAS],
    ['a new account', founding, 21 + 2600 + 9000 + 24_999, CALL_GAS],
    ['anything', cold, 21 + 99, OUT_OF_GAS],
  ])('has the expected message if the gas does not suffice for %s', async (_, code, gas, text) => {
    expect(await failures(code, gas)).toEqual(new Set([text]))
  })
})
