import type { HeaderFields } from '../../api/server/server.ts'
import { HEADER_FAMILIES } from '../protocol/authorization.ts'
import { WalletError } from '../protocol/wallet-error.ts'

const NAMES = ['app-id', 'authorization-signature', 'idempotency-key', 'request-expiry'] as const

type HeaderName = (typeof NAMES)[number]

const LONGEST_KEY = 256

/** More signatures than quorums have members are rejected. */
const MOST_SIGNATURES = 100

/** Headers of a request, all of the family that it was sent with. */
export interface RequestHeaders {
  readonly appId: string | undefined
  readonly signatures: readonly string[]
  readonly idempotencyKey: string | undefined
  /** Milliseconds since 1970. */
  readonly expiry: number | undefined
  /** Headers covered by the signature, by name. */
  readonly signed: Readonly<Record<string, string>>
}

type Headers = Pick<HeaderFields, 'get' | 'has'>

function familyOf(headers: Headers): string {
  const sent = HEADER_FAMILIES.filter((family) =>
    NAMES.some((name) => headers.has(`${family}-${name}`)),
  )
  const [family = HEADER_FAMILIES[0], other] = sent
  if (other === undefined) return family
  const differing = NAMES.find(
    (name) => headers.get(`${family}-${name}`) !== headers.get(`${other}-${name}`),
  )
  if (differing === undefined) return family
  throw new WalletError(
    'invalid_data',
    `the headers ${family}-${differing} and ${other}-${differing} contradict each other: send one family`,
  )
}

function readSignatures(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const signatures = text
    .split(',')
    .map((signature) => signature.trim())
    .filter((signature) => signature !== '')
  if (signatures.length <= MOST_SIGNATURES) return signatures
  throw new WalletError('invalid_data', `more than ${MOST_SIGNATURES} authorization signatures`)
}

function readKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x20-\x7e]{1,256}$/.test(text)) return text
  throw new WalletError(
    'invalid_data',
    `an idempotency key has 1 to ${LONGEST_KEY} ASCII characters`,
  )
}

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new WalletError(
    'invalid_data',
    'a request expiry is a time in milliseconds since 1970, such as 1893456000000',
  )
}

/** @throws WalletError invalid_data if a header is invalid, or two contradict each other */
export function readHeaders(headers: Headers): RequestHeaders {
  const family = familyOf(headers)
  const of = (name: HeaderName) => headers.get(`${family}-${name}`)
  const signed = NAMES.filter((name) => name !== 'authorization-signature').flatMap((name) => {
    const value = of(name)
    return value === undefined ? [] : [[`${family}-${name}`, value] as const]
  })
  return {
    appId: of('app-id'),
    signatures: readSignatures(of('authorization-signature')),
    idempotencyKey: readKey(of('idempotency-key')),
    expiry: readExpiry(of('request-expiry')),
    signed: Object.fromEntries(signed),
  }
}

/** Maximum lifetime of a signed request. */
const LATEST_EXPIRY_MS = 72 * 3_600_000

/** @throws WalletError request_expired */
export function checkExpiry(expiry: number | undefined, now: number): void {
  if (expiry === undefined) return
  if (expiry <= now) throw new WalletError('request_expired', 'the request has expired')
  if (expiry > now + LATEST_EXPIRY_MS) {
    throw new WalletError('request_expired', 'the request expires in more than 72 hours')
  }
}
