import type { Hex } from '../../base/hex.ts'
import { challengeBody, type ProofRefusal, paymentRequired } from '../protocol/challenge.ts'
import { ERROR_TEXTS, INVALID_REASONS, type InvalidReason } from '../protocol/invalid-reason.ts'
import { caip2 } from '../protocol/network.ts'
import { encodeHeader, PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import type { PaymentProof } from '../protocol/proof.ts'
import type { SettlementReceipt } from '../protocol/settlement-receipt.ts'
import type { Binding, PaymentTerms, PricedResource } from '../protocol/terms.ts'
import type { Refusal } from './payment-gate.ts'

type Headers = Readonly<Record<string, string>>

/** Seconds for which a browser may keep the answer to a preflight. */
const PREFLIGHT_SECONDS = '600'

/** Seconds after which a client may try again what the chain could not say now. */
const RETRY_SECONDS = '1'

/** An answer that was paid for is nobody else's, and one that asks for payment is of its moment. */
const NOT_STORED: Headers = { 'cache-control': 'no-store', vary: 'X-Payment, Payment-Signature' }

/** A page of any origin may pay: a proof is no credential that a browser adds by itself. */
const ANY_ORIGIN: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    PAYMENT_HEADERS.required,
    PAYMENT_HEADERS.receipt,
    PAYMENT_HEADERS.receiptV2,
  ].join(', '),
}

/** Headers of every answer at a priced resource. */
export function commonHeaders(cors: boolean): Headers {
  return cors ? { ...NOT_STORED, ...ANY_ORIGIN } : NOT_STORED
}

/** The receipt as the protocol of a proof has it. */
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
  return { [isSecond ? PAYMENT_HEADERS.receiptV2 : PAYMENT_HEADERS.receipt]: encodeHeader(receipt) }
}

/** What a 402 answers to, and what it asks for. */
export interface Demand {
  readonly resource: PricedResource
  readonly url: URL
  readonly reference: string
  readonly binding: Binding
  /** False where nothing settles authorizations: x402 v2 knows no other payment, and is not offered. */
  readonly takesAuthorizations: boolean
}

/** A 402: what is asked for, and what was wrong with the proof if there was one. */
export function paymentRequiredAnswer(
  { resource, url, reference, binding, takesAuthorizations }: Demand,
  headers: Headers,
  refusal?: ProofRefusal,
): Refusal {
  const required = takesAuthorizations && {
    [PAYMENT_HEADERS.required]: encodeHeader(paymentRequired(resource, url, refusal)),
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

/** The chain or the settler cannot be asked: the proof is as good as before, and may be shown again. */
export function unavailableAnswer(reason: InvalidReason, headers: Headers): Refusal {
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

/** The body is longer than the server reads: nothing is claimed, and the proof is as good as before. */
export function bodyTooLongAnswer(headers: Headers): Refusal {
  return {
    kind: 'refused',
    status: 413,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      error: 'Content too large',
      detail: 'the body is longer than this server reads: send a shorter one with the same proof',
    }),
  }
}

/** Headers that a page may send with a proof, where it does not say which it will. */
const PROOF_HEADERS = [PAYMENT_HEADERS.proof, PAYMENT_HEADERS.signature, 'content-type', 'accept']

/** Characters of the names that a page may ask leave for. */
const MAX_NAMES = 1_024

/** Names of headers (RFC 9110, 5.6.2), with commas between. */
const NAMES = /^[\w!#$%&'*+.^`|~-]+(?:, [\w!#$%&'*+.^`|~-]+)*$/

/**
 * The names that a page asks leave for: the published clients set a header of responses on their requests, too
 * (`Access-Control-Expose-Headers` of x402-fetch 1.2.0 and @x402/fetch 2.27.0), without which browsers send nothing.
 */
function allowedHeaders(requested: readonly string[]): string {
  const names = requested
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .join(', ')
  return names.length <= MAX_NAMES && NAMES.test(names) ? names : PROOF_HEADERS.join(', ')
}

/**
 * The answer to OPTIONS, which a browser sends before a request with a proof.
 * @param requested values of `Access-Control-Request-Headers`
 */
export function preflightAnswer(
  headers: Headers,
  cors: boolean,
  requested: readonly string[],
): Refusal {
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
