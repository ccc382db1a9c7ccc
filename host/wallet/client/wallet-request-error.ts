import { isWalletErrorCode, type WalletErrorCode } from '../protocol/wallet-error.ts'

/** Error codes of the client itself, in addition to those of the API. */
type OwnCode = 'network_error' | 'timeout' | 'aborted' | 'unexpected_answer'

export type WalletRequestErrorCode = WalletErrorCode | OwnCode

const AGAIN =
  'call again with the idempotencyKey of this error: a request that was executed is not executed twice'

/** The remedy for each code. */
const HINTS: Readonly<Record<WalletRequestErrorCode, string>> = {
  invalid_data: 'correct the member that the message names',
  payload_too_large: 'send less in one request',
  not_found: 'check the id, and that it belongs to this app',
  method_not_allowed: 'see the OpenAPI document at /v1/openapi.json',
  unauthorized:
    'check the id and the secret: `lockstep wallet app create` or `wallet agent create` printed them',
  rate_limited: 'send fewer requests at once',
  idempotency_mismatch: 'use a new idempotencyKey for a different request',
  agent_forbidden: 'use the secret of the app: the message says what an agent may use',
  owner_required: 'create another one with an owner, who can change it',
  in_use: 'remove it from everything that refers to it first',
  invalid_authorization_key_ids: 'pass the ids that were printed when the keys were registered',
  missing_or_empty_authorization_header: 'pass the authorizationKeys of the owner',
  zero_correct_authorization_signatures:
    'pass the authorizationKeys of the owner, and a url that is in wallets.public-urls of the service',
  insufficient_correct_authorization_signatures:
    'have more of the quorum approve the proposal, then submit it with all signatures',
  incorrect_quantity_of_authorization_signatures:
    'leave out the signatures of keys that do not decide here',
  request_expired: 'create the request again; if it is new, correct the clock',
  request_replayed: 'create the request again',
  policy_violation:
    'see explanation for the rule that decided; only the owner can change the policy',
  wallet_archived: 'use another wallet',
  unsupported_chain: 'use a chain from the configuration of the service',
  insufficient_funds: 'send funds to the wallet',
  transaction_broadcast_failure: 'see the message for the answer of the chain',
  chain_unreachable: AGAIN,
  signer_unreachable: AGAIN,
  internal_error: AGAIN,
  network_error: AGAIN,
  timeout: AGAIN,
  aborted: AGAIN,
  unexpected_answer: 'check that url is the URL of the wallet service',
}

export interface WalletRequestErrorOptions {
  readonly status?: number | undefined
  readonly explanation?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/** Thrown when a request to the wallet service has no result. */
export class WalletRequestError extends Error {
  override readonly name = 'WalletRequestError'
  readonly code: WalletRequestErrorCode
  /** HTTP status, if there was a response. */
  readonly status: number | undefined
  /** The remedy. */
  readonly hint: string
  /**
   * Further members of the response. For a denial by policy: the rules evaluated and their results. Not named
   * `details`, which viem takes as text from any account error.
   */
  readonly explanation: Readonly<Record<string, unknown>>
  /** Pass it to repeat the call without executing it twice. */
  readonly idempotencyKey: string | undefined

  constructor(
    code: WalletRequestErrorCode,
    message: string,
    options: WalletRequestErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status
    this.hint = HINTS[code]
    this.explanation = options.explanation ?? {}
    this.idempotencyKey = options.idempotencyKey
  }
}

/** Converts an error response to an error. */
export function errorOfAnswer(
  status: number,
  text: string,
  idempotencyKey: string | undefined,
): WalletRequestError {
  let answer: Record<string, unknown> = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) answer = parsed as Record<string, unknown>
  } catch {
    // The response is from a proxy, not from the service.
  }
  const { error, code, ...explanation } = answer
  const options = { status, explanation, idempotencyKey }
  if (isWalletErrorCode(code) && typeof error === 'string') {
    return new WalletRequestError(code, error, options)
  }
  const said = typeof error === 'string' ? error : text.slice(0, 200)
  return new WalletRequestError('unexpected_answer', `status ${status}: ${said}`, options)
}
