import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { type Revision, revisionNumber } from '../../../host/evm/chain-types/revision.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { bySet } from '../../support/run/by-set.ts'
import { PrecompileModule } from './precompile-module.ts'

const EMPTY = new Uint8Array(0)
const MODEXP = 0x05
const SEED = runSeed()

let table: PrecompileModule

beforeAll(async () => {
  table = await PrecompileModule.open()
})

const run = (id: number, input: Uint8Array, revision: Revision = 'Prague'): string | undefined => {
  const output = table.run(id, input, revisionNumber(revision))
  return output === undefined ? undefined : formatData(output)
}
const gas = (id: number, input: Uint8Array, revision: Revision): bigint | undefined =>
  table.gas(id, input, revisionNumber(revision))
const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)

describe('MODEXP', () => {
  const encode = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array => {
    const lengths = [base, exponent, modulus].map((number) => word(number.length))
    return concatBytes([...lengths, base, exponent, modulus])
  }

  function expectedPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
    if (modulus === 0n) return 0n
    let power = 1n % modulus
    let square = base % modulus
    for (let rest = exponent; rest > 0n; rest >>= 1n) {
      if ((rest & 1n) === 1n) power = (power * square) % modulus
      square = (square * square) % modulus
    }
    return power
  }

  function expectPower(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): void {
    const value = expectedPower(
      bytesToBigint(base),
      bytesToBigint(exponent),
      bytesToBigint(modulus),
    )
    const [found, expected] = [
      run(MODEXP, encode(base, exponent, modulus)),
      formatData(bigintToBytes(value, modulus.length)),
    ]
    if (found === expected) return
    const [b, e, m] = [base, exponent, modulus].map(formatData)
    expect(found, `${b} ^ ${e} % ${m}`).toBe(expected)
  }

  test('agrees with BigInt on random numbers of every shape', () => {
    const cases = Number(process.env.LOCKSTEP_FUZZ_CASES ?? bySet(5_000, 20_000))
    console.log(`modexp: seed ${SEED}, ${cases} cases`)
    const random = makeRandom(SEED)
    const makeNumber = (limit: number): Uint8Array => {
      const bytes = new Uint8Array(Math.floor(random() * limit))
      // Runs of zeros and ones reach the edge cases of division and of carries.
      for (let i = 0; i < bytes.length; i++) {
        const kind = random()
        if (kind < 0.25) bytes[i] = 0
        else if (kind < 0.5) bytes[i] = 0xff
        else bytes[i] = Math.floor(random() * 256)
      }
      return bytes
    }
    for (let i = 0; i < cases; i++) {
      // Every representation of the modulus: a word, nine limbs, limbs with and without carries between.
      const limit = i % 500 === 0 ? 700 : i % 6 === 0 ? 140 : i % 2 === 0 ? 10 : 40
      const modulus = makeNumber(limit)
      if (i % 4 === 1) modulus.fill(0, Math.floor(modulus.length * random()))
      expectPower(makeNumber(limit), makeNumber(i % 50 === 0 ? 40 : 4), modulus)
    }
  }, 600_000)

  /** Returns moduli of a length that take different code paths. The top bit is set if the length is not zero. */
  function makeModuli(length: number, random: () => number): Uint8Array[] {
    if (length === 0) return [EMPTY]
    const make = (): Uint8Array => {
      const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256))
      bytes[0] = (bytes[0] as number) | 0x80
      return bytes
    }
    const odd = make()
    odd[length - 1] = (odd[length - 1] as number) | 1
    const even = make()
    even[length - 1] = (even[length - 1] as number) & 0xfe
    const halfZeros = make().fill(0, length >> 1)
    const powerOfTwo = new Uint8Array(length).fill(0x80, 0, 1)
    const leadingZeros = make().fill(0, 0, length >> 1)
    const one = new Uint8Array(length).fill(1, length - 1)
    const ones = new Uint8Array(length).fill(0xff)
    return [odd, even, halfZeros, powerOfTwo, leadingZeros, one, ones, new Uint8Array(length)]
  }

  test('agrees with BigInt on every length, kind of modulus and small exponent', () => {
    console.log(`modexp shapes: seed ${SEED}`)
    const random = makeRandom(SEED)
    const lengths = [0, 1, 2, 3, 4, 7, 8, 9, 14, 16, 17, 18, 19, 24, 31, 32, 33, 34, 63, 64, 65]
    for (const length of [...lengths, 100, 127, 128, 255, 256, 257, 448, 512, 896, 1000, 1024]) {
      for (const modulus of makeModuli(length, random)) {
        const baseLengths = [0, length >> 1, length, length + 5, 2 * length + 1]
        for (const exponent of [0n, 1n, 2n, 3n, 4n, 7n, 8n, 17n, 65_537n]) {
          if (length > 300 && exponent > 100n && random() < 0.7) continue
          const baseLength = baseLengths[Math.floor(random() * 5)] as number
          const base = Uint8Array.from({ length: baseLength }, () => Math.floor(random() * 256))
          if (random() < 0.2) base.fill(0xff)
          if (random() < 0.2) base.fill(0, base.length >> 1)
          expectPower(base, bigintToBytes(exponent, 3), modulus)
        }
      }
    }
  }, 600_000)

  test('agrees with BigInt on exponents as long as the modulus', () => {
    const random = makeRandom(SEED + 1)
    for (const length of [1, 2, 3, 8, 9, 16, 17, 18, 32, 33, 64, 96, 128, 192]) {
      for (const modulus of makeModuli(length, random)) {
        const make = (): Uint8Array => Uint8Array.from({ length }, () => Math.floor(random() * 256))
        expectPower(make(), make(), modulus)
      }
    }
  }, 600_000)

  test('agrees with BigInt on a long exponent of every modulus of a byte', () => {
    const random = makeRandom(SEED + 2)
    const step = bySet(5, 1)
    for (let modulus = 0; modulus < 256; modulus++) {
      for (let base = modulus % step; base < 256; base += step) {
        const exponent = Uint8Array.from({ length: 9 }, () => Math.floor(random() * 256))
        // Periods begin at powers that are small compared with the exponent, which is at least 2^64.
        exponent[0] = 1 + (base & 1)
        if (base % 3 === 0) exponent.fill(0, 1)
        expectPower(Uint8Array.of(base), exponent, Uint8Array.of(modulus))
      }
    }
  }, 600_000)

  test('agrees with BigInt on a long exponent of moduli of two bytes and three', () => {
    const random = makeRandom(SEED + 3)
    const moduli = [
      2 ** 15,
      2 ** 16 - 1,
      2 ** 16,
      2 ** 16 + 1,
      3 ** 10,
      65_521,
      255 ** 2,
      251 * 241,
    ]
    for (let twos = 1; twos < 2 ** 16; twos *= 2) {
      for (let odd = 1; odd * twos < 2 ** 16; odd *= 3) moduli.push(odd * twos)
    }
    while (moduli.length < 600) moduli.push(Math.floor(random() * 2 ** 17))
    for (const modulus of moduli) {
      for (const base of [2, 3, 6, 12, modulus - 1, modulus + 6, Math.floor(random() * 2 ** 20)]) {
        const exponent = Uint8Array.from({ length: 8 + Math.floor(random() * 9) }, () =>
          Math.floor(random() * 256),
        )
        expectPower(
          bigintToBytes(BigInt(Math.max(base, 0)), 3),
          exponent,
          bigintToBytes(BigInt(modulus), 3),
        )
      }
    }
  }, 600_000)

  test('agrees with BigInt on powers of two, their neighbours and their products', () => {
    const numbers = [0n, 1n, 2n, 3n, 4n]
    for (const bits of [8n, 31n, 32n, 33n, 63n, 64n, 65n, 96n, 127n, 128n, 256n]) {
      const power = 1n << bits
      numbers.push(power - 1n, power, power + 1n, 3n * power, (power - 1n) << bits)
    }
    for (const modulus of numbers) {
      for (const base of numbers) {
        const bytes = bigintToBytes(modulus, 65)
        expectPower(bigintToBytes(base, 64), Uint8Array.of(3), bytes)
      }
    }
  })

  test('agrees with BigInt above the length of its windows', () => {
    const random = makeRandom(32)
    const make = (length: number): Uint8Array =>
      Uint8Array.from({ length }, () => Math.floor(random() * 256))
    const long = make(20_000)
    expectPower(long, Uint8Array.of(3), concatBytes([make(19_999), Uint8Array.of(1)]))
    expectPower(make(3000), make(16), concatBytes([make(1500), new Uint8Array(700)]))
  })

  test('pads the input with zeros', () => {
    const header = [word(1), word(1), word(2)]
    const input = concatBytes([...header, Uint8Array.of(3, 2, 5)])
    // 3^2 modulo 0x0500.
    expect(run(MODEXP, input)).toBe('0x0009')
    expect(run(MODEXP, concatBytes(header))).toBe('0x0000')
    expect(run(MODEXP, concatBytes([...header, Uint8Array.of(3, 2, 1, 0, 0xff)]))).toBe('0x0009')
    expect(run(MODEXP, EMPTY)).toBe('0x')
  })

  test('defines 0^0 as 1, unless the modulus is 1 or 0', () => {
    for (const [modulus, value] of [
      [7, '0x01'],
      [1, '0x00'],
      [0, '0x00'],
    ] as const) {
      expect(run(MODEXP, encode(EMPTY, EMPTY, Uint8Array.of(modulus)))).toBe(value)
    }
  })

  test('computes nothing when neither base nor modulus has bytes, whatever the exponent claims', () => {
    const input = concatBytes([word(0), word((1n << 256n) - 1n), word(0)])
    expect(run(MODEXP, input)).toBe('0x')
    expect(gas(MODEXP, input, 'Byzantium')).toBe(0n)
    expect(gas(MODEXP, input, 'Berlin')).toBe(200n)
    expect(gas(MODEXP, input, 'Osaka')).toBeUndefined()
  })

  test('costs the gas of its revision', () => {
    const full = (length: number): Uint8Array => new Uint8Array(length).fill(0xff)
    const cases = [
      // base, exponent, modulus, EIP-198, EIP-2565, EIP-7883
      [full(1), full(32), full(32), 13_056n, 1_360n, 4_080n],
      [full(32), full(1), full(32), 358n, 200n, 500n],
      [full(64), full(33), full(64), 53_862n, 5_610n, 34_688n],
      [full(65), full(32), full(65), 53_856n, 6_885n, 41_310n],
      [full(1024), full(3), full(1024), 410_982n, 125_610n, 753_664n],
      [full(1025), full(3), full(1025), 411_681n, 127_581n, 765_486n],
      [EMPTY, EMPTY, EMPTY, 0n, 200n, 500n],
    ] as const
    for (const [base, exponent, modulus, eip198, eip2565, eip7883] of cases) {
      const input = encode(base, exponent, modulus)
      const name = `${base.length} ${exponent.length} ${modulus.length}`
      expect(gas(MODEXP, input, 'Byzantium'), name).toBe(eip198)
      expect(gas(MODEXP, input, 'London'), name).toBe(eip2565)
      expect(gas(MODEXP, input, 'Osaka'), name).toBe(eip7883)
    }
  })

  test('is limited to 1024 bytes per number from Osaka (EIP-7823)', () => {
    for (const position of [0, 1, 2]) {
      for (const [length, isAllowed] of [
        [1024, true],
        [1025, false],
      ] as const) {
        const input = concatBytes([0, 1, 2].map((i) => word(i === position ? length : 1)))
        const name = `length ${length} at ${position}`
        expect(run(MODEXP, input, 'Osaka') !== undefined, name).toBe(isAllowed)
        expect(run(MODEXP, input, 'Prague'), name).toBeDefined()
      }
    }
    const withoutModulus = concatBytes([word(0), word(1025), word(0)])
    expect(run(MODEXP, withoutModulus, 'Osaka')).toBeUndefined()
    expect(run(MODEXP, withoutModulus, 'Prague')).toBe('0x')
  })

  test('runs out of gas for lengths that exceed any memory', () => {
    for (const length of [1n << 20n, 1n << 32n, 1n << 64n, (1n << 256n) - 1n]) {
      for (const revision of ['Byzantium', 'Berlin', 'Osaka'] as const) {
        const name = `${length} ${revision}`
        const long = word(length)
        expect(gas(MODEXP, concatBytes([long, word(1), word(1)]), revision), name).toBeUndefined()
        expect(gas(MODEXP, concatBytes([word(1), word(1), long]), revision), name).toBeUndefined()
      }
    }
  })
})
