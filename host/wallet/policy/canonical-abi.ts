import { bytesToBigint, isZero } from '../../base/bytes.ts'
import {
  type AbiMember,
  headSize,
  headSizes,
  isDynamic,
  type PolicyAbiType,
  WORD,
} from './abi-type.ts'
import { bytesScalar, type PolicyScalar, textOf } from './scalar.ts'

/** A decoded value. Arrays and tuples are lists. */
export type AbiValue = PolicyScalar | readonly AbiValue[]

/** Thrown if bytes are not the canonical encoding of any values. */
class NotCanonical extends Error {}

function refuse(why: string): never {
  throw new NotCanonical(why)
}

/**
 * Decodes canonical ABI encoding only, as a compiler writes it: heads first, then their tails in order and without
 * gaps, unused bits zero, nothing after the end. Lenient decoders follow any offset and ignore unused bits, so that
 * two readers of the same calldata could see different values. Nested lists that share an offset also cost them
 * exponential time. This reader reads each byte once.
 */
class Reader {
  readonly #data: Uint8Array

  constructor(data: Uint8Array) {
    this.#data = data
  }

  #slice(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) refuse('the calldata ends before its arguments do')
    return this.#data.subarray(at, at + length)
  }

  /** Reads a length or an offset, which must lie within the calldata. */
  #size(at: number): number {
    const word = this.#slice(at, WORD)
    if (!isZero(word, 0, 28)) refuse('a length or an offset points beyond the calldata')
    const size = Number(bytesToBigint(word.subarray(28)))
    if (size > this.#data.length) refuse('a length or an offset points beyond the calldata')
    return size
  }

  /** Returns the values whose heads begin at `base`, and the end of the last one. */
  sequence(
    types: readonly PolicyAbiType[],
    heads: number,
    base: number,
  ): readonly [AbiValue[], number] {
    this.#slice(base, heads)
    const values: AbiValue[] = []
    let head = base
    let tail = base + heads
    for (const type of types) {
      if (isDynamic(type)) {
        if (this.#size(head) !== tail - base) refuse('an offset does not point to the next value')
        const [value, end] = this.#dynamic(type, tail)
        values.push(value)
        tail = end
        head += WORD
      } else {
        values.push(this.#static(type, head))
        head += headSize(type)
      }
    }
    return [values, tail]
  }

  members(members: readonly AbiMember[], base: number): readonly [AbiValue[], number] {
    return this.sequence(
      members.map((member) => member.type),
      headSizes(members),
      base,
    )
  }

  #dynamic(type: PolicyAbiType, at: number): readonly [AbiValue, number] {
    if (type.kind === 'tuple') return this.members(type.members, at)
    if (type.kind === 'array') {
      const length = type.length ?? this.#size(at)
      const base = type.length === undefined ? at + WORD : at
      const heads = length * headSize(type.item)
      this.#slice(base, heads)
      return this.sequence(Array<PolicyAbiType>(length).fill(type.item), heads, base)
    }
    const length = this.#size(at)
    const end = at + WORD + Math.ceil(length / WORD) * WORD
    const padded = this.#slice(at + WORD, end - at - WORD)
    if (!isZero(padded, length)) refuse('the padding after a value is not zero')
    const bytes = padded.subarray(0, length)
    if (type.kind === 'bytes') return [bytesScalar(bytes), end]
    return [textOf(bytes) ?? refuse('a string is not UTF-8'), end]
  }

  #static(type: PolicyAbiType, at: number): AbiValue {
    if (type.kind === 'tuple') return this.members(type.members, at)[0]
    if (type.kind === 'array') {
      const length = type.length as number
      const types = Array<PolicyAbiType>(length).fill(type.item)
      return this.sequence(types, length * headSize(type.item), at)[0]
    }
    const word = this.#slice(at, WORD)
    switch (type.kind) {
      case 'address':
        if (!isZero(word, 0, 12)) refuse('the padding before an address is not zero')
        return bytesScalar(word.subarray(12))
      case 'word':
        if (!isZero(word, type.length)) refuse('the padding after a value is not zero')
        return bytesScalar(word.subarray(0, type.length))
      case 'bool': {
        const value = bytesToBigint(word)
        if (value > 1n) refuse('a bool is neither 0 nor 1')
        return value === 1n ? 'true' : 'false'
      }
      case 'uint': {
        const value = bytesToBigint(word)
        if (BigInt.asUintN(type.bits, value) !== value)
          refuse(`an integer exceeds ${type.bits} bits`)
        return value
      }
      case 'int': {
        const value = BigInt.asIntN(256, bytesToBigint(word))
        if (BigInt.asIntN(type.bits, value) !== value)
          refuse(`an integer exceeds ${type.bits} bits`)
        return value
      }
      default:
        return refuse('the value is not static')
    }
  }
}

/** Returns the decoded arguments, or the reason why the bytes are not canonical. */
export function decodeArguments(
  inputs: readonly AbiMember[],
  data: Uint8Array,
): { readonly values: readonly AbiValue[] } | { readonly problem: string } {
  try {
    const [values, end] = new Reader(data).members(inputs, 0)
    if (end === data.length) return { values }
    return { problem: `${data.length - end} bytes follow the arguments` }
  } catch (thrown) {
    if (thrown instanceof NotCanonical) return { problem: thrown.message }
    throw thrown
  }
}
