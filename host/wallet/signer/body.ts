import { LockstepError } from '../../base/error.ts'
import { parseData } from '../../base/hex.ts'
import { WalletError } from '../protocol/wallet-error.ts'

/** An object of a request's body, with parsed JSON values. */
export type Body = Readonly<Record<string, unknown>>

const LONGEST_SHOWN = 80

/** Returns a value shortened for an error message. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text
}

export function invalidBody(message: string): WalletError {
  return new WalletError('invalid_data', message)
}

/** Parses the object of a body. An empty body gives an empty object. */
export function parseSignedBody(text: string): Body {
  if (text === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw invalidBody('the body is not JSON')
  }
  return readObjectMember(body, 'the body')
}

export function readObjectMember(value: unknown, name: string): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody(`${name} is ${shown(value)}: give an object`)
  }
  return value as Body
}

/** Rejects unknown members: a misspelt one would be ignored in the decision. */
export function requireKnownBodyMembers(body: Body, known: readonly string[], name: string): void {
  for (const member of Object.keys(body)) {
    if (known.includes(member)) continue
    throw invalidBody(`${name} has no member ${shown(member)}: it takes ${known.join(', ')}`)
  }
}

export function readTextMember(value: unknown, name: string, longest = 256): string {
  if (typeof value !== 'string' || value.length > longest) {
    throw invalidBody(`${name} is ${shown(value)}: give a text of at most ${longest} characters`)
  }
  return value
}

export function readOptionalText(value: unknown, name: string): string | null {
  return value === undefined || value === null ? null : readTextMember(value, name)
}

export function readArrayMember(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidBody(`${name} is ${shown(value)}: give an array`)
  if (value.length > most) throw invalidBody(`${name} has ${value.length} entries: at most ${most}`)
  return value
}

/** Returns an array of distinct texts. */
export function readTextsMember(value: unknown, name: string, most: number): readonly string[] {
  const texts = readArrayMember(value, name, most).map((entry, at) =>
    readTextMember(entry, `${name}[${at}]`),
  )
  if (new Set(texts).size < texts.length) throw invalidBody(`${name} has a duplicate`)
  return texts
}

/** Parses an amount from 0x-hex or a safe integer. */
export function readIntegerMember(value: unknown, name: string, bits = 256): bigint {
  const integer = integerOf(value)
  if (integer === undefined) {
    throw invalidBody(
      `${name} is ${shown(value)}: pass a hex string such as "0x1", or an integer below 2^53`,
    )
  }
  if (integer >> BigInt(bits) !== 0n) throw invalidBody(`${name} has more than ${bits} bits`)
  return integer
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  }
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,128}$/.test(value)
    ? BigInt(value)
    : undefined
}

export function readOptionalInteger(value: unknown, name: string, bits = 256): bigint | undefined {
  return value === undefined || value === null ? undefined : readIntegerMember(value, name, bits)
}

/** Parses 0x-hex bytes, of exactly `length` if given. */
export function readBytesMember(value: unknown, name: string, length?: number): Uint8Array {
  const want = length === undefined ? '0x and hex digits' : `0x and ${length * 2} hex digits`
  try {
    const bytes = parseData(readTextMember(value, name, Number.POSITIVE_INFINITY))
    if (length === undefined || bytes.length === length) return bytes
  } catch (error) {
    if (!(error instanceof WalletError || error instanceof LockstepError)) throw error
  }
  throw invalidBody(`${name} is ${shown(value)}: give ${want}`)
}

export function readAddress(value: unknown, name: string): Uint8Array {
  return readBytesMember(value, name, 20)
}

/** Parses the CAIP-2 id `eip155:<chain id>`. */
export function readCaip2(value: unknown): bigint | undefined {
  if (value === undefined || value === null) return undefined
  const [, digits] = /^eip155:([1-9][0-9]{0,31})$/.exec(readTextMember(value, 'caip2')) ?? []
  if (digits === undefined) {
    throw invalidBody(`caip2 is ${shown(value)}: give the chain as eip155:<chain id>`)
  }
  return BigInt(digits)
}
