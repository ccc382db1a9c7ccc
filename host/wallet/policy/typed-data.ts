import { lookup } from '../../base/lookup.ts'
import { isElementaryType } from '../../evm/chain-types/typed-data.ts'
import {
  type AbiMember,
  type AbiTuple,
  arrayOf,
  type PolicyAbiType,
  parseParameter,
  tupleOf,
} from './abi-type.ts'
import { type Context, ofOtherAction, once, type Reading, unknown } from './reading.ts'
import { ruleProblem, shown } from './rule-problem.ts'
import {
  type PolicyScalar,
  parseAddressText,
  parseBytesText,
  parseInteger,
  type ScalarType,
} from './scalar.ts'
import type { ActionTypedData } from './signing-action.ts'
import { findPath, type Step, type ValuePath } from './value-path.ts'

type Types = ActionTypedData['types']

const NAME = /^[A-Za-z_$][\w$]{0,255}$/
const LONE_SURROGATE = /\p{Cs}/u
const MAX_STRUCTS = 64
const MAX_MEMBERS = 64

/** Returns a type without its array suffixes. */
function baseOf(type: string): string {
  const at = type.indexOf('[')
  return at < 0 ? type : type.slice(0, at)
}

/**
 * Returns EIP-712's `encodeType`: the struct, then those it refers to by name. Undefined if the types are invalid.
 * Equal texts have equal members in the same positions.
 */
export function encodeType(types: Types, primary: string): string | undefined {
  const found = new Map<string, string>()
  const waiting = [primary]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const members = lookup(types, name)
    if (!NAME.test(name) || !Array.isArray(members) || members.length > MAX_MEMBERS)
      return undefined
    // A struct with the name of an elementary type would be ambiguous.
    if (isElementaryType(name)) return undefined
    const parts: string[] = []
    for (const member of members as readonly Record<string, unknown>[]) {
      const { name: label, type } = member ?? {}
      if (typeof label !== 'string' || typeof type !== 'string' || !NAME.test(label))
        return undefined
      parts.push(`${type} ${label}`)
      const base = baseOf(type)
      if (Object.hasOwn(types, base)) waiting.push(base)
      else if (!isElementaryType(base) || parseParameter({ type }) === undefined) return undefined
    }
    found.set(name, `${name}(${parts.join(',')})`)
    if (found.size > MAX_STRUCTS) return undefined
  }
  const others = [...found.keys()].filter((name) => name !== primary).sort()
  return [primary, ...others].map((name) => found.get(name)).join('')
}

/**
 * Returns the struct as a tuple, so that paths work as in calldata. Undefined if it is recursive. Structs used by
 * several members are built once: expanded, 40 of them could be 2^40.
 */
export function structOf(
  types: Types,
  name: string,
  made: Map<string, AbiTuple | undefined> = new Map(),
): AbiTuple | undefined {
  if (made.has(name)) return made.get(name)
  // Found by a struct that contains itself.
  made.set(name, undefined)
  const members: AbiMember[] = []
  for (const { name: label, type } of lookup(types, name) ?? []) {
    const base = baseOf(type)
    const isStruct = Object.hasOwn(types, base)
    // Parses the array suffixes. An elementary type stands in for the struct.
    const parsed = parseParameter({
      name: label,
      type: isStruct ? `bool${type.slice(base.length)}` : type,
    })
    const struct = isStruct ? structOf(types, base, made) : undefined
    if (parsed === undefined || (isStruct && struct === undefined)) return undefined
    members.push(
      struct === undefined ? parsed : { name: label, type: replaceItem(parsed.type, struct) },
    )
  }
  const struct = tupleOf(members)
  made.set(name, struct)
  return struct
}

function replaceItem(type: PolicyAbiType, item: PolicyAbiType): PolicyAbiType {
  return type.kind === 'array' ? arrayOf(replaceItem(type.item, item), type.length) : item
}

/** Types of a rule: `{types, primary_type}`. */
export interface RuleTypes {
  readonly encoded: string
  readonly primaryType: string
  readonly members: readonly AbiMember[]
}

/** @throws INVALID_ARGUMENT */
export function parseRuleTypes(typedData: unknown, place: string): RuleTypes {
  const hint =
    'write {"types": {<name>: [{"name", "type"}]}, "primary_type": <name>} as in the signed data'
  const {
    types,
    primary_type,
    primaryType = primary_type,
  } = (typedData ?? {}) as Record<string, unknown>
  if (typeof types !== 'object' || types === null || typeof primaryType !== 'string') {
    throw ruleProblem(place, `${shown(typedData)} has no EIP-712 types`, hint)
  }
  const encoded = encodeType(types as Types, primaryType)
  if (encoded === undefined) {
    throw ruleProblem(
      place,
      `${shown(primaryType)} is not a struct of the types, or one of its types is invalid`,
      hint,
    )
  }
  const tuple = structOf(types as Types, primaryType)
  if (tuple === undefined) {
    throw ruleProblem(place, `${primaryType} holds itself`, 'use types without recursion')
  }
  return { encoded, primaryType, members: tuple.members }
}

/** Parses a value of a message or a domain. Accepts only unambiguous forms. */
function scalarOf(leaf: PolicyAbiType, given: unknown): PolicyScalar | undefined {
  switch (leaf.kind) {
    case 'uint':
    case 'int': {
      const number = integerOf(given)
      if (number === undefined) return undefined
      const cut =
        leaf.kind === 'uint' ? BigInt.asUintN(leaf.bits, number) : BigInt.asIntN(leaf.bits, number)
      return cut === number ? number : undefined
    }
    case 'address':
      return typeof given === 'string' ? parseAddressText(given) : undefined
    case 'bool':
      return typeof given === 'boolean' ? String(given) : undefined
    case 'string':
      // Hashing would replace a lone surrogate.
      return typeof given === 'string' && !LONE_SURROGATE.test(given) ? given : undefined
    case 'bytes':
      return typeof given === 'string' ? parseBytesText(given) : undefined
    case 'word': {
      const bytes = typeof given === 'string' ? parseBytesText(given) : undefined
      return bytes?.length === 2 + 2 * leaf.length ? bytes : undefined
    }
    default:
      return undefined
  }
}

function integerOf(given: unknown): bigint | undefined {
  if (typeof given === 'bigint') return given
  if (typeof given === 'string') return parseInteger(given)
  return Number.isSafeInteger(given) ? BigInt(given as number) : undefined
}

function follow(root: unknown, steps: readonly Step[]): readonly unknown[] | undefined {
  let reached: readonly unknown[] = [root]
  for (const step of steps) {
    const next: unknown[] = []
    for (const each of reached) {
      if (step.to === 'member') {
        if (typeof each !== 'object' || each === null || !Object.hasOwn(each, step.name))
          return undefined
        next.push(lookup(each as Record<string, unknown>, step.name))
      } else {
        if (!Array.isArray(each)) return undefined
        if (step.to === 'each') next.push(...each)
        else if (step.index < each.length) next.push(each[step.index])
      }
    }
    reached = next
  }
  return reached
}

/** Returns the values at a path of a message; undefined if they do not match their types. */
export function readMessageValues(
  message: unknown,
  { steps, leaf }: ValuePath,
): readonly PolicyScalar[] | undefined {
  const values = follow(message, steps)?.map((each) => scalarOf(leaf, each))
  return values?.includes(undefined) ? undefined : (values as readonly PolicyScalar[] | undefined)
}

/** Returns a field of the message, such as `details.amount`. The message must have the types of the rule. */
export function messageField(
  field: string,
  types: RuleTypes,
  place: string,
): { readonly path: ValuePath; readonly type: ScalarType; read(context: Context): Reading } {
  const path = findPath(field, types.members)
  if (typeof path === 'string') {
    const hint = 'name members as in the types, separated by dots'
    throw ruleProblem(place, `${shown(field)} ${path} of ${types.primaryType}`, hint)
  }
  const read = (context: Context): Reading => {
    const { action } = context.question
    if (action.method !== 'eth_signTypedData_v4') return ofOtherAction(context, 'typed data')
    const { typedData } = action
    const encoded = once(context, typedData, () =>
      encodeType(typedData.types, typedData.primaryType),
    )
    if (encoded !== types.encoded) {
      return unknown(`the types of ${shown(typedData.primaryType)} are not those of the rule`)
    }
    const values = readMessageValues(typedData.message, path)
    return values === undefined
      ? unknown('the message does not match its types')
      : { kind: 'values', values }
  }
  return { path, type: path.type, read }
}

const DOMAIN: Readonly<Record<string, PolicyAbiType>> = {
  name: { kind: 'string' },
  version: { kind: 'string' },
  chainId: { kind: 'uint', bits: 256 },
  verifyingContract: { kind: 'address' },
  salt: { kind: 'word', length: 32 },
}

export const DOMAIN_FIELDS: Readonly<Record<string, ScalarType>> = {
  name: 'text',
  version: 'text',
  chainId: 'integer',
  verifyingContract: 'address',
  salt: 'bytes',
}

const DOMAIN_TYPES: Readonly<Record<string, string>> = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
}

/**
 * Reads a member of the domain if it is hashed, which types.EIP712Domain decides if given. Without the member, the
 * domain does not bind the message to anything by it.
 */
export function readDomain(typedData: ActionTypedData, member: string): Reading {
  const { domain, types } = typedData
  if (Object.hasOwn(types, 'EIP712Domain')) {
    const listed = types.EIP712Domain
    const found = Array.isArray(listed) ? listed.filter((each) => each?.name === member) : []
    if (found.length !== 1) return unknown(`the domain has no ${member}`)
    if (found[0]?.type !== lookup(DOMAIN_TYPES, member))
      return unknown(`${member} of the domain has another type`)
  }
  if (!Object.hasOwn(domain, member)) return unknown(`the domain has no ${member}`)
  const scalar = scalarOf(lookup(DOMAIN, member) as PolicyAbiType, lookup(domain, member))
  if (scalar === undefined) return unknown(`${member} of the domain does not match its type`)
  return { kind: 'values', values: [scalar] }
}

export function domainReader(member: string): (context: Context) => Reading {
  return (context) => {
    const { action } = context.question
    if (action.method !== 'eth_signTypedData_v4') return ofOtherAction(context, 'typed data')
    return readDomain(action.typedData, member)
  }
}
