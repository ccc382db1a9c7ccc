import type { Hex } from '../../base/hex.ts'
import { ERROR_TEXTS, INVALID_REASONS, type InvalidReason } from './invalid-reason.ts'
import { caip2 } from './network.ts'
import type { Binding, PaymentTerms, PricedResource } from './terms.ts'

/** One of `accepts` in the body of a 402: the contract's, and that of x402 v1. */
export interface PaymentRequirement {
  readonly scheme: 'exact'
  readonly network: string
  /** Integer in the asset's smallest unit. */
  readonly maxAmountRequired: string
  /** The contract's style: a path. x402's: an absolute URL. */
  readonly resource: string
  readonly description: string
  readonly mimeType: string
  readonly payTo: Hex
  readonly maxTimeoutSeconds: number
  readonly asset: Hex
  readonly extra: {
    readonly name: string
    readonly version: string
    readonly reference: string
    /** What a transfer must prove beside that it was made; absent at `bearer`, which the contract has alone. */
    readonly binding?: Exclude<Binding, 'bearer'>
  }
}

/** Body of a 402. */
export interface ChallengeBody {
  readonly x402Version: 1
  readonly accepts: readonly PaymentRequirement[]
  /** The contract's text. This member and the following are there where a proof was refused. */
  readonly error?: string
  readonly invalidReason?: InvalidReason
  /** What is wrong with the proof, in words. */
  readonly detail?: string
  readonly payer?: Hex
}

/** One of `accepts` in the header `PAYMENT-REQUIRED`. */
export interface PaymentRequirementV2 {
  readonly scheme: 'exact'
  /** CAIP-2. */
  readonly network: string
  /** Integer in the asset's smallest unit. */
  readonly amount: string
  readonly asset: Hex
  readonly payTo: Hex
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

/** The header `PAYMENT-REQUIRED` of a 402 (x402 v2). */
export interface PaymentRequired {
  readonly x402Version: 2
  readonly error?: string
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  readonly accepts: readonly PaymentRequirementV2[]
}

/** Why the proof of a request was refused. */
export interface ProofRefusal {
  readonly reason: InvalidReason
  readonly detail?: string
  readonly payer?: Hex
}

/** What a payment has to be in x402 v2: a payer sends it back as `accepted`. */
export function requirementV2(terms: PaymentTerms): PaymentRequirementV2 {
  return {
    scheme: 'exact',
    network: caip2(terms.chainId),
    amount: `${terms.amount}`,
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: terms.token.name, version: terms.token.version },
  }
}

function requirement(
  { terms, description, mediaType, style }: PricedResource,
  url: URL,
  reference: string,
  binding: Binding,
): PaymentRequirement {
  const { name, version } = terms.token
  return {
    scheme: 'exact',
    network: terms.network,
    maxAmountRequired: `${terms.amount}`,
    resource: style === 'contract' ? url.pathname : resourceUrl(url),
    description,
    mimeType: mediaType,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    asset: terms.asset,
    extra: { name, version, reference, ...(binding === 'bearer' ? {} : { binding }) },
  }
}

/** Characters of a URL with its query: a header of 16 KiB, the most that Node's clients read, has room for three. */
const MAX_URL = 2_048

/** The URL by which a challenge names what was asked for: with its query, where that is not too long for a header. */
export function resourceUrl(url: URL): string {
  const full = `${url.origin}${url.pathname}${url.search}`
  return full.length <= MAX_URL ? full : `${url.origin}${url.pathname}`
}

/** Body of a 402 for a request of `url`. */
export function challengeBody(
  resource: PricedResource,
  url: URL,
  reference: string,
  binding: Binding,
  refusal?: ProofRefusal,
): ChallengeBody {
  const accepts = [requirement(resource, url, reference, binding)]
  const body = { x402Version: 1, accepts } as const
  if (refusal === undefined) return body
  const { reason, detail, payer } = refusal
  return {
    ...body,
    error: ERROR_TEXTS[INVALID_REASONS[reason].error],
    invalidReason: reason,
    detail: detail ?? INVALID_REASONS[reason].means,
    ...(payer === undefined ? {} : { payer }),
  }
}

/** Header `PAYMENT-REQUIRED` of a 402 for a request of `url`. */
export function paymentRequired(
  { terms, description, mediaType }: PricedResource,
  url: URL,
  refusal?: ProofRefusal,
): PaymentRequired {
  return {
    x402Version: 2,
    ...(refusal === undefined ? {} : { error: refusal.reason }),
    resource: { url: resourceUrl(url), description, mimeType: mediaType },
    accepts: [requirementV2(terms)],
  }
}
