import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import type { Binding } from '../protocol/terms.ts'
import type { Offer } from './offer.ts'
import { PaymentError } from './payment-error.ts'

/** Characters of a body or a header that are read: a challenge takes one or two thousand. */
export const MAX_CHALLENGE_LENGTH = 65_536
/** Requirements of one challenge that are looked at. */
const MAX_OFFERS = 32

const BINDINGS: ReadonlySet<string> = new Set(['bearer', 'reference', 'signed', 'eip3009'])

type Json = Readonly<Record<string, unknown>>

function invalid(message: string): PaymentError {
  return new PaymentError('CHALLENGE_INVALID', message)
}

/** What a seller wrote, as far as a message should repeat it. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}

function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${what} is no object: ${quoted(value)}`)
  }
  return value as Json
}

function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '')
    throw invalid(`${what} is no text: ${quoted(value)}`)
  return value
}

function asAddress(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw invalid(`${what} is no address: ${quoted(value)}`)
  }
  return value.toLowerCase() as Hex
}

/** A positive decimal integer below 2^256, as text: no sign, no exponent, no leading zero, no number of JSON. */
function asAmount(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^[1-9][0-9]{0,77}$/.test(value)) {
    const amount = BigInt(value)
    if (amount < 1n << 256n) return amount
  }
  throw invalid(
    `${what} is no positive integer of the smallest unit, as decimal text: ${quoted(value)}`,
  )
}

function asSeconds(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw invalid(`${what} is no positive integer: ${quoted(value)}`)
  }
  return value
}

function tokenOf({ name, version }: Json): Offer['token'] {
  return typeof name === 'string' && name !== '' && typeof version === 'string'
    ? { name, version }
    : undefined
}

function bindingOf({ binding }: Json): Binding {
  if (binding === undefined) return 'bearer'
  if (typeof binding === 'string' && BINDINGS.has(binding)) return binding as Binding
  throw invalid(`extra.binding is none of bearer, reference, signed, eip3009: ${quoted(binding)}`)
}

/** What the protocols have in common. @param amount name of the member with the price */
function commonOf(requirement: Json, amount: 'amount' | 'maxAmountRequired') {
  const extra = requirement.extra === undefined ? {} : asObject(requirement.extra, 'extra')
  if (requirement.scheme !== 'exact') {
    throw invalid(`scheme is not exact: ${quoted(requirement.scheme)}`)
  }
  const { reference } = extra
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

/** The contract's requirements have a reference and a path, those of v1 an absolute URL. */
function offerOfBody(requirement: Json): Offer {
  const common = commonOf(requirement, 'maxAmountRequired')
  const resource = asText(requirement.resource, 'resource')
  const isContract = common.reference !== undefined && !URL.canParse(resource)
  const protocol = isContract ? 'contract' : 'v1'
  return { ...common, protocol, resource, sent: { accepted: requirement } }
}

function offerOfHeader(requirement: Json, resource: Json): Offer {
  return {
    ...commonOf(requirement, 'amount'),
    protocol: 'v2',
    resource: asText(resource.url, 'resource.url'),
    sent: { accepted: requirement, resource },
  }
}

/** The offers that can be read; the reason of the first that cannot. */
class Offers {
  readonly read: Offer[] = []
  problem: PaymentError | undefined

  add(accepts: unknown, offerOf: (requirement: Json) => Offer): void {
    if (!Array.isArray(accepts) || accepts.length > MAX_OFFERS) {
      this.#note(invalid(`accepts is no list of at most ${MAX_OFFERS} requirements`))
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
    throw new PaymentError('CHALLENGE_INVALID', `${what} is no JSON`, { cause })
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
    throw new PaymentError('CHALLENGE_INVALID', `${what} is no base64`, { cause })
  }
  return parseJson(new TextDecoder().decode(bytes), what)
}

function readHeader(offers: Offers, text: string): void {
  const { x402Version, accepts, resource } = parseHeader(text)
  if (x402Version !== 2) throw invalid(`x402Version of the header is not 2: ${quoted(x402Version)}`)
  const named = asObject(resource, 'resource')
  offers.add(accepts, (requirement) => offerOfHeader(requirement, named))
}

function readBody(offers: Offers, text: string): void {
  const { x402Version, accepts } = parseJson(text, 'the body')
  if (x402Version !== 1) throw invalid(`x402Version of the body is not 1: ${quoted(x402Version)}`)
  offers.add(accepts, offerOfBody)
}

/**
 * What a 402 offers, by its header of x402 v2 and by its body, which is the contract's or that of x402 v1; those of the
 * header first, as the seller wrote them. What cannot be read is left out.
 * @param header value of PAYMENT-REQUIRED, where there is one
 * @throws CHALLENGE_INVALID where nothing can be read
 */
export function readChallenge(header: string | null, body: string): readonly Offer[] {
  const offers = new Offers()
  if (header !== null) offers.attempt(() => readHeader(offers, header))
  // The body of v2 is free: what it lacks is no fault where the header said all
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

/** Why a seller refuses a payment, in its own words: `invalidReason` beside `error`, of body or header. */
export function readRefusal(
  header: string | null,
  body: string,
): { readonly error: string | undefined; readonly reason: string | undefined } {
  const said: Json[] = []
  for (const read of [() => parseJson(body, 'the body'), () => parseHeader(header ?? '')]) {
    try {
      said.push(read())
    } catch {
      // It says nothing
    }
  }
  const text = (name: string) =>
    said.map((json) => lookup(json, name)).find((value) => typeof value === 'string') as
      | string
      | undefined
  return { error: text('error'), reason: text('invalidReason') }
}
