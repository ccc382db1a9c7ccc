import { lookup } from '../../base/lookup.ts'
import { domainMembers, typedDataProblem } from '../../evm/chain-types/typed-data.ts'
import type { ActionTypedData } from '../policy/signing-action.ts'
import {
  type Body,
  invalidBody,
  readObjectMember,
  readTextMember,
  requireKnownBodyMembers,
} from './body.ts'

type Types = ActionTypedData['types']

/**
 * Returns typed data in a canonical spelling, for rules and for hashing: integers in decimal, bytes and addresses as
 * lower-case 0x-hex. With several spellings, a rule that compares texts could be bypassed.
 * @throws WalletError invalid_data if a value does not match its type, a member has no type, or there are too many
 */
export function readTypedData(params: Body): ActionTypedData {
  requireKnownBodyMembers(params, ['typed_data'], 'params')
  const asked = readObjectMember(params.typed_data, 'params.typed_data')
  requireKnownBodyMembers(
    asked,
    ['domain', 'types', 'primary_type', 'primaryType', 'message'],
    'typed_data',
  )
  const primaryType = readTextMember(
    asked.primary_type ?? asked.primaryType,
    'typed_data.primary_type',
  )
  if (asked.primary_type !== undefined && asked.primaryType !== undefined) {
    throw invalidBody('typed_data has primary_type in two spellings')
  }
  const { domain, message, types: named } = asked
  const problem = typedDataProblem({ types: named, primaryType, domain, message })
  if (problem !== undefined) throw invalidBody(`typed_data.${problem}`)
  if (primaryType === 'EIP712Domain') {
    throw invalidBody('typed_data.primary_type is "EIP712Domain": name the struct of the message')
  }
  const types: Types = { EIP712Domain: domainMembers(domain as object), ...plainTypes(named) }
  return {
    domain: oneSpelling(types, 'EIP712Domain', domain) as ActionTypedData['domain'],
    types,
    primaryType,
    message: oneSpelling(types, primaryType, message) as ActionTypedData['message'],
  }
}

/** Drops members that are not hashed. */
function plainTypes(types: unknown): Types {
  return Object.fromEntries(
    Object.entries(types as Types).map(([name, members]) => [
      name,
      members.map(({ name, type }) => ({ name, type })),
    ]),
  )
}

/** Returns a value in its canonical spelling. */
function oneSpelling(types: Types, type: string, value: unknown): unknown {
  const [, item] = /^(.+)\[\d*\]$/.exec(type) ?? []
  if (item !== undefined) {
    return (value as readonly unknown[]).map((entry) => oneSpelling(types, item, entry))
  }
  if (Object.hasOwn(types, type)) {
    const members = (types[type] as Types[string]).filter(({ name }) =>
      Object.hasOwn(value as object, name),
    )
    const given = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      members.map(({ name, type }) => [name, oneSpelling(types, type, lookup(given, name))]),
    )
  }
  if (/^u?int/.test(type)) return `${BigInt(value as string)}`
  return /^(?:bytes|address)/.test(type) ? (value as string).toLowerCase() : value
}
