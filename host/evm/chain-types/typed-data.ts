import { lookup } from '../../base/lookup.ts'

/** Limit of structs in one message. Published ones have fewer than ten. */
const MAX_TYPES = 64
/** Limit of members in all structs together. */
const MAX_MEMBERS = 1024
/** Limit of hashed values, omitted members included. */
const MAX_NODES = 4096
/** Limit of structs and lists nested around a value. */
const MAX_DEPTH = 48

const NAME = /^[A-Za-z_$][\w$]{0,255}$/
const TYPE = /^([A-Za-z_$][\w$]{0,255})((?:\[(?:[1-9][0-9]{0,5})?\]){0,8})$/
const ELEMENTARY = /^(?:bool|address|string|bytes|bytes([0-9]{1,2})|u?int([0-9]{0,3}))$/
const INTEGER = /^(?:-?[0-9]{1,78}|0x[0-9a-f]{1,64})$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i
const BYTES = /^0x(?:[0-9a-f]{2})*$/i

interface TypedMember {
  readonly name: string
  readonly type: string
}

type Structs = Readonly<Record<string, readonly TypedMember[]>>

const DOMAIN: readonly TypedMember[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/** Returns the EIP712Domain struct if the types lack it: the members of EIP-712 that `domain` has. */
export function domainMembers(domain: object): readonly TypedMember[] {
  return DOMAIN.filter(({ name }) => Object.hasOwn(domain, name))
}

/** The message names the member at fault, such as `message.order.items[0]`. */
class TypedDataError extends Error {}

function misfit(place: string, rule: string): TypedDataError {
  return new TypedDataError(`${place}: ${rule}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? 'nothing')
  return text.length <= 80 ? text : `${text.slice(0, 80)}...`
}

/** True for EIP-712's own types, such as `uint8`, `bytes32` and `string`. */
export function isElementaryType(name: string): boolean {
  const [match, bytes, bits] = ELEMENTARY.exec(name) ?? []
  if (match === undefined) return false
  if (bytes !== undefined) return !bytes.startsWith('0') && Number(bytes) <= 32
  if (bits === undefined || bits === '') return true
  return !bits.startsWith('0') && Number(bits) % 8 === 0 && Number(bits) <= 256
}

/** Returns the type without its array suffixes; undefined if it is malformed. */
function baseOf(type: string): string | undefined {
  return TYPE.exec(type)?.[1]
}

function checkStructs(types: unknown): Structs {
  if (!isObject(types)) throw misfit('types', 'write an object with the members of each struct')
  const names = Object.keys(types)
  if (names.length > MAX_TYPES)
    throw misfit('types', `${names.length} structs, want at most ${MAX_TYPES}`)
  let members = 0
  for (const name of names) {
    // A name from Object.prototype would be found although no struct has it.
    if (!NAME.test(name) || isElementaryType(name) || name in Object.prototype) {
      throw misfit('types', `${shown(name)} is not a valid struct name`)
    }
    const place = `types.${name.slice(0, 80)}`
    const list = lookup(types, name)
    if (!Array.isArray(list)) throw misfit(place, 'write an array of {"name", "type"}')
    members += list.length
    if (members > MAX_MEMBERS)
      throw misfit('types', `more than ${MAX_MEMBERS} members in all structs`)
    checkMembers(list, types, place)
  }
  return types as Structs
}

function checkMembers(list: readonly unknown[], types: object, place: string): void {
  const seen = new Set<string>()
  for (const [at, member] of list.entries()) {
    const { name, type } = isObject(member) ? member : { name: undefined, type: undefined }
    if (typeof name !== 'string' || !NAME.test(name) || name in Object.prototype) {
      throw misfit(`${place}[${at}].name`, 'write a name of letters, digits, _ and $')
    }
    if (seen.has(name)) throw misfit(`${place}[${at}].name`, `the member ${name} occurs twice`)
    seen.add(name)
    const base = typeof type === 'string' ? baseOf(type) : undefined
    if (base !== undefined && (isElementaryType(base) || Object.hasOwn(types, base))) continue
    throw misfit(
      `${place}[${at}].type`,
      `${shown(type)} is neither an EIP-712 type nor a struct in types`,
    )
  }
}

/** Checks a message against its types and counts the values that will be hashed. */
class MessageCheck {
  readonly #structs: Structs
  #nodes = 0

  constructor(structs: Structs) {
    this.#structs = structs
  }

  struct(name: string, value: unknown, place: string, depth = 0): void {
    this.#count(place, depth)
    const members = this.#structs[name] as readonly TypedMember[]
    if (!isObject(value)) throw misfit(place, `write an object with the members of ${name}`)
    for (const key of Object.keys(value)) {
      if (members.some((member) => member.name === key)) continue
      throw misfit(place, `${name} has no member ${shown(key)}`)
    }
    for (const { name: label, type } of members) {
      const given = Object.hasOwn(value, label) ? value[label] : undefined
      // Version 4 of the method hashes an omitted struct as zeros.
      if (given === undefined && Object.hasOwn(this.#structs, type)) this.#count(place, depth)
      else this.#value(type, given, `${place}.${label}`, depth + 1)
    }
  }

  #value(type: string, value: unknown, place: string, depth: number): void {
    const [, item, length] = /^(.+)\[([0-9]*)\]$/.exec(type) ?? []
    if (item !== undefined) this.#list(type, item, length ?? '', value, place, depth)
    else if (Object.hasOwn(this.#structs, type)) this.struct(type, value, place, depth)
    else {
      this.#count(place, depth)
      if (!fits(type, value)) throw misfit(place, `${shown(value)} is not a valid ${type}`)
    }
  }

  #list(
    type: string,
    item: string,
    length: string,
    value: unknown,
    place: string,
    depth: number,
  ): void {
    this.#count(place, depth)
    if (!Array.isArray(value)) throw misfit(place, `write an array for ${type}`)
    if (length !== '' && value.length !== Number(length)) {
      throw misfit(place, `${value.length} entries: ${type} has ${Number(length)}`)
    }
    for (const [at, entry] of value.entries())
      this.#value(item, entry, `${place}[${at}]`, depth + 1)
  }

  #count(place: string, depth: number): void {
    if (depth > MAX_DEPTH)
      throw misfit(place.slice(0, 200), `nested deeper than ${MAX_DEPTH} levels`)
    if (++this.#nodes > MAX_NODES) {
      throw misfit(place.slice(0, 200), `more than ${MAX_NODES} values would be hashed: sign fewer`)
    }
  }
}

function fits(type: string, value: unknown): boolean {
  if (type === 'bool') return typeof value === 'boolean'
  if (type === 'string') return typeof value === 'string'
  if (type === 'address') return typeof value === 'string' && ADDRESS.test(value)
  if (type.startsWith('bytes')) {
    const length = type.slice('bytes'.length)
    if (typeof value !== 'string' || !BYTES.test(value)) return false
    return length === '' || value.length === 2 + 2 * Number(length)
  }
  const integer = integerOf(value)
  if (integer === undefined) return false
  const bits = Number(/[0-9]+$/.exec(type)?.[0] ?? 256)
  const cut = type.startsWith('u') ? BigInt.asUintN(bits, integer) : BigInt.asIntN(bits, integer)
  return cut === integer
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'string') return INTEGER.test(value) ? BigInt(value) : undefined
  return Number.isSafeInteger(value) ? BigInt(value as number) : undefined
}

/**
 * Returns what is wrong with EIP-712 typed data, as one sentence that names the member; undefined if it can be
 * hashed. Accepted data has a struct for each name, values that fit their types, and stays within the limits.
 */
export function typedDataProblem(data: unknown): string | undefined {
  try {
    checkTypedData(data)
    return undefined
  } catch (thrown) {
    if (thrown instanceof TypedDataError) return thrown.message
    throw thrown
  }
}

function checkTypedData(data: unknown): void {
  if (!isObject(data)) throw misfit('typed data', 'write an object')
  const { types, primaryType, domain, message } = data
  const structs = checkStructs(types)
  if (typeof primaryType !== 'string' || !Object.hasOwn(structs, primaryType)) {
    throw misfit('primaryType', `${shown(primaryType)} is not a struct in types`)
  }
  if (!isObject(domain)) throw misfit('domain', 'write an object')
  const check = new MessageCheck({ EIP712Domain: domainMembers(domain), ...structs })
  check.struct('EIP712Domain', domain, 'domain')
  check.struct(primaryType, message, 'message')
}
