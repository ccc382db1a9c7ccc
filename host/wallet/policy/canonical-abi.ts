import { bytesToBigint, isZero } from '../../base/bytes.ts'
import { type AbiMember, type AbiType, headSize, headSizes, isDynamic, WORD } from './abi-type.ts'
import { bytesScalar, type Scalar, textOf } from './scalar.ts'

/** A value as it stands in calldata: lists for arrays and tuples. */
export type AbiValue = Scalar | readonly AbiValue[]

/** Why bytes are not the one encoding of any values. */
class NotCanonical extends Error {}

function refuse(why: string): never {
  throw new NotCanonical(why)
}

/**
 * Reads the one encoding that a compiler writes for some values, and no other: heads, then what they lead to, in
 * order and without gaps, unused bits zero, nothing behind. Published decoders follow an offset to wherever it leads
 * and drop bits that they do not need, so that two readers of the same calldata could see different values; nested
 * lists whose offsets all lead to the same place also take time that grows with a power of their depth. Here each
 * byte is read once.
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

  /** A length or an offset: what does not fit the calldata is wrong. */
  #size(at: number): number {
    const word = this.#slice(at, WORD)
    if (!isZero(word, 0, 28)) refuse('a length or an offset leads beyond the calldata')
    const size = Number(bytesToBigint(word.subarray(28)))
    if (size > this.#data.length) refuse('a length or an offset leads beyond the calldata')
    return size
  }

  /** Values whose heads begin at `base`, and where the last of them ends. */
  sequence(types: readonly AbiType[], heads: number, base: number): readonly [AbiValue[], number] {
    this.#slice(base, heads)
    const values: AbiValue[] = []
    let head = base
    let tail = base + heads
    for (const type of types) {
      if (isDynamic(type)) {
        if (this.#size(head) !== tail - base) refuse('an offset does not lead to the next value')
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

  #dynamic(type: AbiType, at: number): readonly [AbiValue, number] {
    if (type.kind === 'tuple') return this.members(type.members, at)
    if (type.kind === 'array') {
      const length = type.length ?? this.#size(at)
      const base = type.length === undefined ? at + WORD : at
      const heads = length * headSize(type.item)
      this.#slice(base, heads)
      return this.sequence(Array<AbiType>(length).fill(type.item), heads, base)
    }
    const length = this.#size(at)
    const end = at + WORD + Math.ceil(length / WORD) * WORD
    const padded = this.#slice(at + WORD, end - at - WORD)
    if (!isZero(padded, length)) refuse('the bytes behind a value are not zero')
    const bytes = padded.subarray(0, length)
    if (type.kind === 'bytes') return [bytesScalar(bytes), end]
    return [textOf(bytes) ?? refuse('a string is not UTF-8'), end]
  }

  #static(type: AbiType, at: number): AbiValue {
    if (type.kind === 'tuple') return this.members(type.members, at)[0]
    if (type.kind === 'array') {
      const length = type.length as number
      const types = Array<AbiType>(length).fill(type.item)
      return this.sequence(types, length * headSize(type.item), at)[0]
    }
    const word = this.#slice(at, WORD)
    switch (type.kind) {
      case 'address':
        if (!isZero(word, 0, 12)) refuse('the bytes before an address are not zero')
        return bytesScalar(word.subarray(12))
      case 'word':
        if (!isZero(word, type.length)) refuse('the bytes behind a value are not zero')
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

/** The values of arguments, or why the bytes are not their one encoding. */
export function decodeArguments(
  inputs: readonly AbiMember[],
  data: Uint8Array,
): { readonly values: readonly AbiValue[] } | { readonly problem: string } {
  try {
    const [values, end] = new Reader(data).members(inputs, 0)
    if (end === data.length) return { values }
    return { problem: `${data.length - end} bytes stand behind the arguments` }
  } catch (thrown) {
    if (thrown instanceof NotCanonical) return { problem: thrown.message }
    throw thrown
  }
}
