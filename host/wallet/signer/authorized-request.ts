import { createHash, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { HEADER_FAMILIES, type SignedRequest } from '../protocol/authorization.ts'
import { findRoute } from '../protocol/find-route.ts'
import { readBody, readQuery } from '../protocol/read-body.ts'
import type { RouteName, WalletRoute } from '../protocol/route-table.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type Body, invalidBody } from './body.ts'
import type { MemberKey } from './quorum-members.ts'

/** Maximum lifetime of a signed request, to limit the use of a leaked signature. */
const LONGEST_EXPIRY_MS = 72 * 3_600_000

/** Maximum signature verifications of one request, about 50 us each. */
const MOST_VERIFICATIONS = 200

const MOST_SIGNATURES = 20

export interface AuthorizationRules {
  /** Base URLs that signed requests may use, without a trailing slash. */
  readonly publicUrls: readonly string[]
  readonly requireExpiry: boolean
}

/** A parsed request. */
export interface ParsedWalletRequest {
  readonly name: RouteName
  /** Id of the wallet, policy, quorum or transaction in the path. Empty if there is none. */
  readonly id: string
  /** Id of the rule in the path. Empty if there is none. */
  readonly inner: string
  /** All path parameters by name. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: Body
  /** In snake case, validated by the route's shape. */
  readonly body: Body
  readonly family: (typeof HEADER_FAMILIES)[number]
  /** Milliseconds since 1970. Undefined if the request has no expiry. */
  readonly expiry: number | undefined
  readonly signatures: number
  /** Returns which of the given keys have signed the request. */
  approvals(keys: readonly MemberKey[]): Approvals
}

export interface Approvals {
  /** Keys that have signed, without duplicates. */
  readonly keys: ReadonlySet<string>
  /** Number of signatures from none of the keys. */
  readonly unknownSignatures: number
  /** SHA-256 of the payload under the first valid signature. */
  readonly payloadHash: Uint8Array | undefined
}

/**
 * Parses a request without verifying its signatures: whose signatures count depends on its content.
 * @param names ids that the app id header may have: the app, and its agent
 * @throws WalletError request_expired, invalid_data, unauthorized
 */
export function readRequest(
  names: readonly string[],
  request: SignedRequest,
  rules: AuthorizationRules,
  now: number,
): ParsedWalletRequest {
  const [path = '', query = ''] = request.path.split('?')
  const found = findRoute(request.method, path)
  if (found === undefined || !('name' in found)) {
    throw new WalletError('not_found', `there is no ${request.method} ${path.slice(0, 200)}`)
  }
  const route: WalletRoute = found.route
  const [id = '', inner = ''] = Object.values(found.ids)
  const family = familyOf(request.headers)
  const named = request.headers[`${family}-app-id`]
  if (named !== undefined && !names.includes(named)) {
    throw new WalletError('unauthorized', `the request is for the app ${JSON.stringify(named)}`)
  }
  if (request.signatures.length > MOST_SIGNATURES) {
    throw new WalletError(
      'incorrect_quantity_of_authorization_signatures',
      `the request has ${request.signatures.length} signatures: at most ${MOST_SIGNATURES}`,
    )
  }
  const expiry = expiryOf(request.headers[`${family}-request-expiry`], now)
  if (expiry === undefined && rules.requireExpiry && request.signatures.length > 0) {
    throw new WalletError(
      'request_expired',
      `the signed request has no ${family}-request-expiry: this service requires one`,
    )
  }
  return {
    name: found.name,
    id,
    inner,
    ids: found.ids,
    query: route.query === undefined ? {} : readQuery(route.query, query),
    body: route.body === undefined ? {} : (readBody(route.body, request.body) as Body),
    family,
    expiry,
    signatures: request.signatures.length,
    approvals: (keys) =>
      approvalsOf(named ?? names[0] ?? '', request, family, rules.publicUrls, keys),
  }
}

/** Header names are signed. With both families it would be ambiguous which of them are. */
function familyOf(headers: Readonly<Record<string, string>>): (typeof HEADER_FAMILIES)[number] {
  const names = Object.keys(headers)
  const families = HEADER_FAMILIES.filter((family) =>
    names.some((name) => name.startsWith(`${family}-`)),
  )
  for (const name of names) {
    if (!families.some((family) => HEADERS.includes(name.slice(family.length + 1)))) {
      throw invalidBody(`the header ${name} is not part of the signed payload`)
    }
  }
  if (families.length > 1) {
    throw invalidBody('the request has headers of two families: use either wallet-... or privy-...')
  }
  return families[0] ?? 'wallet'
}

const HEADERS = ['app-id', 'idempotency-key', 'request-expiry']

function expiryOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const expiry = /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN
  if (Number.isNaN(expiry))
    throw invalidBody('the request expiry is not a time in milliseconds since 1970')
  if (expiry <= now) {
    throw new WalletError('request_expired', `the request expired at ${timeText(expiry)}`)
  }
  if (expiry > now + LONGEST_EXPIRY_MS) {
    throw new WalletError(
      'request_expired',
      `the request expires at ${timeText(expiry)}: the maximum is 72 hours from now`,
    )
  }
  return expiry
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Returns the payloads that may have been signed, for each configured URL. */
function payloads(
  named: string,
  request: SignedRequest,
  family: string,
  publicUrls: readonly string[],
): readonly Buffer[] {
  const headers = canonicalize({ ...request.headers, [`${family}-app-id`]: named })
  const path = request.path.replace(/\/+$/, '')
  const tail = `"headers":${headers},"method":"${request.method}","url":`
  return canonicalBodies(request.body).flatMap((body) =>
    publicUrls.map((url) =>
      Buffer.from(`{"body":${body},${tail}${JSON.stringify(url + path)},"version":1}`),
    ),
  )
}

/** An empty body is signed as the empty string. Some clients sign `{}` as it is, with the same meaning. */
const EMPTY_BODIES = ['""', '{}']

/** Canonicalizes the body as sent: the client signed its own spelling. */
function canonicalBodies(text: string): readonly string[] {
  if (text === '') return EMPTY_BODIES
  try {
    const canonical = canonicalize(JSON.parse(text))
    if (canonical !== undefined) return canonical === '{}' ? EMPTY_BODIES : [canonical]
  } catch {}
  throw invalidBody('the body has no canonical form by RFC 8785')
}

function approvalsOf(
  named: string,
  request: SignedRequest,
  family: string,
  publicUrls: readonly string[],
  members: readonly MemberKey[],
): Approvals {
  const keys = new Set<string>()
  let strangers = 0
  let payload: Buffer | undefined
  if (request.signatures.length > 0) {
    let candidates = payloads(named, request, family, publicUrls)
    let left = MOST_VERIFICATIONS
    for (const text of request.signatures) {
      const signature = readSignature(text)
      let found: MemberKey | undefined
      for (const candidate of signature === undefined ? [] : candidates) {
        found = members.find((member) => {
          if (left-- <= 0) throw tooManyKeys()
          return verify('sha256', candidate, member.verifier, signature as Buffer)
        })
        if (found === undefined) continue
        // All signatures must cover the same payload.
        payload = candidate
        candidates = [candidate]
        break
      }
      if (found === undefined) strangers++
      else keys.add(found.publicKey)
    }
  }
  const payloadHash =
    payload === undefined ? undefined : createHash('sha256').update(payload).digest()
  return { keys, unknownSignatures: strangers, payloadHash }
}

function tooManyKeys(): WalletError {
  return new WalletError(
    'incorrect_quantity_of_authorization_signatures',
    'the signatures match too many possible keys: send those of one quorum',
  )
}

/** Decodes the base64 of a DER signature, as long as a P-256 signature can be. */
function readSignature(text: string): Buffer | undefined {
  if (text.length > 100 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
