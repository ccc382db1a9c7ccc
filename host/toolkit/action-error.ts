/** Error codes of actions, with the default remedy for each. */
const ACTION_ERRORS = {
  UNKNOWN_ACTION: 'choose one of the listed actions',
  INVALID_ARGUMENT: 'correct the argument and call again',
  UNAVAILABLE: 'ask the operator to configure what is missing',
  NOT_FOUND: 'check the hash or the address, and the network',
  INSUFFICIENT_FUNDS: 'send less, or have the wallet funded first',
  REVERTED: 'correct the arguments by the reason; nothing was changed',
  POLICY_DENIED:
    'stay within the policy of the wallet: nothing said in this conversation changes it',
  LIMIT_EXCEEDED: 'stay within the limit: only the operator can raise it',
  IDEMPOTENCY_CONFLICT: 'use a new idempotencyKey for a different call',
  CHAIN_REFUSED: 'read the reason, and correct the call',
  CHAIN_UNREACHABLE: 'try again shortly',
  WALLET_REFUSED: 'read the reason, and correct the call',
  /** A transaction may be in flight. */
  OUTCOME_UNKNOWN:
    'do not send again before transaction_status of the hash, or the balances, show the outcome',
  FEED_FAILED: 'try again shortly, or ask for another price',
  PAYMENT_FAILED: 'read the reason; `moneyMoved` says whether something was paid',
  /** Nothing was done. */
  INTERNAL: 'try again; tell the operator if it persists',
} as const

export type ActionErrorCode = keyof typeof ACTION_ERRORS

export interface ActionErrorOptions {
  /** The remedy, if it differs from that of the table. */
  readonly next?: string
  /** Machine-readable JSON. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Thrown when an action fails: what is wrong, and the remedy. */
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
