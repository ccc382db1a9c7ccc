import { type Hex, hexDigits } from '../../base/hex.ts'

/** Types that conditions compare. */
export type ScalarType = 'integer' | 'address' | 'bytes' | 'text' | 'bool'

/**
 * Integers as bigints, everything else as text: addresses and bytes as lower-case 0x-hex, booleans as `true` and
 * `false`.
 */
export type PolicyScalar = bigint | string

const DECIMAL = /^-?(0|[1-9][0-9]{0,77})$/
const HEX_INTEGER = /^0x[0-9a-f]{1,64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i
const BYTES = /^0x(?:[0-9a-f]{2})*$/i

/**
 * Parses decimal, or 0x-hex with or without leading zeros. Undefined for anything else, such as spaces, plus signs or
 * exponents.
 */
export function parseInteger(text: string): bigint | undefined {
  return DECIMAL.test(text) || HEX_INTEGER.test(text) ? BigInt(text) : undefined
}

/** Returns an address in lower case. Accepts any case. */
export function parseAddressText(text: string): Hex | undefined {
  return ADDRESS.test(text) ? (text.toLowerCase() as Hex) : undefined
}

export function parseBytesText(text: string): Hex | undefined {
  return BYTES.test(text) ? (text.toLowerCase() as Hex) : undefined
}

export function bytesScalar(bytes: Uint8Array): Hex {
  return `0x${hexDigits(bytes)}`
}

/** Decodes UTF-8; undefined if the bytes are invalid. A byte order mark stays. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Parses a rule value; undefined if it is invalid for the type. */
export function parseScalar(type: ScalarType, text: string): PolicyScalar | undefined {
  switch (type) {
    case 'integer':
      return parseInteger(text)
    case 'address':
      return parseAddressText(text)
    case 'bytes':
      return parseBytesText(text)
    case 'bool':
      return text === 'true' || text === 'false' ? text : undefined
    case 'text':
      return text
  }
}

/** How values of each type are written, for error messages. */
export const SCALAR_FORMS: Readonly<Record<ScalarType, string>> = {
  integer: 'an integer in decimal or 0x-hex digits',
  address: 'an address, 0x and 40 hex digits',
  bytes: 'bytes, 0x and two hex digits each',
  bool: '"true" or "false"',
  text: 'a text',
}
