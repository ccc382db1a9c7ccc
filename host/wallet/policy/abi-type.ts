/**
 * An ABI type of Solidity, as far as its encoding matters. Arrays and tuples compute their layout when created: a
 * walk over types with shared members would visit a member once per path to it.
 */
export type PolicyAbiType = AbiLeaf | AbiArray | AbiTuple

type AbiLeaf =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  /** `bytesN`; `function` is an address and a selector, encoded as bytes24. */
  | { readonly kind: 'word'; readonly length: number; readonly isFunction?: true }

interface Layout {
  readonly isDynamic: boolean
  readonly headSize: number
}

export interface AbiArray extends Layout {
  readonly kind: 'array'
  readonly item: PolicyAbiType
  readonly length: number | undefined
}

export interface AbiTuple extends Layout {
  readonly kind: 'tuple'
  readonly members: readonly AbiMember[]
}

export interface AbiMember {
  /** Empty if the ABI has no name. */
  readonly name: string
  readonly type: PolicyAbiType
}

export const WORD = 32
/** Maximum nesting, and maximum head size of a static type. Calldata is far smaller. */
const MAX_DEPTH = 16
const MAX_HEAD = 1 << 20

export function isDynamic(type: PolicyAbiType): boolean {
  if (type.kind === 'array' || type.kind === 'tuple') return type.isDynamic
  return type.kind === 'bytes' || type.kind === 'string'
}

/** Returns the bytes of a value in the head. A dynamic value has one word there, an offset to its bytes. */
export function headSize(type: PolicyAbiType): number {
  return type.kind === 'array' || type.kind === 'tuple' ? type.headSize : WORD
}

export function headSizes(members: readonly AbiMember[]): number {
  return members.reduce((sum, member) => sum + headSize(member.type), 0)
}

export function arrayOf(item: PolicyAbiType, length: number | undefined): AbiArray {
  const dynamic = length === undefined || isDynamic(item)
  const size = dynamic ? WORD : (length as number) * headSize(item)
  return { kind: 'array', item, length, isDynamic: dynamic, headSize: size }
}

export function tupleOf(members: readonly AbiMember[]): AbiTuple {
  const dynamic = members.some((member) => isDynamic(member.type))
  const size = dynamic ? WORD : headSizes(members)
  return { kind: 'tuple', members, isDynamic: dynamic, headSize: size }
}

/** Returns the type as written in a signature. */
export function typeName(type: PolicyAbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'word':
      return type.isFunction ? 'function' : `bytes${type.length}`
    case 'array':
      return `${typeName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.members.map((member) => typeName(member.type)).join(',')})`
    default:
      return type.kind
  }
}

function parseElementary(name: string): PolicyAbiType | undefined {
  if (name === 'address' || name === 'bool' || name === 'bytes' || name === 'string') {
    return { kind: name }
  }
  if (name === 'function') return { kind: 'word', length: 24, isFunction: true }
  const [, kind, digits] = /^(uint|int|bytes)([1-9][0-9]{0,2})?$/.exec(name) ?? []
  if (kind === undefined) return undefined
  const size = digits === undefined ? 256 : Number(digits)
  if (kind === 'bytes') return size <= WORD ? { kind: 'word', length: size } : undefined
  return size % 8 === 0 && size <= 256 ? { kind: kind as 'uint' | 'int', bits: size } : undefined
}

/** Parses a parameter of a JSON ABI. Returns undefined if it is invalid or if its values would have no bytes. */
export function parseParameter(parameter: unknown, depth = 0): AbiMember | undefined {
  if (typeof parameter !== 'object' || parameter === null || depth > MAX_DEPTH) return undefined
  const { name = '', type, components } = parameter as Record<string, unknown>
  if (typeof name !== 'string' || typeof type !== 'string') return undefined
  const [, base = '', suffix = ''] = /^([a-z0-9]+)((?:\[[0-9]{0,6}\]){0,8})$/.exec(type) ?? []
  let parsed = base === 'tuple' ? parseTuple(components, depth) : parseElementary(base)
  for (const [, digits] of suffix.matchAll(/\[([0-9]*)\]/g)) {
    if (parsed === undefined || digits === '0') return undefined
    const length = digits === '' ? undefined : Number(digits)
    parsed = arrayOf(parsed, length)
    if (headSize(parsed) > MAX_HEAD) return undefined
  }
  return parsed === undefined ? undefined : { name, type: parsed }
}

function parseTuple(components: unknown, depth: number): PolicyAbiType | undefined {
  if (!Array.isArray(components) || components.length === 0) return undefined
  const members = components.map((component) => parseParameter(component, depth + 1))
  if (members.some((member) => member === undefined)) return undefined
  return tupleOf(members as AbiMember[])
}
