import { createHash, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { HEADER_FAMILIES, type SignedRequest } from '../protocol/authorization.ts'
import { findRoute } from '../protocol/find-route.ts'
import { readBody, readQuery } from '../protocol/read-body.ts'
import type { Route, RouteName } from '../protocol/route-table.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type Body, invalid } from './body.ts'
import type { MemberKey } from './quorum-members.ts'

/** Later than this no request may expire: a signature that is found should be of no use soon. */
const LONGEST_EXPIRY_MS = 72 * 3_600_000

/** What one request may cost, at 50 us each. */
const MOST_VERIFICATIONS = 200

const MOST_SIGNATURES = 20

export interface AuthorizationRules {
  /** Base URLs that a signed request may name, without a slash at the end. */
  readonly publicUrls: readonly string[]
  readonly requireExpiry: boolean
}

/** A request that was read. */
export interface ReadRequest {
  readonly name: RouteName
  /** Of the wallet, policy, quorum or transaction that the path names; empty where it names none. */
  readonly id: string
  /** Of a rule; empty where the path names none. */
  readonly inner: string
  /** All that the path names, by their places in it. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: Body
  /** In snake case, and as the route's shape has it. */
  readonly body: Body
  readonly family: (typeof HEADER_FAMILIES)[number]
  /** Milliseconds; undefined where the request sets none. */
  readonly expiry: number | undefined
  readonly signatures: number
  /** Whose signatures are among those of the request. Only these keys are looked for. */
  approvals(keys: readonly MemberKey[]): Approvals
}

export interface Approvals {
  /** Keys, each once, however often it has signed. */
  readonly keys: ReadonlySet<string>
  /** Signatures that none of the keys has made. */
  readonly strangers: number
  /** SHA-256 of what was signed, as the first valid signature has it. */
  readonly payloadHash: Uint8Array | undefined
}

/**
 * Reads a request that claims to be authorized. Nothing is verified yet: whose signature counts depends on what it is
 * about.
 * @param names of who asks, one of which the app's header may have: the app, and its agent
 * @throws WalletError request_expired, invalid_data, unauthorized
 */
export function readRequest(
  names: readonly string[],
  request: SignedRequest,
  rules: AuthorizationRules,
  now: number,
): ReadRequest {
  const [path = '', query = ''] = request.path.split('?')
  const found = findRoute(request.method, path)
  if (found === undefined || !('name' in found)) {
    throw new WalletError('not_found', `there is no ${request.method} ${path.slice(0, 200)}`)
  }
  const route: Route = found.route
  const [id = '', inner = ''] = Object.values(found.ids)
  const family = familyOf(request.headers)
  const named = request.headers[`${family}-app-id`]
  if (named !== undefined && !names.includes(named)) {
    throw new WalletError('unauthorized', `the request is of the app ${JSON.stringify(named)}`)
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
      `the signed request sets no ${family}-request-expiry: this service asks for one`,
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

/** The names of the headers are signed: those of both families at once would leave open which are. */
function familyOf(headers: Readonly<Record<string, string>>): (typeof HEADER_FAMILIES)[number] {
  const names = Object.keys(headers)
  const families = HEADER_FAMILIES.filter((family) =>
    names.some((name) => name.startsWith(`${family}-`)),
  )
  for (const name of names) {
    if (!families.some((family) => HEADERS.includes(name.slice(family.length + 1)))) {
      throw invalid(`the header ${name} is not part of what is signed`)
    }
  }
  if (families.length > 1) {
    throw invalid('the request has headers of two families: use wallet-... or privy-... alone')
  }
  return families[0] ?? 'wallet'
}

const HEADERS = ['app-id', 'idempotency-key', 'request-expiry']

function expiryOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const expiry = /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN
  if (Number.isNaN(expiry))
    throw invalid('the request expiry is no time in milliseconds since 1970')
  if (expiry <= now) {
    throw new WalletError('request_expired', `the request has expired at ${timeText(expiry)}`)
  }
  if (expiry > now + LONGEST_EXPIRY_MS) {
    throw new WalletError(
      'request_expired',
      `the request expires at ${timeText(expiry)}: at most 72 hours from now are taken`,
    )
  }
  return expiry
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** What may have been signed, for each configured URL. */
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

/** No body is signed as the empty string; `{}` is by some as it is, and means the same. */
const EMPTY_BODIES = ['""', '{}']

/** As it was sent: what was signed has the spelling of the caller. */
function canonicalBodies(text: string): readonly string[] {
  if (text === '') return EMPTY_BODIES
  try {
    const canonical = canonicalize(JSON.parse(text))
    if (canonical !== undefined) return canonical === '{}' ? EMPTY_BODIES : [canonical]
  } catch {}
  throw invalid('the body is nothing that RFC 8785 has a form for')
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
        // All who agree have agreed to one request.
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
  return { keys, strangers, payloadHash }
}

function tooManyKeys(): WalletError {
  return new WalletError(
    'incorrect_quantity_of_authorization_signatures',
    'the signatures would have to be tried with too many keys: send those of one quorum',
  )
}

/** DER in base64, as long as an ECDSA signature of P-256 can be. */
function readSignature(text: string): Buffer | undefined {
  if (text.length > 100 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
