import type { AbiParameter } from 'viem'

/** A parsed ABI type. */
export type ParsedAbiType = Word | Bytes | Text | List | Tuple

/** One word, read according to `base`. */
interface Word {
  readonly kind: 'word'
  readonly base: 'uint' | 'int' | 'address' | 'bool' | 'bytes' | 'function'
  /** Bits of an integer, bytes of bytesN. */
  readonly size: number
  readonly words: 1
}

/** A dynamic value: length and content, stored at an offset. */
interface Bytes {
  readonly kind: 'bytes'
  readonly words: undefined
}

interface Text {
  readonly kind: 'string'
  readonly words: undefined
}

interface List {
  readonly kind: 'list'
  readonly of: AbiParameter
  readonly element: ParsedAbiType
  /** Undefined if the data contain the length. */
  readonly length: number | undefined
  readonly words: number | undefined
}

interface Tuple {
  readonly kind: 'tuple'
  readonly members: readonly { readonly parameter: AbiParameter; readonly type: ParsedAbiType }[]
  /** Words in place; undefined for a dynamic type, whose content is stored at an offset. */
  readonly words: number | undefined
}

/** No compiler nests deeper, but an external ABI might. */
const MAX_DEPTH = 32

const ARRAY = /^(.*)\[(\d*)\]$/s
const INTEGER = /^(u?int)(\d{0,3})$/
const FIXED_BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/

export function components(parameter: AbiParameter): readonly AbiParameter[] {
  return 'components' in parameter && Array.isArray(parameter.components)
    ? parameter.components
    : []
}

/** Sums the words of a tuple; undefined if any member is dynamic. */
function sum(words: readonly (number | undefined)[]): number | undefined {
  let total = 0
  for (const each of words) {
    if (each === undefined) return undefined
    total += each
  }
  return total
}

/** Parses the type of a parameter; undefined if it is not an ABI type. */
export function abiType(parameter: AbiParameter, depth = 0): ParsedAbiType | undefined {
  // External JSON may have any type.
  const text = (parameter as AbiParameter | null)?.type
  if (depth > MAX_DEPTH || typeof text !== 'string') return undefined
  const array = ARRAY.exec(text)
  if (array !== null) {
    const of = { ...parameter, type: array[1] as string, name: '' } as AbiParameter
    const element = abiType(of, depth + 1)
    if (element === undefined) return undefined
    const length = array[2] === '' ? undefined : Number(array[2])
    const words =
      length === undefined || element.words === undefined ? undefined : length * element.words
    return { kind: 'list', of, element, length, words }
  }
  if (text === 'tuple') {
    const members = components(parameter).map((member) => ({
      parameter: member,
      type: abiType(member, depth + 1),
    }))
    if (!members.every((member): member is Tuple['members'][number] => member.type !== undefined)) {
      return undefined
    }
    return { kind: 'tuple', members, words: sum(members.map(({ type }) => type.words)) }
  }
  return simpleType(text)
}

function simpleType(text: string): ParsedAbiType | undefined {
  if (text === 'bytes' || text === 'string') return { kind: text, words: undefined }
  if (text === 'address') return { kind: 'word', base: 'address', size: 20, words: 1 }
  if (text === 'bool') return { kind: 'word', base: 'bool', size: 1, words: 1 }
  if (text === 'function') return { kind: 'word', base: 'function', size: 24, words: 1 }
  const integer = INTEGER.exec(text)
  if (integer !== null) {
    const size = integer[2] === '' ? 256 : Number(integer[2])
    if (size === 0 || size > 256 || size % 8 !== 0) return undefined
    return { kind: 'word', base: integer[1] as 'uint' | 'int', size, words: 1 }
  }
  const bytes = FIXED_BYTES.exec(text)
  if (bytes !== null) return { kind: 'word', base: 'bytes', size: Number(bytes[1]), words: 1 }
  return undefined
}

/** Returns the type as in signatures: tuples as their members in parentheses, `uint` as `uint256`. */
export function typeText(parameter: AbiParameter, depth = 0): string {
  const { type } = parameter
  if (typeof type !== 'string' || depth > MAX_DEPTH) return '?'
  if (type.startsWith('tuple')) {
    const members = components(parameter).map((member) => typeText(member, depth + 1))
    return `(${members.join(',')})${type.slice('tuple'.length)}`
  }
  return type.replace(/^(u?int)(?=$|\[)/, '$1256')
}
