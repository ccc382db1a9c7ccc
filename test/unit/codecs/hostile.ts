import fc from 'fast-check'

/** On average one in this many parts of a value is hostile. */
const SELDOM = 24

function seldom<Value>(
  valid: fc.Arbitrary<Value>,
  hostile: fc.Arbitrary<Value>,
): fc.Arbitrary<Value> {
  return fc.oneof({ weight: SELDOM, arbitrary: valid }, { weight: 1, arbitrary: hostile })
}

/** Integers; hostile: unsafe, negative, fractional, NaN. */
export function count(most = Number.MAX_SAFE_INTEGER): fc.Arbitrary<number> {
  const edges = [
    0,
    1,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
  ]
  const valid = fc.oneof(
    fc.integer({ min: 0, max: Math.min(most, 2 ** 31 - 1) }),
    fc.maxSafeNat().map((number) => number % (most + 1)),
    fc.constantFrom(...edges.filter((edge) => edge <= most), most),
  )
  const hostile = fc.constantFrom(
    -1,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 32,
    2 ** 53,
    2 ** 53 + 2,
    2 ** 60,
    2 ** 64,
    most + 1,
    -(2 ** 53),
  )
  return seldom(valid, hostile)
}

/** Integers of `bits` bits; hostile: negative, or longer. */
export function integer(bits = 256): fc.Arbitrary<bigint> {
  const most = 2n ** BigInt(bits) - 1n
  const valid = fc.oneof(
    fc.bigInt({ min: 0n, max: most }),
    fc.constantFrom(0n, 1n, 255n, 256n, most, most >> 1n),
    fc.nat().map(BigInt),
  )
  const hostile = fc.constantFrom(
    -1n,
    most + 1n,
    -(2n ** 64n),
    2n ** 256n,
    2n ** 2040n,
    2n ** 3000n,
  )
  return seldom(valid, hostile)
}

/** Byte arrays of this length; hostile: one byte less, one more, none. */
export function bytes(length: number): fc.Arbitrary<Uint8Array> {
  const of = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
  const hostile = fc.oneof(of(Math.max(length - 1, 0)), of(length + 1), of(0))
  return seldom(of(length), hostile)
}

/** Byte arrays of any length. */
export function data(most = 200): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.uint8Array({ maxLength: most }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(0, 1, 55, 56, 127, 128, 255, 256, 65_536)
        .map((n) => new Uint8Array(n).fill(7)),
    },
  )
}

/** Strings; hostile: unpaired surrogates. Byte order marks, NUL, right-to-left marks and long strings are valid. */
export const text: fc.Arbitrary<string> = seldom(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      '',
      '\0',
      '\ufeffmark',
      'a\0b',
      '\u202eright',
      '\ufffd',
      'x'.repeat(70_000),
      '😀',
      '__proto__',
    ),
  ),
  fc.constantFrom('\ud800', 'a\udc00b', '\udc00\ud800', '😀'.slice(0, 1)),
)

/** Nanoseconds since 1970 in the years 1 to 9999; hostile: times outside, and those that 0.1.0 accepted. */
export const time: fc.Arbitrary<bigint> = seldom(
  fc.oneof(
    fc.bigInt({ min: 0n, max: 253_402_300_799_999_999_999n }),
    fc.bigInt({ min: -62_135_596_800_000_000_000n, max: 0n }),
    fc.constantFrom(0n, 1_700_000_000_123_456_789n, 253_402_300_799_999_999_999n),
  ),
  fc.constantFrom(
    253_402_300_800_000_000_000n,
    9_007_199_254_740_991_000_000_000n,
    -62_135_596_801_000_000_000n,
    2n ** 200n,
  ),
)

export function optional<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined })
}

export function few<Value>(value: fc.Arbitrary<Value>, most = 4): fc.Arbitrary<Value[]> {
  return fc.array(value, { maxLength: most })
}

export const flag: fc.Arbitrary<boolean> = fc.boolean()

/** Ids; hostile: any string. */
export const name: fc.Arbitrary<string> = seldom(
  fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/), fc.constantFrom('__proto__', 'constructor')),
  text,
)

/** JSON values, also with member names such as `__proto__`; hostile: numbers that JSON cannot express. */
export const json: fc.Arbitrary<unknown> = seldom<unknown>(
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ text, at: count() }),
    fc.constant(
      JSON.parse('{"__proto__":1,"constructor":{"prototype":[null]},"a\\u0000":"\\ud800"}'),
    ),
  ),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, { at: [Number.NaN] }, 2n ** 64n),
)
