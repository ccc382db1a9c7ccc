/** A type of Solidity's ABI, as far as its encoding goes. */
export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'word'; readonly length: number }
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly members: readonly AbiMember[] }

export interface AbiMember {
  /** Empty where the ABI has none. */
  readonly name: string
  readonly type: AbiType
}

export const WORD = 32
/** Types nest so deep at most, and a static one is so long at most: calldata is far smaller. */
const MAX_DEPTH = 16
const MAX_HEAD = 1 << 20

export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'bytes' || type.kind === 'string') return true
  if (type.kind === 'array') return type.length === undefined || isDynamic(type.item)
  return type.kind === 'tuple' && type.members.some((member) => isDynamic(member.type))
}

/** Bytes that a value takes where it stands: those of a dynamic one stand elsewhere, and one word leads to them. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return WORD
  if (type.kind === 'array') return (type.length as number) * headSize(type.item)
  if (type.kind === 'tuple') return headSizes(type.members)
  return WORD
}

export function headSizes(members: readonly AbiMember[]): number {
  return members.reduce((sum, member) => sum + headSize(member.type), 0)
}

/** As it is written in a signature. */
export function typeName(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'word':
      return `bytes${type.length}`
    case 'array':
      return `${typeName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.members.map((member) => typeName(member.type)).join(',')})`
    default:
      return type.kind
  }
}

function parseElementary(name: string): AbiType | undefined {
  if (name === 'address' || name === 'bool' || name === 'bytes' || name === 'string') {
    return { kind: name }
  }
  // An address and a selector.
  if (name === 'function') return { kind: 'word', length: 24 }
  const [, kind, digits] = /^(uint|int|bytes)([1-9][0-9]{0,2})?$/.exec(name) ?? []
  if (kind === undefined) return undefined
  const size = digits === undefined ? 256 : Number(digits)
  if (kind === 'bytes') return size <= WORD ? { kind: 'word', length: size } : undefined
  return size % 8 === 0 && size <= 256 ? { kind: kind as 'uint' | 'int', bits: size } : undefined
}

/** A parameter of a JSON ABI. Undefined where it is none, or one whose values would take no room. */
export function parseParameter(parameter: unknown, depth = 0): AbiMember | undefined {
  if (typeof parameter !== 'object' || parameter === null || depth > MAX_DEPTH) return undefined
  const { name = '', type, components } = parameter as Record<string, unknown>
  if (typeof name !== 'string' || typeof type !== 'string') return undefined
  const [, base = '', suffix = ''] = /^([a-z0-9]+)((?:\[[0-9]{0,6}\]){0,8})$/.exec(type) ?? []
  let parsed = base === 'tuple' ? parseTuple(components, depth) : parseElementary(base)
  for (const [, digits] of suffix.matchAll(/\[([0-9]*)\]/g)) {
    if (parsed === undefined || digits === '0') return undefined
    const length = digits === '' ? undefined : Number(digits)
    parsed = { kind: 'array', item: parsed, length }
    if (headSize(parsed) > MAX_HEAD) return undefined
  }
  return parsed === undefined ? undefined : { name, type: parsed }
}

function parseTuple(components: unknown, depth: number): AbiType | undefined {
  if (!Array.isArray(components) || components.length === 0) return undefined
  const members = components.map((component) => parseParameter(component, depth + 1))
  if (members.some((member) => member === undefined)) return undefined
  return { kind: 'tuple', members: members as AbiMember[] }
}
