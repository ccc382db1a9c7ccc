import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'
import { goText } from '../../base/utf8.ts'

const WORD = 32

const word = (value: bigint) => bigintToBytes(value, WORD)

function padded(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD)
  all.set(bytes)
  return all
}

/** An argument: an integer, an address of 20 bytes, or a string. */
export type AbiArgument = bigint | Uint8Array | string

/** Returns the calldata of a Solidity ABI call, such as `delegate(string)`. */
export function encodeAbiCall(signature: string, args: readonly AbiArgument[]): Uint8Array {
  const selector = keccak_256(new TextEncoder().encode(signature)).subarray(0, 4)
  const tails: Uint8Array[] = []
  let end = args.length * WORD
  const heads = args.map((argument) => {
    if (typeof argument === 'bigint') return word(argument)
    if (typeof argument !== 'string') return word(bytesToBigint(argument))
    const bytes = new TextEncoder().encode(argument)
    const tail = concatBytes([word(BigInt(bytes.length)), padded(bytes)])
    const head = word(BigInt(end))
    tails.push(tail)
    end += tail.length
    return head
  })
  return concatBytes([selector, ...heads, ...tails])
}

/** Returns the integer that a function returned. */
export function decodeInteger(output: Uint8Array): bigint {
  return bytesToBigint(output.subarray(0, WORD))
}

/** Returns the string that a function returned. */
export function decodeText(output: Uint8Array): string {
  const size = Number(bytesToBigint(output.subarray(WORD, 2 * WORD)))
  return goText(output.subarray(2 * WORD, 2 * WORD + size))
}
