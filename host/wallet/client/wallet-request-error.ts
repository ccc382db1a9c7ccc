import { isWalletErrorCode, type WalletErrorCode } from '../protocol/wallet-error.ts'

/** What a request may fail with beside the codes of the API. */
type OwnCode = 'network_error' | 'timeout' | 'aborted' | 'unexpected_answer'

export type WalletRequestErrorCode = WalletErrorCode | OwnCode

const AGAIN =
  'call again with the idempotencyKey of this error: what was carried out is answered and not done twice'

/** What to do about each. */
const HINTS: Readonly<Record<WalletRequestErrorCode, string>> = {
  invalid_data: 'mend the member that the message names',
  payload_too_large: 'send less in one request',
  not_found: 'check the id, and that it belongs to this app',
  method_not_allowed: 'see the OpenAPI document at /v1/openapi.json',
  unauthorized:
    'check the id and the secret: `lockstep wallet app create` or `wallet agent create` printed them',
  rate_limited: 'send fewer requests at once',
  idempotency_mismatch: 'use a new idempotencyKey for what is another request',
  agent_forbidden: 'ask with the secret of the app: what an agent may use is in the message',
  owner_required: 'make another one, with an owner, who can change it',
  in_use: 'take it out of what refers to it first',
  invalid_authorization_key_ids: 'pass the ids that registering the keys has printed',
  missing_or_empty_authorization_header: 'pass the authorizationKeys of the owner',
  zero_correct_authorization_signatures:
    'pass the authorizationKeys of the owner, and as url what the service has in wallets.public-urls',
  insufficient_correct_authorization_signatures:
    'have more of the quorum approve the proposal, then submit it with all signatures',
  incorrect_quantity_of_authorization_signatures:
    'leave out the signatures of those who do not decide here',
  request_expired: 'make the request anew; if it is new, set the clock right',
  request_replayed: 'make the request anew',
  policy_violation:
    'see explanation for the rule that decided; only its owner can change the policy',
  wallet_archived: 'use another wallet',
  unsupported_chain: 'use a chain of the configuration of the service',
  insufficient_funds: 'send funds to the wallet',
  transaction_broadcast_failure: 'see what the chain says in the message',
  chain_unreachable: AGAIN,
  signer_unreachable: AGAIN,
  internal_error: AGAIN,
  network_error: AGAIN,
  timeout: AGAIN,
  aborted: AGAIN,
  unexpected_answer: 'check that url is that of the wallet service',
}

export interface WalletRequestErrorOptions {
  readonly status?: number | undefined
  readonly explanation?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/** A request to the wallet service that has no result. */
export class WalletRequestError extends Error {
  override readonly name = 'WalletRequestError'
  readonly code: WalletRequestErrorCode
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** The next step. */
  readonly hint: string
  /**
   * Further members of the answer: of a refusal by policy, which rules were asked and what they found. Not `details`,
   * which viem reads as text of whatever an account throws.
   */
  readonly explanation: Readonly<Record<string, unknown>>
  /** With it the same call is made again without being carried out twice. */
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

/** The error that an answer tells of. */
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
    // Not of the service: of a proxy before it
  }
  const { error, code, ...explanation } = answer
  const options = { status, explanation, idempotencyKey }
  if (isWalletErrorCode(code) && typeof error === 'string') {
    return new WalletRequestError(code, error, options)
  }
  const said = typeof error === 'string' ? error : text.slice(0, 200)
  return new WalletRequestError('unexpected_answer', `status ${status}: ${said}`, options)
}
