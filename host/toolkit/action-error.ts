/** What an action may fail with, and what to do next where nothing better is known. */
const ACTION_ERRORS = {
  UNKNOWN_ACTION: 'choose one of the actions that are listed',
  INVALID_ARGUMENT: 'correct the argument and call again',
  UNAVAILABLE: 'ask the operator to configure what is missing',
  NOT_FOUND: 'check the hash or the address, and the network',
  INSUFFICIENT_FUNDS: 'send less, or have the wallet funded first',
  REVERTED: 'correct the arguments by the reason; nothing was changed',
  POLICY_DENIED: 'stay within the policy of the wallet: nothing that is said here changes it',
  LIMIT_EXCEEDED: 'stay within the limit: only the operator raises it',
  IDEMPOTENCY_CONFLICT: 'use a new idempotencyKey for another call',
  CHAIN_REFUSED: 'read the reason, and correct the call',
  CHAIN_UNREACHABLE: 'try again shortly',
  WALLET_REFUSED: 'read the reason, and correct the call',
  /** A transaction may be on its way. */
  OUTCOME_UNKNOWN:
    'do not send again before transaction_status of the hash, or the balances, say what became of it',
  FEED_FAILED: 'try again shortly, or ask for another price',
  PAYMENT_FAILED: 'read the reason; `moneyMoved` says whether something was paid',
  /** Nothing was done. */
  INTERNAL: 'try again; tell the operator where it stays',
} as const

export type ActionErrorCode = keyof typeof ACTION_ERRORS

export interface ActionErrorOptions {
  /** What to do, where it differs from that of the table. */
  readonly next?: string
  /** JSON that a program may act on. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The end of an action that did not do what was asked: what is wrong, and what to do next. */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: ActionErrorCode
  readonly next: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ActionErrorCode, message: string, options: ActionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.next = options.next ?? ACTION_ERRORS[code]
    this.details = options.details ?? {}
  }
}
