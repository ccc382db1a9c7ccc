import type { z } from 'zod'
import { lookup } from '../../base/lookup.ts'
import { WalletError } from './wallet-error.ts'

/** Maximum nesting of a body: canonicalization and hashing are recursive. */
const MAX_DEPTH = 32

/** Members accepted in camel case too, as SDKs and older documents write them. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  [
    'chain_type',
    'chain_id',
    'policy_ids',
    'owner_id',
    'public_key',
    'public_keys',
    'additional_signers',
    'signer_id',
    'override_policy_ids',
    'display_name',
    'external_id',
    'authorization_key_ids',
    'authorization_threshold',
    'key_quorum_ids',
    'field_source',
    'typed_data',
    'primary_type',
    'gas_limit',
    'gas_price',
    'max_fee_per_gas',
    'max_priority_fee_per_gas',
    'access_list',
    'storage_keys',
    'authorization_list',
    'y_parity',
    'reference_id',
    'wallet_id',
    'encryption_type',
    'recipient_public_key',
    'encapsulated_key',
    'entropy_type',
  ].map((name) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), name]),
)

/** Members whose values are passed on unchanged, including names. */
const OPAQUE: ReadonlySet<string> = new Set(['abi', 'types', 'domain', 'message'])

/** A lone surrogate has no UTF-8 encoding in canonical JSON (RFC 8785, 3.2.2.2). */
const HALF_PAIR = /\p{Surrogate}/u

function refuse(path: readonly PropertyKey[], rule: string): never {
  const place = path.map(String).join('.')
  throw new WalletError('invalid_data', place === '' ? rule : `${place}: ${rule}`)
}

/**
 * Returns the value with members in snake case.
 * @throws WalletError if a number is not a safe integer, a string has a lone surrogate, or the nesting is too deep
 */
function normalized(value: unknown, path: readonly string[], opaque: boolean): unknown {
  if (typeof value === 'number') {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) {
      return value
    }
    return refuse(path, 'a number beyond 9007199254740991 loses digits: pass a hex string')
  }
  if (typeof value === 'string') {
    return HALF_PAIR.test(value)
      ? refuse(path, 'the text contains half of a surrogate pair')
      : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (path.length >= MAX_DEPTH) refuse(path.slice(0, 3), `more than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) {
    return value.map((item, i) => normalized(item, [...path, String(i)], opaque))
  }
  const members: [string, unknown][] = []
  const seen = new Set<string>()
  for (const [key, member] of Object.entries(value)) {
    if (HALF_PAIR.test(key)) refuse(path, 'the text contains half of a surrogate pair')
    const name = opaque ? key : (ALIASES.get(key) ?? key)
    const place = [...path, key]
    if (key === '__proto__') refuse(place, 'is no member')
    if (seen.has(name)) refuse(place, `the member is given in two spellings: pass one of them`)
    seen.add(name)
    members.push([name, normalized(member, place, opaque || OPAQUE.has(name))])
  }
  return Object.fromEntries(members)
}

type Issue = z.core.$ZodIssue

/** Returns the issue of the union alternative that came closest: the one whose issues are deepest. */
function nearest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  const depth = (issues: readonly Issue[]) => Math.max(...issues.map(({ path }) => path.length))
  const best = issue.errors.reduce((one, other) => (depth(other) > depth(one) ? other : one))
  const [first] = best
  if (first === undefined || depth(best) === 0) return issue
  return nearest({ ...first, path: [...issue.path, ...first.path] })
}

function textOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return `has no member ${issue.keys.join(', ')}`
  return issue.message
}

/** @throws WalletError with the member and its rule */
export function readShape<T extends z.ZodType>(shape: T, value: unknown): z.infer<T> {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue === undefined) throw result.error
  const found = nearest(issue)
  return refuse(found.path, textOf(found))
}

/**
 * Parses the body of a request by the shape of its route. An empty body is `{}`.
 * @throws WalletError invalid_data
 */
export function readBody<T extends z.ZodType>(shape: T, text: string): z.infer<T> {
  return readShape(shape, parseWalletBody(text))
}

/** Parses a JSON body and converts it to snake case. An empty body is `{}`. @throws WalletError invalid_data */
export function parseWalletBody(text: string): unknown {
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse([], 'the body is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse([], 'the body is not a JSON object')
  }
  return normalized(value, [], false)
}

/**
 * Parses the query of a request by the shape of its route.
 * @throws WalletError invalid_data
 */
export function readQuery<T extends z.ZodObject>(shape: T, query: string): z.infer<T> {
  const members: [string, unknown][] = []
  const seen = new Set<string>()
  for (const [name, text] of new URLSearchParams(query)) {
    if (seen.has(name)) refuse([name], 'is given twice')
    seen.add(name)
    members.push([name, parameterOf(lookup(shape.shape, name), text)])
  }
  return readShape(shape, Object.fromEntries(members))
}

/** Converts digits to a number if the shape asks for one. */
function parameterOf(shape: z.core.$ZodType | undefined, text: string): unknown {
  const inner = shape?._zod.def
  const type = inner?.type === 'optional' ? typeWithin(inner) : inner?.type
  if (type === 'number' && /^[0-9]{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function typeWithin(def: z.core.$ZodTypeDef): string {
  return (def as z.core.$ZodOptionalDef).innerType._zod.def.type
}
