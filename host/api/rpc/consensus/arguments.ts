import { LockstepError } from '../../../base/error.ts'

const HASH_LENGTH = 32
const QUOTED = /^"(.*)"$/s

function invalid(name: string, value: unknown, rule: string): never {
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `error converting params to arguments: ${name} is ${JSON.stringify(value)}, want ${rule}`,
  )
}

/**
 * The arguments of one call, by name. Query strings and JSON params are parsed alike, as in CometBFT: integers plain
 * or as strings, strings with or without their own quotes.
 */
export class RouteArguments {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values
  }

  /** Undefined if absent. @throws INVALID_ARGUMENT if it is not an integer of at most 53 bits. */
  integer(name: string): number | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      return invalid(name, value, 'an integer')
    }
    return number
  }

  /** Returns a block hash given in hex (with or without 0x) or base64. @throws INVALID_ARGUMENT if it is absent. */
  hash(name: string): Uint8Array {
    const value = this.#value(name)
    if (typeof value === 'string') {
      const encoding = /^(0x)?[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64'
      const bytes = Buffer.from(value.replace(/^0x/, ''), encoding)
      if (bytes.length === HASH_LENGTH) return Uint8Array.from(bytes)
    }
    return invalid(name, value ?? null, 'a hash of 32 bytes')
  }

  /** Empty if absent. @throws INVALID_ARGUMENT if it is not a string. */
  text(name: string): string {
    const value = this.#value(name) ?? ''
    return typeof value === 'string' ? value : invalid(name, value, 'a string')
  }

  /** False if absent. @throws INVALID_ARGUMENT if it is neither true nor false. */
  boolean(name: string): boolean {
    const value = this.#value(name)
    if (value === true || value === 'true') return true
    if (value === undefined || value === false || value === 'false') return false
    return invalid(name, value, 'true or false')
  }

  /**
   * Returns bytes given in hex, with or without 0x, or in a query string as quoted text; empty if absent.
   * @throws INVALID_ARGUMENT
   */
  bytes(name: string): Uint8Array {
    const value = this.#values.get(name) ?? ''
    if (typeof value === 'string') {
      const [, text] = QUOTED.exec(value) ?? []
      if (text !== undefined) return new TextEncoder().encode(text)
      const [, digits] = /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value) ?? []
      if (digits !== undefined) return Uint8Array.from(Buffer.from(digits, 'hex'))
    }
    return invalid(name, value, 'bytes in hex')
  }

  /**
   * Returns the bytes of a transaction given in base64, in hex with 0x, or in a query string as quoted text; empty if
   * absent. @throws INVALID_ARGUMENT
   */
  data(name: string): Uint8Array {
    const value = this.#values.get(name) ?? ''
    if (typeof value === 'string') {
      const [, text] = QUOTED.exec(value) ?? []
      if (text !== undefined) return new TextEncoder().encode(text)
      if (value.startsWith('0x')) return this.bytes(name)
      const bytes = Buffer.from(value, 'base64')
      if (bytes.toString('base64') === value) return Uint8Array.from(bytes)
    }
    return invalid(name, value, 'bytes in base64, or in hex with 0x')
  }

  /** Returns a JSON value, which a query string contains as text; undefined if absent. @throws INVALID_ARGUMENT */
  json(name: string): unknown {
    const value = this.#values.get(name) ?? ''
    if (typeof value !== 'string') return value
    if (value === '') return undefined
    try {
      return JSON.parse(value)
    } catch {
      return invalid(name, value, 'JSON')
    }
  }

  #value(name: string): unknown {
    const value = this.#values.get(name)
    if (typeof value !== 'string') return value ?? undefined
    const text = value.replace(QUOTED, '$1')
    return text === '' ? undefined : text
  }
}
