import { formatData, parseData } from '../base/hex.ts'
import { ActionError } from './action-error.ts'
import { checksummed, isChecksummed } from './checksum.ts'
import { plainText } from './plain-text.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[]

export interface AbiParameter {
  readonly type: string
  readonly components?: readonly AbiParameter[]
}

/** Values shown of a result: a contract may return thousands. */
const MAX_SHOWN = 200

/** Characters shown of a text or of hex in a result. */
const MAX_TEXT = 2000

function refused(path: string, value: JsonValue, type: string, rule: string): ActionError {
  const shown = plainText(JSON.stringify(value), 80)
  return new ActionError('INVALID_ARGUMENT', `${path}: ${shown} is not a valid ${type}: ${rule}`)
}

/** Returns the item type of an array type; undefined for other types. */
function memberOf({ type, components }: AbiParameter): AbiParameter | undefined {
  const [, inner] = /^(.*)\[\d*\]$/.exec(type) ?? []
  if (inner === undefined) return undefined
  return { type: inner, ...(components !== undefined && { components }) }
}

/** Converts a JSON value for the ABI encoder. Integers are strings, as JSON numbers are not exact. */
export function abiInput(parameter: AbiParameter, value: JsonValue, path: string): unknown {
  const { type, components = [] } = parameter
  const member = memberOf(parameter)
  if (member !== undefined || type === 'tuple') {
    if (!Array.isArray(value)) throw refused(path, value, type, 'write an array')
    const [, length] = /\[(\d+)\]$/.exec(type) ?? []
    const wanted = type === 'tuple' ? components.length : Number(length ?? value.length)
    if (value.length !== wanted) throw refused(path, value, type, `write ${wanted} values`)
    return value.map((one: JsonValue, i) =>
      abiInput(member ?? (components[i] as AbiParameter), one, `${path}[${i}]`),
    )
  }
  if (/^u?int\d*$/.test(type)) return integer(type, value, path)
  if (type === 'bool') {
    if (typeof value === 'boolean') return value
    throw refused(path, value, type, 'write true or false')
  }
  if (typeof value !== 'string') throw refused(path, value, type, 'write a string')
  if (type === 'string') return value
  if (type === 'address') return addressInput(value, path)
  if (/^bytes\d*$/.test(type)) return bytesInput(type, value, path)
  throw new ActionError('INVALID_ARGUMENT', `${path}: values of type ${type} are not supported`)
}

function integer(type: string, value: JsonValue, path: string): bigint {
  const isExact = typeof value === 'number' && Number.isSafeInteger(value)
  const text = isExact ? `${value}` : value
  if (typeof text !== 'string' || !/^(?:-?(?:0|[1-9]\d{0,77})|0x[0-9a-fA-F]{1,64})$/.test(text)) {
    throw refused(path, value, type, 'write an integer as a string, in decimal or 0x-hex')
  }
  const isSigned = type.startsWith('i')
  const bits = BigInt(type.replace(/^u?int/, '') || '256')
  const number = BigInt(text)
  const least = isSigned ? -(1n << (bits - 1n)) : 0n
  const most = isSigned ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n
  if (number >= least && number <= most) return number
  throw refused(path, value, type, `it is from ${least} to ${most}`)
}

function addressInput(value: string, path: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw refused(path, value, 'address', 'write 0x and 40 hex digits')
  }
  const isPlain = value === value.toLowerCase()
  if (isPlain || isChecksummed(value)) return value.toLowerCase()
  throw refused(path, value, 'address', 'its checksum (EIP-55) is wrong, so a digit is mistyped')
}

function bytesInput(type: string, value: string, path: string): Uint8Array {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) {
    throw refused(path, value, type, 'write 0x and an even number of hex digits')
  }
  const bytes = parseData(value)
  const length = type === 'bytes' ? bytes.length : Number(type.slice(5))
  if (bytes.length === length) return bytes
  throw refused(path, value, type, `it has ${length} bytes, but ${bytes.length} are given`)
}

/** Converts a decoded value to JSON: integers to decimal strings, bytes to hex. Texts are sanitized. */
export function abiOutput(parameter: AbiParameter, value: unknown): JsonValue {
  const member = memberOf(parameter)
  if (Array.isArray(value)) {
    const { components = [] } = parameter
    return value
      .slice(0, MAX_SHOWN)
      .map((one, i) => abiOutput(member ?? (components[i] as AbiParameter), one))
  }
  if (typeof value === 'bigint' || typeof value === 'number') return `${value}`
  if (typeof value === 'boolean') return value
  if (value instanceof Uint8Array) return formatData(value).slice(0, MAX_TEXT)
  if (typeof value !== 'string') throw new TypeError(`a value of type ${parameter.type}`)
  return parameter.type === 'address' ? checksummed(value) : plainText(value, MAX_TEXT)
}
