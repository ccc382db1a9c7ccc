import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { type AbiParameter, encodeAbiParameters, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { typeText } from '../../../../../host/explorer/page/decode/abi/abi-type.ts'
import { decodeValues } from '../../../../../host/explorer/page/decode/abi/decode-values.ts'
import type { DecodedValue } from '../../../../../host/explorer/page/decode/abi/value.ts'
import { runSeed } from '../../../../support/random.ts'

const SEED = runSeed()

/** A parameter with values of its type. */
interface Typed {
  readonly parameter: AbiParameter
  readonly value: fc.Arbitrary<unknown>
}

const hex = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => formatData(bytes))

function integer(signed: boolean, bits: number): Typed {
  const bound = 1n << BigInt(signed ? bits - 1 : bits)
  return {
    parameter: { type: `${signed ? 'int' : 'uint'}${bits}` },
    value: fc.bigInt({ min: signed ? -bound : 0n, max: bound - 1n }),
  }
}

const LEAVES: fc.Arbitrary<Typed> = fc.oneof(
  fc
    .tuple(fc.boolean(), fc.integer({ min: 1, max: 32 }))
    .map(([signed, bytes]) => integer(signed, 8 * bytes)),
  fc.integer({ min: 1, max: 32 }).map((size) => ({
    parameter: { type: `bytes${size}` },
    value: hex(size),
  })),
  fc.constant({ parameter: { type: 'bool' }, value: fc.boolean() }),
  fc.constant({ parameter: { type: 'address' }, value: hex(20).map((each) => getAddress(each)) }),
  fc.constant({
    parameter: { type: 'bytes' },
    value: fc.uint8Array({ maxLength: 70 }).map((bytes) => formatData(bytes)),
  }),
  fc.constant({
    parameter: { type: 'string' },
    value: fc.string({ unit: 'grapheme', maxLength: 40 }),
  }),
)

const { typed: TYPED } = fc.letrec<{ typed: Typed; list: Typed; tuple: Typed }>((tie) => ({
  typed: fc.oneof({ maxDepth: 3, depthSize: 'small' }, LEAVES, tie('list'), tie('tuple')),
  list: fc
    .tuple(tie('typed'), fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }))
    .map(([of, length]) => ({
      parameter: { ...of.parameter, type: `${of.parameter.type}[${length ?? ''}]` } as AbiParameter,
      value: fc.array(of.value, { minLength: length ?? 0, maxLength: length ?? 3 }),
    })),
  tuple: fc.array(tie('typed'), { minLength: 1, maxLength: 3 }).map((members) => ({
    parameter: {
      type: 'tuple',
      components: members.map(({ parameter }) => parameter),
    } as AbiParameter,
    value: fc.tuple(...members.map(({ value }) => value)),
  })),
}))

/** Parameters with a value for each. */
const CASES = fc
  .array(TYPED, { minLength: 1, maxLength: 4 })
  .chain((all) =>
    fc.tuple(
      fc.constant(all.map(({ parameter }) => parameter)),
      fc.tuple(...all.map(({ value }) => value)),
    ),
  )

const plain = (value: DecodedValue): unknown =>
  value.parts === undefined ? value.data : value.parts.map(plain)

describe(`decoding values, with the seed ${SEED}`, () => {
  test('inverts the encoding of viem exactly', () => {
    fc.assert(
      fc.property(CASES, ([parameters, values]) => {
        const found = decodeValues(parameters, parseData(encodeAbiParameters(parameters, values)))
        expect(found.problem).toBeUndefined()
        expect(found.values.map(plain)).toEqual(values)
        expect(found).toMatchObject({ isExact: true, rest: '0x' })
        expect(found.values.map(({ type }) => type)).toEqual(
          parameters.map((each) => typeText(each)),
        )
      }),
      { seed: SEED, numRuns: 120 },
    )
  })

  test('inverts the encoding of ethers exactly', () => {
    const coder = AbiCoder.defaultAbiCoder()
    fc.assert(
      fc.property(CASES, ([parameters, values]) => {
        const types = parameters.map((each) => typeText(each))
        const found = decodeValues(parameters, parseData(coder.encode(types, values)))
        expect(found.values.map(plain)).toEqual(values)
        expect(found).toMatchObject({ isExact: true, rest: '0x', problem: undefined })
      }),
      { seed: SEED, numRuns: 80 },
    )
  })

  test('never throws for changed, truncated and random bytes, and an exact result encodes to the same bytes', () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(
        CASES,
        fc.array(change, { maxLength: 4 }),
        fc.nat(40),
        ([parameters, values], changes, cut) => {
          const bytes = parseData(encodeAbiParameters(parameters, values))
          for (const [at, by] of changes) {
            bytes[at % bytes.length] = ((bytes[at % bytes.length] as number) + by) % 256
          }
          const shown = bytes.subarray(0, Math.max(0, bytes.length - cut))
          const found = decodeValues(parameters, shown)
          if (found.problem !== undefined) expect(found.isExact).toBe(false)
          if (found.isExact) {
            expect(encodeAbiParameters(parameters, found.values.map(plain))).toBe(formatData(shown))
          }
        },
      ),
      { seed: SEED, numRuns: 200 },
    )
    fc.assert(
      fc.property(TYPED, fc.uint8Array({ maxLength: 300 }), ({ parameter }, bytes) => {
        decodeValues([parameter], bytes)
      }),
      { seed: SEED, numRuns: 120 },
    )
  })
})

const word = (value: bigint | number) => bigintToBytes(BigInt(value), 32)
const one = (type: string, bytes: Uint8Array, components?: readonly AbiParameter[]) =>
  decodeValues([{ type, ...(components && { components }) } as AbiParameter], bytes)

describe('decoding invalid bytes', () => {
  test.each([
    ['uint8', word(256), 'more than 8 bits'],
    ['int8', word(128), 'more than 8 bits'],
    ['bool', word(2), 'neither 0 nor 1'],
    ['address', word(1n << 160n), 'more than 20 bytes'],
    ['bytes4', word(1), 'more than 4 bytes'],
    ['function', word(1), 'more than 24 bytes'],
  ])('shows %s of %o whole, with the reason', (type, bytes, problem) => {
    const found = one(type, bytes)
    expect(found.values).toMatchObject([{ data: undefined, text: formatData(bytes), problem }])
    expect(found).toMatchObject({ isExact: false, problem: undefined })
  })

  test('shows a string that is not UTF-8 as its bytes', () => {
    const bytes = concatBytes([word(32), word(2), new Uint8Array(32).fill(0xff, 0, 2)])
    expect(one('string', bytes).values).toMatchObject([{ text: '0xffff', problem: 'not UTF-8' }])
  })

  test('names the missing value', () => {
    expect(one('uint256', word(1).subarray(1)).problem).toBe(
      'byte 31 is needed, but there are only 31',
    )
    expect(one('bytes', word(1n << 200n)).problem).toBe(`place ${1n << 200n} is outside the data`)
    expect(one('bytes', concatBytes([word(32), word(1n << 40n)])).problem).toBe(
      `length ${1n << 40n} is outside the data`,
    )
    expect(one('uint7', word(1)).problem).toBe('uint7 is not an ABI type')
  })

  test('keeps the values before the first missing one', () => {
    const found = decodeValues([{ type: 'uint256', name: 'a' }, { type: 'bool' }], word(7))
    expect(found.values).toMatchObject([{ name: 'a', data: 7n, offset: 0, size: 32 }])
    expect(found.problem).toBe('byte 63 is needed, but there are only 32')
  })
})

describe('decoding hostile data is bounded for', () => {
  const MANY = 'too many values for the number of bytes'

  test('an array that claims more elements than there are bytes', () => {
    const claim = (type: string, length: number) => one(type, concatBytes([word(32), word(length)]))
    expect(claim('uint256[]', 0xffff_ffff).problem).toBe(
      '4294967295 elements are more than the bytes hold',
    )
    expect(claim('uint256[]', 10_000).problem).toBe('byte 95 is needed, but there are only 64')
  })

  test('elements of size zero', () => {
    const bytes = concatBytes([word(32), word(16_000)])
    expect(one('tuple[]', bytes, []).values[0]?.parts).toHaveLength(16_000)
    expect(one('uint8[0][]', bytes).values[0]?.parts).toHaveLength(16_000)
    expect(one('uint8[4294967295][4294967295]', word(1)).problem).toBe(
      '4294967295 elements are more than the bytes hold',
    )
  })

  test('nested arrays that all share one position', () => {
    // Each of the 100 elements of a level points to the next level.
    const level = concatBytes([word(100), ...Array.from({ length: 100 }, () => word(3200))])
    const levels = concatBytes([word(32), ...Array.from({ length: 6 }, () => level), word(0)])
    expect(one('uint256[][][][][][]', levels).problem).toBe(MANY)
  })

  test('many strings that are the same long one', () => {
    const size = 100_000
    const heads = Array.from({ length: 1000 }, () => word(32_000))
    const bytes = concatBytes([
      word(32),
      word(1000),
      ...heads,
      word(size),
      new Uint8Array(size + 96),
    ])
    expect(one('bytes[]', bytes).problem).toBe(MANY)
  })

  test('a type that is nested without end', () => {
    let parameter: AbiParameter = { type: 'uint256' }
    for (let depth = 0; depth < 5000; depth++) {
      parameter = { type: 'tuple', components: [parameter] } as AbiParameter
    }
    expect(decodeValues([parameter], word(1)).problem).toMatch(/ is not an ABI type$/)
    expect(one(`uint256${'[]'.repeat(5000)}`, word(32)).problem).toMatch(/ is not an ABI type$/)
  })

  test('calldata as large as a block, which is decoded whole', () => {
    const values = Array.from({ length: 20_000 }, (_, i) => BigInt(i))
    const data: Hex = encodeAbiParameters([{ type: 'uint256[]' }], [values])
    const found = one('uint256[]', parseData(data))
    expect(found.isExact).toBe(true)
    expect(found.values[0]?.parts?.at(-1)?.data).toBe(19_999n)
  })
})
