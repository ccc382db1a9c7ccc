import type { Payment } from './payment.ts'

/** What a client that pays may fail with, and what to do about each. */
const PAYMENT_ERRORS = {
  /** Neither 402 nor 2xx, before anything was paid. */
  UNEXPECTED_STATUS: 'see status and response of the error',
  CHALLENGE_INVALID: 'ask the seller: its 402 is of none of the protocols that are known here',
  LIMIT_EXCEEDED: 'raise the limit that is named, if the seller is worth it',
  BODY_NOT_REPEATABLE:
    'give the body as text, bytes, a Blob or a form: a stream can be sent once only, and a paid request is sent twice',
  WALLET_FAILED: 'see the cause of the error',
  /** The transaction is in a block and reverted, or another took its nonce. */
  PAYMENT_FAILED: 'nothing was paid: send the request again',
  PAYMENT_PENDING: 'send the request again: the same payment is looked for and used',
  /** 402 although the payment was shown. */
  PAYMENT_REFUSED:
    'the payment is kept and shown again by the same request; to pay anew, delete it from the store of payments',
  /** The connection broke, or another status than 402 and 2xx, after the payment. */
  NOT_DELIVERED: 'send the request again: the payment is kept and shown again',
  ABORTED: 'send the request again: the payment is kept and used',
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

/** A request that was to be paid, and has no response. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
  readonly code: PaymentErrorCode
  /** What to do. */
  readonly hint: string
  /** Status of the last response, where there is one. */
  readonly status: number | undefined
  /** The last response, where there is one: of `fetch` or of axios, whichever is wrapped. Its body may be read. */
  readonly response: unknown
  /** The payment for this request, where one was begun: kept unless `moneyMoved` is `no`. */
  readonly payment: Payment | undefined
  /** An authorization that was handed out moves money `perhaps`, and so does a transfer whose receipt is not there. */
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

  /** The same with the response that it is about. */
  of(response: unknown, status: number): PaymentError {
    const { code, message, hint, payment, moneyMoved, cause } = this
    return new PaymentError(code, message, { hint, payment, moneyMoved, cause, response, status })
  }
}

function movedBy(payment: Payment | undefined): 'no' | 'perhaps' | 'yes' {
  if (payment === undefined) return 'no'
  return payment.state === 'confirmed' ? 'yes' : 'perhaps'
}
