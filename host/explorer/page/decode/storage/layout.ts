import { countField, entriesOf, field, listField, textField } from '../format/json-field.ts'

/** A variable, or a member of a struct. */
export interface LayoutVariable {
  readonly label: string
  /** Byte offset from the low end of the slot. */
  readonly offset: number
  readonly slot: bigint
  /** Key in `StorageLayout.types`. */
  readonly type: string
}

export interface LayoutType {
  readonly encoding: 'inplace' | 'mapping' | 'dynamic_array' | 'bytes'
  /** As Solidity writes it: `mapping(address => uint256)`. */
  readonly label: string
  readonly bytes: number
  /** Of an array's elements. */
  readonly base: string | undefined
  readonly key: string | undefined
  readonly value: string | undefined
  readonly members: readonly LayoutVariable[]
}

/** Storage layout of a contract (docs.soliditylang.org, "JSON Output" of the storage layout). */
export interface StorageLayout {
  readonly variables: readonly LayoutVariable[]
  readonly types: ReadonlyMap<string, LayoutType>
  /** Member names of enums, by their qualified names: `Token.Kind`. */
  readonly enums: EnumMembers
}

export type EnumMembers = ReadonlyMap<string, readonly string[]>

const ENCODINGS: readonly string[] = ['inplace', 'mapping', 'dynamic_array', 'bytes']

function readVariable(json: unknown): LayoutVariable | undefined {
  const label = textField(json, 'label')
  const offset = countField(json, 'offset')
  const slot = textField(json, 'slot')
  const type = textField(json, 'type')
  if (label === undefined || offset === undefined || offset > 31 || type === undefined)
    return undefined
  if (slot === undefined || !/^\d{1,78}$/.test(slot)) return undefined
  return { label, offset, slot: BigInt(slot), type }
}

function readVariables(list: readonly unknown[]): LayoutVariable[] {
  return list.map(readVariable).filter((variable) => variable !== undefined)
}

function readType(json: unknown): LayoutType | undefined {
  const encoding = textField(json, 'encoding')
  const label = textField(json, 'label')
  const bytes = countField(json, 'numberOfBytes')
  if (encoding === undefined || !ENCODINGS.includes(encoding)) return undefined
  if (label === undefined || bytes === undefined || bytes === 0) return undefined
  return {
    encoding: encoding as LayoutType['encoding'],
    label,
    bytes,
    base: textField(json, 'base'),
    key: textField(json, 'key'),
    value: textField(json, 'value'),
    members: readVariables(listField(json, 'members')),
  }
}

/** Reads a compiler's `storageLayout`; undefined if there is none. Member names of enums come from the ASTs. */
export function readStorageLayout(
  json: unknown,
  enums: EnumMembers = new Map(),
): StorageLayout | undefined {
  const variables = readVariables(listField(json, 'storage'))
  if (variables.length === 0) return undefined
  const types = new Map<string, LayoutType>()
  for (const [name, type] of entriesOf(field(json, 'types'))) {
    const read = readType(type)
    if (read !== undefined) types.set(name, read)
  }
  return { variables, types, enums }
}
