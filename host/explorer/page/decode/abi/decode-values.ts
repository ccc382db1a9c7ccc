import { type AbiParameter, encodeAbiParameters, getAddress } from 'viem'
import { bytesToBigint } from '../../../../base/bytes.ts'
import { formatData, type Hex } from '../../../../base/hex.ts'
import { strictUtf8 } from '../../../../base/utf8.ts'
import { quoteText, safeText } from '../format/safe-text.ts'
import { abiType, type ParsedAbiType, typeText } from './abi-type.ts'
import type { DecodedValue, Values } from './value.ts'

/** Words that may be read beyond two per word of input: several pointers may lead to the same place. */
const SPARE_WORDS = 16_384

/** The data do not match the types; the message says how. */
class Mismatch extends Error {}

interface Reader {
  readonly bytes: Uint8Array
  /** Remaining words to read; each value costs at least one. */
  words: number
  /** End of the last byte used by a value. */
  end: number
}

type Found = Omit<DecodedValue, 'name' | 'type' | 'internalType'>

function take(reader: Reader, offset: number, size: number): Uint8Array {
  reader.words -= 1 + (size >>> 5)
  if (reader.words < 0) throw new Mismatch('too many values for the number of bytes')
  const end = offset + size
  if (end > reader.bytes.length) {
    throw new Mismatch(`byte ${end - 1} is needed, but there are only ${reader.bytes.length}`)
  }
  // Zeros pad the last word of a value; some senders omit them for the last value.
  const padded = Math.min((end + 31) & ~31, reader.bytes.length)
  if (padded > reader.end) reader.end = padded
  return reader.bytes.subarray(offset, end)
}

/** Reads a length or an offset: more than 32 bits exceeds any data. */
function readSize(reader: Reader, offset: number, what: string): number {
  const value = bytesToBigint(take(reader, offset, 32))
  if (value > 0xffff_ffffn) throw new Mismatch(`${what} ${value} is outside the data`)
  return Number(value)
}

function readWord(reader: Reader, type: ParsedAbiType & { kind: 'word' }, offset: number): Found {
  const word = take(reader, offset, 32)
  const value = bytesToBigint(word)
  const found = { parts: undefined, offset, size: 32 }
  const odd = (problem: string): Found => {
    return { ...found, data: undefined, text: formatData(word), problem }
  }
  switch (type.base) {
    case 'uint':
      if (value >> BigInt(type.size) !== 0n) return odd(`more than ${type.size} bits`)
      return { ...found, data: value, text: `${value}`, problem: undefined }
    case 'int': {
      const signed = BigInt.asIntN(256, value)
      if (BigInt.asIntN(type.size, signed) !== signed) return odd(`more than ${type.size} bits`)
      return { ...found, data: signed, text: `${signed}`, problem: undefined }
    }
    case 'bool':
      if (value > 1n) return odd('neither 0 nor 1')
      return { ...found, data: value === 1n, text: `${value === 1n}`, problem: undefined }
    case 'address': {
      if (value >> 160n !== 0n) return odd('more than 20 bytes')
      const data = getAddress(formatData(word.subarray(12)))
      return { ...found, data, text: data, problem: undefined }
    }
    default: {
      if (!word.subarray(type.size).every((byte) => byte === 0)) {
        return odd(`more than ${type.size} bytes`)
      }
      const data = formatData(word.subarray(0, type.size))
      return { ...found, data, text: data, problem: undefined }
    }
  }
}

function readBlob(reader: Reader, kind: 'bytes' | 'string', at: number): Found {
  const size = readSize(reader, at, 'length')
  const bytes = take(reader, at + 32, size)
  const found = { parts: undefined, offset: at + 32, size }
  const data = formatData(bytes)
  if (kind === 'bytes') return { ...found, data, text: data, problem: undefined }
  const text = strictUtf8(bytes)
  if (text === undefined) return { ...found, data: undefined, text: data, problem: 'not UTF-8' }
  return { ...found, data: text, text: quoteText(text), problem: undefined }
}

/** Reads consecutive values; dynamic ones are offsets relative to `base`. */
function readMembers(
  reader: Reader,
  members: readonly { readonly parameter: AbiParameter; readonly type: ParsedAbiType }[],
  base: number,
  onValue: (value: DecodedValue) => void,
): void {
  let head = base
  for (const { parameter, type } of members) {
    const at = type.words === undefined ? base + readSize(reader, head, 'place') : head
    head += 32 * (type.words ?? 1)
    onValue(name(parameter, readValue(reader, type, at)))
  }
}

function name(parameter: AbiParameter, found: Found): DecodedValue {
  return {
    name: parameter.name ? parameter.name : undefined,
    type: typeText(parameter),
    internalType: parameter.internalType,
    ...found,
    text: enumText(parameter, found) ?? found.text,
  }
}

/** Names the member of an enum. */
function enumText(parameter: AbiParameter, { data }: Found): string | undefined {
  const { enumMembers } = parameter as { readonly enumMembers?: readonly string[] }
  const member = typeof data === 'bigint' ? enumMembers?.[Number(data)] : undefined
  return member === undefined ? undefined : `${safeText(member)} (${data})`
}

/** Returns the last end of values that begin at or after `base`. */
function endOf(parts: readonly DecodedValue[], base: number): number {
  return parts.reduce((end, { offset, size }) => Math.max(end, offset + size), base)
}

function readValue(reader: Reader, type: ParsedAbiType, at: number): Found {
  if (type.kind === 'word') return readWord(reader, type, at)
  if (type.kind === 'bytes' || type.kind === 'string') return readBlob(reader, type.kind, at)
  const parts: DecodedValue[] = []
  let base = at
  if (type.kind === 'tuple') {
    // An empty tuple costs too: an array may claim any number of them.
    take(reader, at, 0)
    readMembers(reader, type.members, at, (part) => parts.push(part))
  } else {
    const length = type.length ?? readSize(reader, at, 'length')
    if (type.length === undefined) base += 32
    if (length > reader.words) throw new Mismatch(`${length} elements are more than the bytes hold`)
    take(reader, base, 0)
    const member = { parameter: type.of, type: type.element }
    readMembers(reader, new Array(length).fill(member), base, (part) => parts.push(part))
  }
  const [open, close] = type.kind === 'tuple' ? '()' : '[]'
  const text = `${open}${parts.map((part) => labelled(part)).join(', ')}${close}`
  const problem = parts.find((part) => part.problem !== undefined)?.problem
  const size = type.words === undefined ? endOf(parts, base) - base : 32 * type.words
  return { data: undefined, parts, text, problem, offset: base, size }
}

/** Formats a value with its name. */
export function labelled(value: DecodedValue): string {
  return value.name === undefined ? value.text : `${value.name}: ${value.text}`
}

/** Converts a value for viem. */
function plain(value: DecodedValue): unknown {
  return value.parts === undefined ? value.data : value.parts.map(plain)
}

/** Drops parameter names, so that viem accepts tuples as lists. */
function unnamed(parameter: AbiParameter): AbiParameter {
  const { type } = parameter
  if (!('components' in parameter)) return { type }
  return { type, components: parameter.components.map(unnamed) } as AbiParameter
}

/** Encodes values; undefined if they cannot be encoded. */
export function encodeValues(
  parameters: readonly AbiParameter[],
  values: readonly DecodedValue[],
): Hex | undefined {
  if (values.some(({ problem }) => problem !== undefined)) return undefined
  try {
    return encodeAbiParameters(parameters.map(unnamed), values.map(plain))
  } catch {
    return undefined
  }
}

/**
 * Decodes `bytes` as values of `parameters`. Work is bounded by the number of bytes, whatever lengths and offsets
 * they claim. Never throws.
 */
export function decodeValues(parameters: readonly AbiParameter[], bytes: Uint8Array): Values {
  const reader: Reader = { bytes, words: SPARE_WORDS + 2 * (bytes.length >>> 5), end: 0 }
  const values: DecodedValue[] = []
  let problem: string | undefined
  const members = parameters.map((parameter) => ({ parameter, type: abiType(parameter) }))
  const known = members.filter(
    (member): member is { parameter: AbiParameter; type: ParsedAbiType } =>
      member.type !== undefined,
  )
  try {
    readMembers(reader, known, 0, (value) => values.push(value))
    const unknown = members.find(({ type }) => type === undefined)
    if (unknown !== undefined) problem = `${typeText(unknown.parameter)} is not an ABI type`
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    problem = error.message
  }
  const rest = formatData(bytes.subarray(reader.end))
  const isExact = problem === undefined && encodeValues(parameters, values) === formatData(bytes)
  return { values, isExact, rest, problem }
}
