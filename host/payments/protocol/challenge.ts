import type { Hex } from '../../base/hex.ts'
import { bazaarExtension, type PaymentExtension } from './bazaar.ts'
import { ERROR_TEXTS, INVALID_REASONS, type InvalidReason } from './invalid-reason.ts'
import { caip2 } from './network.ts'
import { allTerms, type Binding, type PaymentTerms, type PricedResource } from './terms.ts'

/** An entry of `accepts` in the body of a 402, in contract style or x402 v1. */
export interface PaymentRequirement {
  readonly scheme: 'exact'
  readonly network: string
  /** Integer in the asset's smallest unit. */
  readonly maxAmountRequired: string
  /** Contract style: a path. x402: an absolute URL. */
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
    /**
     * What a transfer must prove besides having been made; absent for `bearer`, the only binding the contract knows.
     */
    readonly binding?: Exclude<Binding, 'bearer'>
  }
}

/** Body of a 402. */
export interface ChallengeBody {
  readonly x402Version: 1
  readonly accepts: readonly PaymentRequirement[]
  /** The contract's text. This and the following members are present if a proof was refused. */
  readonly error?: string
  readonly invalidReason?: InvalidReason
  /** Description of the fault in the proof. */
  readonly detail?: string
  readonly payer?: Hex
}

/** An entry of `accepts` in the header `PAYMENT-REQUIRED`. */
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
  readonly extensions?: Readonly<Record<string, PaymentExtension>>
}

/** Reason why a proof was refused. */
export interface ProofRefusal {
  readonly reason: InvalidReason
  readonly detail?: string
  readonly payer?: Hex
}

/** Returns the x402 v2 requirement, which a payer sends back as `accepted`. */
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

/** Maximum characters of a URL with query: Node's clients read headers of up to 16 KiB, which has room for three. */
const MAX_URL = 2_048

/** Returns the URL that names the resource in a challenge, with its query unless that is too long for a header. */
export function resourceUrl(url: URL): string {
  const full = `${url.origin}${url.pathname}${url.search}`
  return full.length <= MAX_URL ? full : `${url.origin}${url.pathname}`
}

/** Returns the body of a 402 for a request of `url`. */
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

/** Returns the extensions of x402 v2 for a call of a resource; undefined if there are none. */
export function extensionsOf(
  { path, mediaType, discovery }: PricedResource,
  method: string,
  url: URL,
): Readonly<Record<string, PaymentExtension>> | undefined {
  if (discovery === undefined) return undefined
  return { bazaar: bazaarExtension(path, mediaType, discovery, { method, path: url.pathname }) }
}

/** Returns the `PAYMENT-REQUIRED` header of a 402 for a request of `url`. */
export function paymentRequired(
  resource: PricedResource,
  url: URL,
  refusal?: ProofRefusal,
  method = 'GET',
): PaymentRequired {
  const { description, mediaType } = resource
  const extensions = extensionsOf(resource, method, url)
  return {
    x402Version: 2,
    ...(refusal === undefined ? {} : { error: refusal.reason }),
    resource: { url: resourceUrl(url), description, mimeType: mediaType },
    accepts: allTerms(resource).map(requirementV2),
    ...(extensions !== undefined && { extensions }),
  }
}
