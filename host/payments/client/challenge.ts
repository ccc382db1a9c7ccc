import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import type { Binding } from '../protocol/terms.ts'
import type { PaymentOffer } from './offer.ts'
import { PaymentError } from './payment-error.ts'

/** Maximum characters read of a body or header; a challenge takes one or two thousand. */
export const MAX_CHALLENGE_LENGTH = 65_536
/** Maximum requirements read of one challenge. */
const MAX_OFFERS = 32

const BINDINGS: ReadonlySet<string> = new Set(['bearer', 'reference', 'signed', 'eip3009'])

type Json = Readonly<Record<string, unknown>>

function invalid(message: string): PaymentError {
  return new PaymentError('CHALLENGE_INVALID', message)
}

/** Quotes a seller's value, shortened for a message. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}

function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${what} is not an object: ${quoted(value)}`)
  }
  return value as Json
}

function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '')
    throw invalid(`${what} is not a string: ${quoted(value)}`)
  return value
}

function asAddress(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw invalid(`${what} is not an address: ${quoted(value)}`)
  }
  return value.toLowerCase() as Hex
}

/** Parses a positive decimal integer below 2^256 from a string: no sign, exponent, leading zero or JSON number. */
function asAmount(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^[1-9][0-9]{0,77}$/.test(value)) {
    const amount = BigInt(value)
    if (amount < 1n << 256n) return amount
  }
  throw invalid(
    `${what} is not a positive integer of the smallest unit, as a decimal string: ${quoted(value)}`,
  )
}

function asSeconds(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw invalid(`${what} is not a positive integer: ${quoted(value)}`)
  }
  return value
}

function tokenOf({ name, version }: Json): PaymentOffer['token'] {
  return typeof name === 'string' && name !== '' && typeof version === 'string'
    ? { name, version }
    : undefined
}

function bindingOf({ binding }: Json): Binding {
  if (binding === undefined) return 'bearer'
  if (typeof binding === 'string' && BINDINGS.has(binding)) return binding as Binding
  throw invalid(
    `extra.binding is not one of bearer, reference, signed, eip3009: ${quoted(binding)}`,
  )
}

/** Reads the members that all protocols share. @param amount name of the member with the price */
function commonOf(requirement: Json, amount: 'amount' | 'maxAmountRequired') {
  const extra = requirement.extra === undefined ? {} : asObject(requirement.extra, 'extra')
  if (requirement.scheme !== 'exact') {
    throw invalid(`scheme is not exact: ${quoted(requirement.scheme)}`)
  }
  const { reference, assetTransferMethod: method = 'eip3009' } = extra
  if (method !== 'eip3009') {
    throw invalid(`extra.assetTransferMethod is not eip3009: ${quoted(method)}`)
  }
  return {
    network: asText(requirement.network, 'network'),
    asset: asAddress(requirement.asset, 'asset'),
    amount: asAmount(requirement[amount], amount),
    payTo: asAddress(requirement.payTo, 'payTo'),
    maxTimeoutSeconds: asSeconds(requirement.maxTimeoutSeconds, 'maxTimeoutSeconds'),
    token: tokenOf(extra),
    binding: bindingOf(extra),
    reference: reference === undefined ? undefined : asText(reference, 'extra.reference'),
  }
}

/** Reads a requirement of a body. Contract requirements have a reference and a path, those of v1 an absolute URL. */
function offerOfBody(requirement: Json): PaymentOffer {
  const common = commonOf(requirement, 'maxAmountRequired')
  const resource = asText(requirement.resource, 'resource')
  const isContract = common.reference !== undefined && !URL.canParse(resource)
  const protocol = isContract ? 'contract' : 'v1'
  return { ...common, protocol, resource, sent: { accepted: requirement } }
}

function offerOfHeader(requirement: Json, resource: Json, extensions: unknown): PaymentOffer {
  return {
    ...commonOf(requirement, 'amount'),
    protocol: 'v2',
    resource: asText(resource.url, 'resource.url'),
    sent: {
      accepted: requirement,
      resource,
      ...(extensions !== undefined && { extensions }),
    },
  }
}

/** Collects the readable offers, and the reason of the first unreadable one. */
class Offers {
  readonly read: PaymentOffer[] = []
  problem: PaymentError | undefined

  add(accepts: unknown, offerOf: (requirement: Json) => PaymentOffer): void {
    if (!Array.isArray(accepts) || accepts.length > MAX_OFFERS) {
      this.#note(invalid(`accepts is not a list of at most ${MAX_OFFERS} requirements`))
      return
    }
    for (const requirement of accepts) {
      this.attempt(() => this.read.push(offerOf(asObject(requirement, 'a requirement'))))
    }
  }

  attempt(part: () => void): void {
    try {
      part()
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error
      this.#note(error)
    }
  }

  #note(problem: PaymentError): void {
    this.problem ??= problem
  }
}

function parseJson(text: string, what: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PaymentError('CHALLENGE_INVALID', `${what} is not JSON`, { cause })
  }
  return asObject(value, what)
}

function parseHeader(text: string): Json {
  const what = `the header ${PAYMENT_HEADERS.required}`
  if (text.length > MAX_CHALLENGE_LENGTH) throw invalid(`${what} has ${text.length} characters`)
  let bytes: Uint8Array
  try {
    bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new PaymentError('CHALLENGE_INVALID', `${what} is not base64`, { cause })
  }
  return parseJson(new TextDecoder().decode(bytes), what)
}

function readHeader(offers: Offers, text: string): void {
  const { x402Version, accepts, resource, extensions } = parseHeader(text)
  if (x402Version !== 2) throw invalid(`x402Version of the header is not 2: ${quoted(x402Version)}`)
  const named = asObject(resource, 'resource')
  offers.add(accepts, (requirement) => offerOfHeader(requirement, named, extensions))
}

function readBody(offers: Offers, text: string): void {
  const { x402Version, accepts } = parseJson(text, 'the body')
  if (x402Version !== 1) throw invalid(`x402Version of the body is not 1: ${quoted(x402Version)}`)
  offers.add(accepts, offerOfBody)
}

/**
 * Returns the offers of a 402: those of the x402 v2 header first, then those of the body (contract or x402 v1), each
 * in the seller's order. Unreadable ones are left out.
 * @param header value of PAYMENT-REQUIRED, if present
 * @throws CHALLENGE_INVALID if no offer is readable
 */
export function readChallenge(header: string | null, body: string): readonly PaymentOffer[] {
  const offers = new Offers()
  if (header !== null) offers.attempt(() => readHeader(offers, header))
  // A v2 body is free-form: ignore its faults if the header was readable
  const apart = new Offers()
  apart.attempt(() => readBody(apart, body))
  const found = [...offers.read, ...apart.read]
  if (found.length === 0) {
    throw (
      (header === null ? apart.problem : (offers.problem ?? apart.problem)) ??
      invalid('the 402 offers no way to pay')
    )
  }
  return found
}

/** Returns the seller's reasons for refusing a payment: `invalidReason` and `error`, from body or header. */
export function readRefusal(
  header: string | null,
  body: string,
): { readonly error: string | undefined; readonly reason: string | undefined } {
  const said: Json[] = []
  for (const read of [() => parseJson(body, 'the body'), () => parseHeader(header ?? '')]) {
    try {
      said.push(read())
    } catch {
      // No readable reason
    }
  }
  const text = (name: string) =>
    said.map((json) => lookup(json, name)).find((value) => typeof value === 'string') as
      | string
      | undefined
  return { error: text('error'), reason: text('invalidReason') }
}
