import type { Payment } from './payment.ts'

/** Errors of a paying client, with their remedies. */
const PAYMENT_ERRORS = {
  /** Neither 402 nor 2xx, before any payment. */
  UNEXPECTED_STATUS: 'see status and response of the error',
  CHALLENGE_INVALID: 'ask the seller: its 402 uses none of the supported protocols',
  LIMIT_EXCEEDED: 'raise the limit that the message names, if the seller is worth it',
  BODY_NOT_REPEATABLE:
    'pass the body as text, bytes, a Blob or a form: a paid request is sent twice, and a stream only once',
  WALLET_FAILED: 'see the cause of the error',
  /** The transaction reverted, or another one took its nonce. */
  PAYMENT_FAILED: 'nothing was paid: send the request again',
  PAYMENT_PENDING: 'send the request again: the same payment is found and used',
  /** 402 although the payment was shown. */
  PAYMENT_REFUSED:
    'the same request shows the stored payment again; to pay again, delete it from the payment store',
  /** The connection broke, or the status was neither 402 nor 2xx, after the payment. */
  NOT_DELIVERED: 'send the request again: the payment is stored and shown again',
  ABORTED: 'send the request again: the payment is stored and used',
} as const

export type PaymentErrorCode = keyof typeof PAYMENT_ERRORS

export interface PaymentErrorDetails {
  readonly payment?: Payment | undefined
  readonly response?: unknown
  readonly status?: number | undefined
  readonly moneyMoved?: 'no' | 'perhaps' | 'yes'
  readonly hint?: string
  readonly cause?: unknown
}

/** Thrown if a request that requires payment has no response. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
  readonly code: PaymentErrorCode
  /** The remedy. */
  readonly hint: string
  /** Status of the last response, if any. */
  readonly status: number | undefined
  /** The last response, if any: of `fetch` or axios, whichever is wrapped. Its body may be read. */
  readonly response: unknown
  /** The payment for this request, if one was begun; stored unless `moneyMoved` is `no`. */
  readonly payment: Payment | undefined
  /** `perhaps` for an authorization that was sent out, and for a transfer without a receipt. */
  readonly moneyMoved: 'no' | 'perhaps' | 'yes'

  constructor(code: PaymentErrorCode, message: string, details: PaymentErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint ?? PAYMENT_ERRORS[code]
    this.payment = details.payment
    this.response = details.response
    this.status = details.status
    this.moneyMoved = details.moneyMoved ?? movedBy(details.payment)
  }

  /** Returns a copy with the response it is about. */
  of(response: unknown, status: number): PaymentError {
    const { code, message, hint, payment, moneyMoved, cause } = this
    return new PaymentError(code, message, { hint, payment, moneyMoved, cause, response, status })
  }
}

function movedBy(payment: Payment | undefined): 'no' | 'perhaps' | 'yes' {
  if (payment === undefined) return 'no'
  return payment.state === 'confirmed' ? 'yes' : 'perhaps'
}
