import { LockstepError, messageOf } from '../../../base/error.ts'
import { LEADING_ZEROS, parseData, parseQuantity } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'
import { withoutLeadingZeros } from './leading-zeros.ts'

/** The type of an argument. `decode` throws INVALID_HEX or INVALID_ARGUMENT. */
export interface ParamType<Value> {
  /** Name in the reference documentation. */
  readonly label: string
  readonly decode: (value: unknown) => Value
}

/** A parameter of a method. */
export interface MethodParameter<Value = unknown> {
  readonly name: string
  readonly type: ParamType<Value>
  readonly required: boolean
  /** Default for an argument that is absent or null. */
  readonly fallback: Value | undefined
}

export function required<Value>(name: string, type: ParamType<Value>): MethodParameter<Value> {
  return { name, type, required: true, fallback: undefined }
}

export function optional<Value>(
  name: string,
  type: ParamType<Value>,
): MethodParameter<Value | undefined>
export function optional<Value>(
  name: string,
  type: ParamType<Value>,
  fallback: Value,
): MethodParameter<Value>
export function optional<Value>(
  name: string,
  type: ParamType<Value>,
  fallback?: Value,
): MethodParameter<Value | undefined> {
  return { name, type, required: false, fallback }
}

const NO_PARAMS: readonly unknown[] = []

/**
 * Decodes the arguments of a call, with geth's error messages.
 * @param acceptsZeros true to accept quantities with leading zeros
 * @throws INVALID_ARGUMENT
 */
export function decodeParams(
  params: unknown,
  parameters: readonly MethodParameter[],
  acceptsZeros = false,
): unknown[] {
  const values: unknown = params ?? NO_PARAMS
  if (!Array.isArray(values)) throw new LockstepError('INVALID_ARGUMENT', 'non-array args')
  const decoded = new Array<unknown>(parameters.length)
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[i] as MethodParameter
    const value: unknown = values[i]
    if ((value === undefined || value === null) && parameter.required) {
      throw new LockstepError('INVALID_ARGUMENT', `missing value for required argument ${i}`)
    }
    if ((value === undefined || value === null) && !parameter.required) {
      decoded[i] = parameter.fallback
      continue
    }
    try {
      decoded[i] = decodeArgument(parameter.type, value, acceptsZeros)
    } catch (cause) {
      if (!isMalformed(cause)) throw cause
      const { path } = cause.data
      const place = path === undefined ? '' : ` (${path})`
      const text = `invalid argument ${i}: ${messageOf(cause)}${place}`
      throw new LockstepError('INVALID_ARGUMENT', text, { cause })
    }
  }
  if (values.length > parameters.length) {
    const text = `too many arguments, want at most ${parameters.length}`
    throw new LockstepError('INVALID_ARGUMENT', text)
  }
  return decoded
}

function decodeArgument(type: ParamType<unknown>, value: unknown, acceptsZeros: boolean): unknown {
  if (!acceptsZeros) return type.decode(value)
  try {
    return type.decode(value)
  } catch (thrown) {
    if (messageOf(thrown) !== LEADING_ZEROS) throw thrown
    return type.decode(withoutLeadingZeros(value))
  }
}

/** Returns the JSON type of a value, for error messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function wrongKind(wanted: string, value: unknown): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `want ${wanted}, got ${kindOf(value)}`)
}

/** @throws INVALID_ARGUMENT if the value is not a string. */
export function asString(value: unknown, wanted: string): string {
  if (typeof value !== 'string') throw wrongKind(wanted, value)
  return value
}

export type JsonArgument = Readonly<Record<string, unknown>>

/** @throws INVALID_ARGUMENT if the value is not an object. */
export function asObject(value: unknown, wanted: string): JsonArgument {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongKind(wanted, value)
  }
  return value as JsonArgument
}

/** @throws INVALID_ARGUMENT if the value is not an array. */
export function asArray(value: unknown, wanted: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongKind(wanted, value)
  return value
}

/** Returns true for a malformed argument. The error of a well-formed argument that was rejected already names it. */
function isMalformed(thrown: unknown): thrown is LockstepError {
  if (!(thrown instanceof LockstepError)) return false
  return thrown.code === 'INVALID_ARGUMENT' || thrown.code === 'INVALID_HEX'
}

/** Decodes a member of an object; undefined if absent or null. Errors end with the name of the member. */
export function member<Value>(
  object: JsonArgument,
  name: string,
  type: ParamType<Value>,
): Value | undefined {
  const value = lookup(object, name)
  if (value === undefined || value === null) return undefined
  try {
    return type.decode(value)
  } catch (cause) {
    if (!isMalformed(cause)) throw cause
    const path = cause.data.path === undefined ? name : `${name}.${cause.data.path}`
    throw new LockstepError('INVALID_ARGUMENT', cause.message, { cause, data: { path } })
  }
}

export const DATA: ParamType<Uint8Array> = {
  label: 'data',
  decode: (value) => parseData(asString(value, 'a hex string')),
}

/** Parses bytes of a fixed length, with geth's message for any other length. */
function fixedData(text: string, length: number, type: string): Uint8Array {
  const isPrefixed = text.startsWith('0x') || text.startsWith('0X')
  const digits = isPrefixed ? text.length - 2 : text.length
  if (digits !== 2 * length && digits % 2 === 0 && (digits === 0 || digits !== text.length)) {
    const message = `hex string has length ${digits}, want ${2 * length} for ${type}`
    throw new LockstepError('INVALID_HEX', message)
  }
  return parseData(text)
}

export const ADDRESS_TYPE: ParamType<Uint8Array> = {
  label: 'address',
  decode: (value) => fixedData(asString(value, 'an address'), 20, 'common.Address'),
}

export const HASH: ParamType<Uint8Array> = {
  label: 'hash',
  decode: (value) => fixedData(asString(value, 'a hash'), 32, 'common.Hash'),
}

export const QUANTITY: ParamType<bigint> = {
  label: 'quantity',
  decode: (value) => parseQuantity(asString(value, 'a hex quantity')),
}

export const UINT64: ParamType<bigint> = {
  label: 'quantity',
  decode: (value) => parseQuantity(asString(value, 'a hex quantity'), 64),
}

/** An index in a list. Precision above 2^53 is irrelevant, because no list is that long. */
export const INDEX: ParamType<number> = {
  label: 'quantity',
  decode: (value) => Number(UINT64.decode(value)),
}

/** A count as a quantity or, as many clients send it, a JSON number. */
export const COUNT: ParamType<number> = {
  label: 'quantity',
  decode: (value) => {
    if (typeof value !== 'number') return INDEX.decode(value)
    if (!Number.isSafeInteger(value) || value < 0) throw wrongKind('a count', value)
    return value
  },
}

/**
 * Parses a storage slot: up to 32 bytes, padded on the left. Accepts an odd number of digits and a missing prefix.
 * @throws REFUSED_ARGUMENT with geth's message
 */
function slotOf(text: string): Uint8Array {
  const digits = /^0x/i.test(text) ? text.slice(2) : text
  const refuse = (rule: string) =>
    new LockstepError('REFUSED_ARGUMENT', `${rule}: ${JSON.stringify(text.slice(0, 80))}`)
  if (digits.length > 64) throw refuse('storage key too long (want at most 32 bytes)')
  if (!/^[0-9a-f]*$/i.test(digits)) throw refuse('invalid hex in storage key')
  return parseData(`0x${digits.padStart(64, '0')}`)
}

export const SLOT_TYPE: ParamType<Uint8Array> = {
  label: 'slot',
  decode: (value) => slotOf(asString(value, 'a storage slot')),
}

export const TEXT: ParamType<string> = {
  label: 'string',
  decode: (value) => asString(value, 'a string'),
}

export const FLAG: ParamType<boolean> = {
  label: 'boolean',
  decode: (value) => {
    if (typeof value !== 'boolean') throw wrongKind('a boolean', value)
    return value
  },
}

export const HASHES: ParamType<readonly Uint8Array[]> = {
  label: 'hashes',
  decode: (value) => asArray(value, 'an array of hashes').map(HASH.decode),
}

export const OBJECT: ParamType<JsonArgument> = {
  label: 'object',
  decode: (value) => asObject(value, 'an object'),
}
