import { LockstepError } from '../../../base/error.ts'
import { parseData, parseQuantity } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'

const SHOWN = 48

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
}

/** A value of parsed JSON and its path. Every method throws BUNDLE_INVALID. */
export class JsonMember {
  readonly value: unknown
  readonly #path: string

  constructor(value: unknown, path: string) {
    this.value = value
    this.#path = path
  }

  /** Returns the error for a value that breaks a rule. */
  wants(rule: string, cause?: unknown): LockstepError {
    const place = this.#path === '' ? '' : `${this.#path}: `
    return new LockstepError(
      'BUNDLE_INVALID',
      `${place}want ${rule}, got ${describe(this.value)}`,
      {
        cause,
      },
    )
  }

  /** Returns a member, present or not. If it is absent, the method that reads its value throws. */
  at(name: string): JsonMember {
    const object = this.#object()
    const path = this.#path === '' ? name : `${this.#path}.${name}`
    return new JsonMember(lookup(object, name), path)
  }

  get isAbsent(): boolean {
    return this.value === undefined
  }

  /** Returns the members of an object by name. */
  entries(): [string, JsonMember][] {
    return Object.keys(this.#object()).map((name) => [name, this.at(name)])
  }

  items(): JsonMember[] {
    const { value } = this
    if (!Array.isArray(value)) throw this.wants('an array')
    return value.map((item, index) => new JsonMember(item, `${this.#path}[${index}]`))
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.wants('a string')
    return this.value
  }

  flag(): boolean {
    if (typeof this.value !== 'boolean') throw this.wants('a boolean')
    return this.value
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    const { value } = this
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined) throw this.wants(choices.map((one) => JSON.stringify(one)).join(', '))
    return choice
  }

  /** Reads DATA: 0x and hex digits, of exactly `length` bytes if given. */
  data(length?: number): Uint8Array {
    return this.#bytes(true, length === undefined ? undefined : [length])
  }

  /** Reads hex digits without 0x, of one of the lengths in bytes. */
  digits(lengths?: readonly number[]): Uint8Array {
    return this.#bytes(false, lengths)
  }

  /** Reads a QUANTITY of at most `bits` bits. */
  quantity(bits: number): bigint {
    const rule = `a hex quantity of at most ${bits} bits`
    if (typeof this.value !== 'string') throw this.wants(rule)
    try {
      const number = parseQuantity(this.value)
      if (number >> BigInt(bits) === 0n) return number
    } catch (thrown) {
      throw this.wants(rule, thrown)
    }
    throw this.wants(rule)
  }

  /** Reads a QUANTITY that a number holds exactly. */
  integer(): number {
    return Number(this.quantity(53))
  }

  #object(): Readonly<Record<string, unknown>> {
    const { value } = this
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.wants('an object')
    }
    return value as Readonly<Record<string, unknown>>
  }

  #bytes(hasPrefix: boolean, lengths: readonly number[] | undefined): Uint8Array {
    const size = lengths === undefined ? '' : ` of ${lengths.join(' or ')} bytes`
    const rule = `${hasPrefix ? '0x and hex digits' : 'hex digits without 0x'}${size}`
    const { value } = this
    if (typeof value !== 'string') throw this.wants(rule)
    let bytes: Uint8Array
    try {
      bytes = parseData(hasPrefix ? value : `0x${value}`)
    } catch (thrown) {
      throw this.wants(rule, thrown)
    }
    if (lengths !== undefined && !lengths.includes(bytes.length)) throw this.wants(rule)
    return bytes
  }
}
