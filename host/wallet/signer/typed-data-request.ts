import { hexDigits } from '../../base/hex.ts'
import type { TypedData } from '../policy/signing-action.ts'
import {
  type Body,
  invalid,
  onlyMembers,
  readAddress,
  readArray,
  readBytes,
  readObject,
  readText,
} from './body.ts'

/** As deep as the encoder goes. */
const MAX_DEPTH = 64
const MAX_ENTRIES = 4096
const MAX_TYPES = 256

type Types = TypedData['types']

/** The domain's members that EIP-712 has, for where a request leaves out their type. */
const DOMAIN = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const

/**
 * Typed data as rules judge it and as it is hashed. Each value has one spelling, since a rule that compares texts
 * would be passed by by another: integers are decimal, bytes and addresses 0x-hex in lower case.
 * @throws WalletError invalid_data where a value is none of its type, or a member has no type
 */
export function readTypedData(params: Body): TypedData {
  onlyMembers(params, ['typed_data'], 'params')
  const asked = readObject(params.typed_data, 'params.typed_data')
  onlyMembers(asked, ['domain', 'types', 'primary_type', 'primaryType', 'message'], 'typed_data')
  const primaryType = readText(asked.primary_type ?? asked.primaryType, 'typed_data.primary_type')
  if (asked.primary_type !== undefined && asked.primaryType !== undefined) {
    throw invalid('typed_data names its primary_type twice')
  }
  const domain = readObject(asked.domain, 'typed_data.domain')
  const named = readTypes(asked.types)
  const types: Types = Object.hasOwn(named, 'EIP712Domain')
    ? named
    : { ...named, EIP712Domain: DOMAIN.filter(({ name }) => Object.hasOwn(domain, name)) }
  if (primaryType === 'EIP712Domain' || !Object.hasOwn(types, primaryType)) {
    throw invalid(`typed_data.primary_type is ${JSON.stringify(primaryType)}: types has no such`)
  }
  return {
    domain: readStruct(types, 'EIP712Domain', domain, 'domain', 0),
    types,
    primaryType,
    message: readStruct(types, primaryType, asked.message, 'message', 0),
  }
}

function readTypes(value: unknown): Types {
  const asked = readObject(value, 'typed_data.types')
  const names = Object.keys(asked)
  if (names.length > MAX_TYPES) throw invalid(`typed_data.types has more than ${MAX_TYPES}`)
  const types: Record<string, readonly { name: string; type: string }[]> = {}
  for (const name of names) {
    // Names that every object answers to would be read from it where a type is looked up.
    if (name in Object.prototype) throw invalid(`typed_data.types: ${name} is no name of a type`)
    types[name] = readArray(asked[name], `types.${name}`, MAX_TYPES).map((entry, at) => {
      const member = readObject(entry, `types.${name}[${at}]`)
      return {
        name: readText(member.name, `types.${name}[${at}].name`),
        type: readText(member.type, `types.${name}[${at}].type`),
      }
    })
  }
  return types
}

function readStruct(
  types: Types,
  type: string,
  value: unknown,
  name: string,
  depth: number,
): Readonly<Record<string, unknown>> {
  const members = types[type] ?? []
  const asked = readObject(value, name)
  onlyMembers(
    asked,
    members.map((member) => member.name),
    name,
  )
  const read: Record<string, unknown> = {}
  for (const member of members) {
    // One that is left out is what the encoder makes of it: nothing, of a struct alone
    if (!Object.hasOwn(asked, member.name)) continue
    read[member.name] = readValue(
      types,
      member.type,
      asked[member.name],
      `${name}.${member.name}`,
      depth + 1,
    )
  }
  return read
}

function readValue(
  types: Types,
  type: string,
  value: unknown,
  name: string,
  depth: number,
): unknown {
  if (depth > MAX_DEPTH) throw invalid(`${name} lies deeper than ${MAX_DEPTH} levels`)
  const [, item] = /^(.+)\[\d*\]$/.exec(type) ?? []
  if (item !== undefined) {
    return readArray(value, name, MAX_ENTRIES).map((entry, at) =>
      readValue(types, item, entry, `${name}[${at}]`, depth + 1),
    )
  }
  if (/^u?int\d*$/.test(type)) return readTypedInteger(value, name)
  if (/^bytes\d*$/.test(type)) return `0x${hexDigits(readBytes(value, name))}`
  if (type === 'address') return `0x${hexDigits(readAddress(value, name))}`
  if (type === 'string') return readText(value, name, Number.POSITIVE_INFINITY)
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw invalid(`${name} is neither true nor false`)
    return value
  }
  return readStruct(types, type, value, name, depth)
}

/** SDKs write integers as numbers, in decimal and in hex. */
function readTypedInteger(value: unknown, name: string): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return `${BigInt(value)}`
  if (typeof value === 'string' && /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) {
    return `${BigInt(value)}`
  }
  throw invalid(`${name} is no exact integer: pass it as a decimal or hex string`)
}
