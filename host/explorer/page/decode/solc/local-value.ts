import { getAddress } from 'viem'
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'
import { formatData } from '../../../../base/hex.ts'
import { utf8Text } from '../format/bytes-text.ts'
import { field, listField, textField } from '../format/json-field.ts'
import { safeText } from '../format/safe-text.ts'
import { type AstIndex, kindOfNode } from './ast-index.ts'
import type { LocalVariable } from './local-variables.ts'

/** A value of a variable, with its elements or members. */
export interface LocalValue {
  readonly name: string
  readonly type: string
  /** On one line, safe to display. */
  readonly text: string
  readonly parts: readonly LocalValue[]
}

/** What a step holds, as far as values need it. */
export interface ValueSource {
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
  readonly input: Uint8Array
}

/** Elements to decode of an array, and bytes of a string. */
const MOST_PARTS = 100
const MOST_BYTES = 4_096
const MAX_DEPTH = 8

/** A type as the AST names it. */
interface NamedType {
  readonly typeName: unknown
  readonly text: string
}

/**
 * Decodes a variable at a step. What memory or calldata does not hold, such as a pointer that is not set yet, is shown as
 * the number itself.
 */
export function localValue(
  variable: LocalVariable,
  base: number,
  step: ValueSource,
  index: AstIndex,
): LocalValue | undefined {
  const word = step.stack[base + variable.place]
  if (word === undefined) return undefined
  const { type, declaration, size } = variable
  const name = safeText(variable.name)
  const typeName = field(declaration, 'typeName')
  const shown = safeText(type)
  if (/ storage( pointer)?$/.test(type)) return plain(name, shown, `slot 0x${word.toString(16)}`)
  if (type.endsWith(' memory')) {
    return { ...inMemory({ typeName, text: type }, word, step, index, 0), name, type: shown }
  }
  if (type.endsWith(' calldata')) {
    const second = size === 2 ? step.stack[base + variable.place + 1] : undefined
    return { ...inCalldata(type, word, second, step), name, type: shown }
  }
  return plain(name, shown, wordText({ typeName, text: type }, word, index))
}

function plain(name: string, type: string, text: string): LocalValue {
  return { name, type, text, parts: [] }
}

type Unnamed = Omit<LocalValue, 'name' | 'type'>

function number(word: bigint): Unnamed {
  return { text: `0x${word.toString(16)}`, parts: [] }
}

function inMemory(
  type: NamedType,
  pointer: bigint,
  step: ValueSource,
  index: AstIndex,
  depth: number,
): Unnamed {
  const { memory } = step
  const at = Number(pointer)
  if (depth > MAX_DEPTH || at + 32 > memory.length) return number(pointer)
  const wordAt = (offset: number) =>
    offset + 32 <= memory.length ? bytesToBigint(memory.subarray(offset, offset + 32)) : undefined
  const kind = kindOfNode(type.typeName)
  if (kind === 'ElementaryTypeName') {
    const length = Number(wordAt(at) ?? 0n)
    if (at + 32 + length > memory.length) return number(pointer)
    return { text: blob(type.text, memory.subarray(at + 32, at + 32 + length)), parts: [] }
  }
  if (kind === 'ArrayTypeName') {
    const fixed = /\[(\d+)\][^[\]]*$/.exec(labelOf(type))?.[1]
    const first = fixed === undefined ? at + 32 : at
    const length = Number(fixed ?? wordAt(at) ?? 0n)
    if (first + 32 * length > memory.length) return number(pointer)
    const element = field(type.typeName, 'baseType')
    const parts = Array.from({ length: Math.min(length, MOST_PARTS) }, (_, i) =>
      memberAt(`[${i}]`, element, wordAt(first + 32 * i), step, index, depth),
    )
    return { text: `${length} elements`, parts }
  }
  const struct = index.node(field(type.typeName, 'referencedDeclaration'))
  if (kindOfNode(struct) !== 'StructDefinition') return number(pointer)
  const members = listField(struct, 'members').filter(
    (member) => !/^mapping\b/.test(textField(member, 'typeDescriptions', 'typeString') ?? ''),
  )
  const parts = members.slice(0, MOST_PARTS).map((member, i) => {
    const name = safeText(textField(member, 'name') ?? '')
    return memberAt(name, field(member, 'typeName'), wordAt(at + 32 * i), step, index, depth)
  })
  return { text: `${parts.length} members`, parts }
}

/** Decodes a word of an array or struct in memory: the value, or a pointer to it. */
function memberAt(
  name: string,
  typeName: unknown,
  word: bigint | undefined,
  step: ValueSource,
  index: AstIndex,
  depth: number,
): LocalValue {
  const type = { typeName, text: textField(typeName, 'typeDescriptions', 'typeString') ?? '' }
  const shown = safeText(labelOf(type))
  if (word === undefined) return plain(name, shown, 'outside of memory')
  if (isReference(type, index)) {
    return { ...inMemory(type, word, step, index, depth + 1), name, type: shown }
  }
  return plain(name, shown, wordText(type, word, index))
}

/** Calldata values are one range of bytes: strings and bytes as such, arrays by their words. */
function inCalldata(
  type: string,
  word: bigint,
  length: bigint | undefined,
  { input }: ValueSource,
): Unnamed {
  if (length === undefined) return { text: `calldata from byte ${word}`, parts: [] }
  const at = Number(word)
  if (/^(bytes|string) /.test(type)) {
    const end = at + Number(length)
    return end > input.length
      ? { text: `${length} bytes from byte ${word}`, parts: [] }
      : { text: blob(type, input.subarray(at, end)), parts: [] }
  }
  return { text: `${length} elements from byte ${word}`, parts: [] }
}

function labelOf({ typeName, text }: NamedType): string {
  return (textField(typeName, 'typeDescriptions', 'typeString') ?? text).replace(
    / (memory|calldata|storage|storage ref|storage pointer)$/,
    '',
  )
}

function isReference(type: NamedType, index: AstIndex): boolean {
  const kind = kindOfNode(type.typeName)
  if (kind === 'ArrayTypeName') return true
  if (kind === 'ElementaryTypeName')
    return /^(bytes|string)$/.test(labelOf(type).split(' ')[0] ?? '')
  const definition = index.node(field(type.typeName, 'referencedDeclaration'))
  return kindOfNode(definition) === 'StructDefinition'
}

function blob(type: string, bytes: Uint8Array): string {
  const shown = bytes.subarray(0, MOST_BYTES)
  const text = /^string\b/.test(type) ? (utf8Text(shown) ?? formatData(shown)) : formatData(shown)
  return bytes.length > shown.length ? `${text}… (${bytes.length} bytes)` : text
}

/** Formats a value of one word. */
function wordText(type: NamedType, word: bigint, index: AstIndex): string {
  const label = labelOf(type)
  const definition = index.node(field(type.typeName, 'referencedDeclaration'))
  switch (kindOfNode(definition)) {
    case 'EnumDefinition': {
      const member = textField(listField(definition, 'members')[Number(word)], 'name')
      return member === undefined ? `${word}` : `${safeText(member)} (${word})`
    }
    case 'ContractDefinition':
      return addressOf(word)
    case 'UserDefinedValueTypeDefinition': {
      const typeName = field(definition, 'underlyingType')
      return wordText({ typeName, text: label }, word, index)
    }
  }
  const bits = Number(/^int(\d*)$/.exec(label)?.[1] || 256)
  const wide = Number(/^uint(\d*)$/.exec(label)?.[1] || 256)
  if (/^uint\d*$/.test(label)) return `${BigInt.asUintN(wide, word)}`
  if (/^int\d*$/.test(label)) return `${BigInt.asIntN(bits, word)}`
  if (label === 'bool') return word > 1n ? `${word} (no bool)` : `${word === 1n}`
  if (/^address( payable)?$/.test(label)) return addressOf(word)
  const size = /^bytes(\d+)$/.exec(label)?.[1]
  if (size !== undefined) return formatData(bigintToBytes(word, 32).subarray(0, Number(size)))
  return `0x${word.toString(16)}`
}

/** Returns an address; upper bytes that are not clean are cut, as the compiler does before it uses one. */
function addressOf(word: bigint): string {
  return getAddress(formatData(bigintToBytes(word & ((1n << 160n) - 1n), 20)))
}
