import { parseBase64 } from '../../base/base64.ts'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import type { InvalidReason } from './invalid-reason.ts'
import { caip2 } from './network.ts'
import { PAYMENT_HEADERS } from './payment-header.ts'
import type { AuthorizationProof, PaymentProof, TransferProof } from './proof.ts'
import { parseStrictJson } from './strict-json.ts'

/**
 * Maximum characters of a header. The longest from published clients, with a smart wallet's signature and repeated
 * extensions, has about 8,000.
 */
export const MAX_PROOF_HEADER = 12_288

/** Decimal digits of 2^256 - 1. */
const MAX_DIGITS = 78
const MAX_UINT256 = 2n ** 256n - 1n

/** Maximum bytes of a signature; a contract account's may include its code. */
const MAX_SIGNATURE = 2_048

/** Maximum characters of a quoted value in a message. */
const MAX_QUOTED = 80

/** A header that is not a valid proof, or not one for this resource. */
export interface Undecodable {
  readonly kind: 'undecodable'
  readonly reason: InvalidReason
  /** The value, the rule and the remedy. */
  readonly detail: string
}

/** The network that a proof must name. */
export interface ProofNetwork {
  /** Name in proofs of the contract and of x402 v1. */
  readonly network: string
  readonly chainId: bigint
}

class Refused extends Error {
  readonly reason: InvalidReason

  constructor(reason: InvalidReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function quoted(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text
}

function malformed(name: string, value: unknown, rule: string): Refused {
  return new Refused('invalid_payload', `${name} is ${quoted(value)}: write ${rule}`)
}

type Members = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectAt(parent: Members, name: string, path = name): Members {
  const value = lookup(parent, name)
  if (!isObject(value)) throw malformed(path, value, 'an object')
  return value
}

function hexAt(parent: Members, name: string, path: string, bytes: number): Hex {
  const value = lookup(parent, name)
  if (
    typeof value !== 'string' ||
    !/^0x[0-9a-f]*$/i.test(value) ||
    value.length !== 2 + 2 * bytes
  ) {
    throw malformed(path, value, `0x and ${2 * bytes} hex digits`)
  }
  return value.toLowerCase() as Hex
}

function signatureAt(parent: Members, path: string): Hex {
  const value = parent.signature
  const isSignature =
    typeof value === 'string' &&
    /^0x(?:[0-9a-f]{2})+$/i.test(value) &&
    value.length <= 2 + 2 * MAX_SIGNATURE
  if (!isSignature) throw malformed(path, value, `0x and at most ${2 * MAX_SIGNATURE} hex digits`)
  return value.toLowerCase() as Hex
}

/** Parses a decimal integer with a single spelling, so that comparing the text compares the number. */
function integerAt(parent: Members, name: string, path: string): bigint {
  const value = lookup(parent, name)
  const isInteger =
    typeof value === 'string' && value.length <= MAX_DIGITS && /^(?:0|[1-9][0-9]*)$/.test(value)
  const integer = isInteger ? BigInt(value) : undefined
  if (integer === undefined || integer > MAX_UINT256) {
    throw malformed(path, value, 'an integer below 2^256 as a string of decimal digits')
  }
  return integer
}

function transferOf(payload: Members): TransferProof {
  const { reference } = payload
  if (reference !== undefined && typeof reference !== 'string') {
    throw malformed('payload.reference', reference, 'extra.reference of the challenge')
  }
  return {
    kind: 'transfer',
    txHash: hexAt(payload, 'txHash', 'payload.txHash', 32),
    amount: integerAt(payload, 'amount', 'payload.amount'),
    from: hexAt(payload, 'from', 'payload.from', 20),
    ...(reference === undefined ? {} : { reference }),
    ...(payload.signature === undefined
      ? {}
      : { signature: signatureAt(payload, 'payload.signature') }),
  }
}

function authorizationOf(payload: Members, version: 1 | 2): AuthorizationProof {
  const authorization = objectAt(payload, 'authorization', 'payload.authorization')
  const hex = (name: string, bytes: number) =>
    hexAt(authorization, name, `payload.authorization.${name}`, bytes)
  const integer = (name: string) => integerAt(authorization, name, `payload.authorization.${name}`)
  return {
    kind: 'authorization',
    version,
    from: hex('from', 20),
    to: hex('to', 20),
    value: integer('value'),
    validAfter: integer('validAfter'),
    validBefore: integer('validBefore'),
    nonce: hex('nonce', 32),
    signature: signatureAt(payload, 'payload.signature'),
  }
}

function requireVersion(message: Members, version: 1 | 2, header: string): void {
  if (message.x402Version === version) return
  throw new Refused(
    'invalid_x402_version',
    `x402Version is ${quoted(message.x402Version)}: the header ${header} takes version ${version}`,
  )
}

function requireScheme(message: Members, path: string): void {
  if (message.scheme === 'exact') return
  throw new Refused('unsupported_scheme', `${path} is ${quoted(message.scheme)}: write "exact"`)
}

function requireNetwork(message: Members, path: string, network: string): void {
  if (message.network === network) return
  throw new Refused(
    'invalid_network',
    `${path} is ${quoted(message.network)}: pay on ${quoted(network)}`,
  )
}

/** Decodes a proof of the contract or of x402 v1. */
function decodeFirst(message: Members, { network }: ProofNetwork): PaymentProof {
  requireVersion(message, 1, PAYMENT_HEADERS.proof)
  requireScheme(message, 'scheme')
  requireNetwork(message, 'network', network)
  const payload = objectAt(message, 'payload')
  const { txHash, authorization } = payload
  if (txHash !== undefined && authorization !== undefined) {
    throw new Refused(
      'invalid_payload',
      'payload has both txHash and authorization: send one of them',
    )
  }
  return authorization === undefined ? transferOf(payload) : authorizationOf(payload, 1)
}

function decodeSecond(message: Members, { chainId }: ProofNetwork): AuthorizationProof {
  requireVersion(message, 2, PAYMENT_HEADERS.signature)
  const accepted = objectAt(message, 'accepted')
  requireScheme(accepted, 'accepted.scheme')
  requireNetwork(accepted, 'accepted.network', caip2(chainId))
  const { resource } = message
  if (resource !== undefined && (!isObject(resource) || typeof resource.url !== 'string')) {
    throw malformed('resource', resource, 'the resource of the challenge, with its url')
  }
  return {
    ...authorizationOf(objectAt(message, 'payload'), 2),
    accepted,
    ...(resource === undefined ? {} : { resourceUrl: resource.url as string }),
  }
}

function parseHeader(text: string, name: string): Members {
  if (text.length > MAX_PROOF_HEADER) {
    throw new Refused(
      'invalid_payload',
      `the header ${name} has ${text.length} characters, the maximum is ${MAX_PROOF_HEADER}`,
    )
  }
  let json: string
  try {
    json = decoder.decode(parseBase64(text))
  } catch {
    throw malformed(`the header ${name}`, text, 'base64 (RFC 4648, section 4) of UTF-8 of JSON')
  }
  let message: unknown
  try {
    message = parseStrictJson(json)
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error
    throw new Refused('invalid_payload', `the header ${name} holds ${error.message}`)
  }
  if (!isObject(message)) throw malformed(`the header ${name}`, message, 'an object in it')
  return message
}

/** Decodes a parsed message, from a header or a facilitator's body, by the version it names. */
export function decodeMessage(message: unknown, network: ProofNetwork): PaymentProof | Undecodable {
  try {
    if (!isObject(message)) throw malformed('the payment', message, 'an object')
    return message.x402Version === 2
      ? decodeSecond(message, network)
      : decodeFirst(message, network)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { kind: 'undecodable', reason: error.reason, detail: error.message }
  }
}

/**
 * Returns the proof of a request; undefined if it has none.
 * @param values every value of a header, by its lower-case name
 */
export function decodeProof(
  values: (name: string) => readonly string[],
  network: ProofNetwork,
): PaymentProof | Undecodable | undefined {
  const first = values(PAYMENT_HEADERS.proof)
  const second = values(PAYMENT_HEADERS.signature)
  if (first.length + second.length === 0) return undefined
  try {
    if (first.length + second.length > 1) {
      throw new Refused(
        'invalid_payload',
        `the request has ${first.length + second.length} proofs: send one`,
      )
    }
    const name = first.length > 0 ? PAYMENT_HEADERS.proof : PAYMENT_HEADERS.signature
    const message = parseHeader((first[0] ?? second[0]) as string, name)
    return first.length > 0 ? decodeFirst(message, network) : decodeSecond(message, network)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { kind: 'undecodable', reason: error.reason, detail: error.message }
  }
}
