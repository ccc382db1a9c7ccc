import { bigintToBytes, bytesToBigint, concatBytes } from '../../host/base/bytes.ts'
import { revisionNumber } from '../../host/evm/chain-types/revision.ts'
import { makeRandom } from '../../test/support/random.ts'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { PrecompileCase } from './suite.ts'

export const MODEXP = 0x05
const HEADER = 96

/** Bytes of base and modulus; 1024 is the maximum from Osaka on (EIP-7823). */
export const MODEXP_LENGTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const

/** Kinds of moduli that use different algorithms. Half the bits of `even` are trailing zeros. */
export const MODEXP_KINDS = ['odd', 'even', 'power of two'] as const
type Kind = (typeof MODEXP_KINDS)[number]

/** Exponents by name; a number of bytes stands for a random exponent of that length. */
const EXPONENTS: Readonly<Record<string, (length: number) => bigint | { bytes: number }>> = {
  0: () => 0n,
  1: () => 1n,
  2: () => 2n,
  3: () => 3n,
  65537: () => 65_537n,
  'full length': (length) => ({ bytes: length }),
}

/** BigInt takes a second for a call of this length with a full exponent, so one kind is enough. */
const SLOW_LENGTH = 1024

/** Returns the input of MODEXP: three lengths, base, exponent and modulus. */
export function encodeModexp(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array {
  const lengths = [base, exponent, modulus].map(({ length }) => bigintToBytes(BigInt(length), 32))
  return concatBytes([...lengths, base, exponent, modulus])
}

/** Returns a random number with its first bit set, the same in every run. */
export function makeOperand(length: number, seed: number): Uint8Array {
  const random = makeRandom(seed)
  const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256))
  if (length > 0) bytes[0] = (bytes[0] as number) | 0x80
  return bytes
}

export function makeModulus(length: number, kind: Kind): Uint8Array {
  const modulus = makeOperand(length, 1)
  const last = length - 1
  if (kind === 'odd') modulus[last] = (modulus[last] as number) | 1
  else if (kind === 'power of two') modulus.fill(0x80, 0, 1).fill(0, 1)
  else if (length === 1) modulus[0] = 0x90
  else modulus.fill(0, length >> 1)
  return modulus
}

/** MODEXP by Lockstep and by BigInt as in a JavaScript EVM. */
export async function openModexpSuite(): Promise<readonly PrecompileCase[]> {
  const table = await PrecompileModule.open()
  const cases: PrecompileCase[] = []
  for (const length of MODEXP_LENGTHS) {
    for (const kind of MODEXP_KINDS) {
      for (const [name, choose] of Object.entries(EXPONENTS)) {
        const chosen = choose(length)
        if (typeof chosen !== 'bigint' && length === SLOW_LENGTH && kind !== 'odd') continue
        const exponent =
          typeof chosen === 'bigint' ? minimalBytes(chosen) : makeOperand(chosen.bytes, 2)
        const input = encodeModexp(makeOperand(length, 3), exponent, makeModulus(length, kind))
        cases.push({
          precompile: 'modexp',
          input: `${length} bytes, ${kind}, exponent ${name}`,
          address: MODEXP,
          data: input,
          gas: Number(table.gas(MODEXP, input, revisionNumber('Osaka'))),
          contenders: [
            { engine: 'lockstep', run: () => table.run(MODEXP, input) },
            { engine: 'bigint', run: () => powerByBigint(input) },
          ],
        })
      }
    }
  }
  return cases
}

function minimalBytes(value: bigint): Uint8Array {
  return bigintToBytes(value, Math.ceil(value.toString(16).length / 2))
}

/** Converts bytes to BigInt and back through hex, the fastest way available. */
function powerByBigint(input: Uint8Array): Uint8Array {
  const [base = 0, exponent = 0, modulus = 0] = [0, 32, 64].map((offset) =>
    Number(bytesToBigint(input.subarray(offset + 24, offset + 32))),
  )
  let offset = HEADER
  const [a, e, m] = [base, exponent, modulus].map((length) => {
    offset += length
    return readBigint(input.subarray(offset - length, offset))
  }) as [bigint, bigint, bigint]
  const hex = powerModulo(a, e, m).toString(16)
  return new Uint8Array(Buffer.from(hex.padStart(2 * modulus, '0'), 'hex'))
}

function readBigint(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return BigInt(`0x${view.toString('hex')}`)
}

/** Squares and multiplies from the leading bit down, so that no product is wasted. */
function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n) return 0n
  if (exponent === 0n) return 1n % modulus
  const reduced = base % modulus
  const bits = exponent.toString(2)
  let power = reduced
  for (let i = 1; i < bits.length; i++) {
    power = (power * power) % modulus
    if (bits[i] === '1') power = (power * reduced) % modulus
  }
  return power
}
