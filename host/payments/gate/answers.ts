import type { Hex } from '../../base/hex.ts'
import { challengeBody, type ProofRefusal, paymentRequired } from '../protocol/challenge.ts'
import { ERROR_TEXTS, INVALID_REASONS, type InvalidReason } from '../protocol/invalid-reason.ts'
import { caip2 } from '../protocol/network.ts'
import { encodePaymentHeader, PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import type { PaymentProof } from '../protocol/proof.ts'
import type { SettlementReceipt } from '../protocol/settlement-receipt.ts'
import type { Binding, PaymentTerms, PricedResource } from '../protocol/terms.ts'
import type { PaymentRefusal } from './payment-gate.ts'

type Headers = Readonly<Record<string, string>>

/** Preflight cache lifetime in browsers, seconds. */
const PREFLIGHT_SECONDS = '600'

/** Retry delay for clients while the chain is unavailable, seconds. */
const RETRY_SECONDS = '1'

/** Responses must not be cached: a paid one belongs to its payer, and a challenge expires. */
const NOT_STORED: Headers = { 'cache-control': 'no-store', vary: 'X-Payment, Payment-Signature' }

/** Pages of any origin may pay: a browser does not add a proof by itself, unlike a credential. */
const ANY_ORIGIN: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    PAYMENT_HEADERS.required,
    PAYMENT_HEADERS.receipt,
    PAYMENT_HEADERS.receiptV2,
  ].join(', '),
}

/** Returns the headers of every response at a priced resource. */
export function commonHeaders(cors: boolean): Headers {
  return cors ? { ...NOT_STORED, ...ANY_ORIGIN } : NOT_STORED
}

/** Returns the receipt in the protocol of the proof. */
export function receiptHeaders(
  proof: PaymentProof,
  { chainId, network }: PaymentTerms,
  outcome: { readonly txHash?: Hex; readonly payer: Hex; readonly errorReason?: InvalidReason },
): Headers {
  const { txHash, payer, errorReason } = outcome
  const isSecond = proof.kind === 'authorization' && proof.version === 2
  const receipt: SettlementReceipt = {
    success: errorReason === undefined,
    ...(errorReason === undefined ? {} : { errorReason }),
    transaction: txHash ?? '',
    network: isSecond ? caip2(chainId) : network,
    payer,
  }
  return {
    [isSecond ? PAYMENT_HEADERS.receiptV2 : PAYMENT_HEADERS.receipt]: encodePaymentHeader(receipt),
  }
}

/** What a 402 responds to, and what it requests. */
export interface PaymentDemand {
  readonly resource: PricedResource
  readonly method: string
  readonly url: URL
  readonly reference: string
  readonly binding: Binding
  /** False if nothing settles authorizations: x402 v2 has no other payment and is not offered. */
  readonly takesAuthorizations: boolean
}

/** Returns a 402 with the price and, if a proof was shown, what is wrong with it. */
export function paymentRequiredAnswer(
  { resource, method, url, reference, binding, takesAuthorizations }: PaymentDemand,
  headers: Headers,
  refusal?: ProofRefusal,
): PaymentRefusal {
  const required = takesAuthorizations && {
    [PAYMENT_HEADERS.required]: encodePaymentHeader(
      paymentRequired(resource, url, refusal, method),
    ),
  }
  return {
    kind: 'refused',
    status: 402,
    ...(refusal === undefined ? {} : { reason: refusal.reason }),
    headers: {
      'content-type': 'application/json',
      ...required,
      ...headers,
    },
    body: JSON.stringify(challengeBody(resource, url, reference, binding, refusal)),
  }
}

/** Returns a 503: the chain or the settler cannot be reached. The proof stays valid and may be shown again. */
export function unavailableAnswer(reason: InvalidReason, headers: Headers): PaymentRefusal {
  return {
    kind: 'refused',
    status: 503,
    reason,
    headers: { 'content-type': 'application/json', 'retry-after': RETRY_SECONDS, ...headers },
    body: JSON.stringify({
      error: ERROR_TEXTS.unavailable,
      invalidReason: reason,
      detail: INVALID_REASONS[reason].means,
    }),
  }
}

/** Returns a 413: the body exceeds the server's limit. Nothing is claimed, and the proof stays valid. */
export function bodyTooLongAnswer(headers: Headers): PaymentRefusal {
  return {
    kind: 'refused',
    status: 413,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      error: 'Content too large',
      detail: 'the body exceeds the limit of this server: send a shorter one with the same proof',
    }),
  }
}

/** Allowed headers if a preflight does not list any. */
const PROOF_HEADERS = [PAYMENT_HEADERS.proof, PAYMENT_HEADERS.signature, 'content-type', 'accept']

/** Maximum characters of the requested header names. */
const MAX_NAMES = 1_024

/** Comma-separated header names (RFC 9110, 5.6.2). */
const NAMES = /^[\w!#$%&'*+.^`|~-]+(?:, [\w!#$%&'*+.^`|~-]+)*$/

/**
 * Returns the header names a page may send. The published clients also set a response header on requests
 * (`Access-Control-Expose-Headers` in x402-fetch 1.2.0 and @x402/fetch 2.27.0); browsers send nothing unless it is
 * allowed.
 */
function allowedHeaders(requested: readonly string[]): string {
  const names = requested
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .join(', ')
  return names.length <= MAX_NAMES && NAMES.test(names) ? names : PROOF_HEADERS.join(', ')
}

/**
 * Returns the preflight response, to the OPTIONS that a browser sends before a request with a proof.
 * @param requested values of `Access-Control-Request-Headers`
 */
export function preflightAnswer(
  headers: Headers,
  cors: boolean,
  requested: readonly string[],
): PaymentRefusal {
  const allowed = {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': allowedHeaders(requested),
    'access-control-max-age': PREFLIGHT_SECONDS,
    vary: `${NOT_STORED.vary}, Access-Control-Request-Headers`,
  }
  return {
    kind: 'refused',
    status: 204,
    headers: cors ? { ...headers, ...allowed } : headers,
    body: '',
  }
}
