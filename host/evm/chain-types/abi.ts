import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'

const WORD = 32

const encoder = new TextEncoder()

/** An argument: the text of a `string`, or else an integer or bytes. */
export type AbiArgument = bigint | Uint8Array | string

/** Returns the selector of a function signature such as `delegate(string)`. */
export function abiSelector(signature: string): Uint8Array {
  return keccak_256(encoder.encode(signature)).subarray(0, 4)
}

/** Returns a word, with zeros before an integer or an address. */
export function abiWord(value: bigint | Uint8Array): Uint8Array {
  return bigintToBytes(typeof value === 'bigint' ? value : bytesToBigint(value), WORD)
}

/**
 * Returns the calldata of a function without array and tuple parameters. Addresses and `bytes32` may also be given as
 * integers.
 */
export function encodeAbiCall(signature: string, args: readonly AbiArgument[]): Uint8Array {
  const types = signature.slice(signature.indexOf('(') + 1, -1).split(',')
  const tails: Uint8Array[] = []
  let end = args.length * WORD
  const heads = args.map((argument, i) => {
    const bytes = typeof argument === 'string' ? encoder.encode(argument) : argument
    if (typeof bytes === 'bigint' || !['bytes', 'string'].includes(types[i] as string)) {
      return abiWord(bytes)
    }
    const head = abiWord(BigInt(end))
    const padding = new Uint8Array(-bytes.length & (WORD - 1))
    tails.push(abiWord(BigInt(bytes.length)), bytes, padding)
    end += WORD + bytes.length + padding.length
    return head
  })
  return concatBytes([abiSelector(signature), ...heads, ...tails])
}

/** Reads a length or an offset; undefined if it exceeds the number of bytes, or if they end before it. */
export function abiSizeAt(data: Uint8Array, at: number): number | undefined {
  if (at + WORD > data.length) return undefined
  const size = bytesToBigint(data, at, at + WORD)
  return size <= BigInt(data.length) ? Number(size) : undefined
}

/** Returns the `bytes` or `string` whose length is at `at`; undefined if the data end before it does. */
export function abiBytesAt(data: Uint8Array, at: number): Uint8Array | undefined {
  const size = abiSizeAt(data, at)
  const start = at + WORD
  if (size === undefined || start + size > data.length) return undefined
  return data.subarray(start, start + size)
}
