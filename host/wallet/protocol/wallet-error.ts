interface WalletErrorRow {
  /** HTTP status of the response. */
  readonly status: number
  /** Default message. */
  readonly text: string
}

/** Every error code of the API. Codes shared with other managed-wallet APIs have their names. */
export const WALLET_ERRORS = {
  // The request
  invalid_data: { status: 400, text: 'the request is not well formed' },
  payload_too_large: { status: 413, text: 'the request is too large' },
  not_found: { status: 404, text: 'there is no such thing' },
  method_not_allowed: { status: 405, text: 'the path has no such method' },
  unauthorized: { status: 401, text: 'the credentials are missing or wrong' },
  rate_limited: { status: 429, text: 'too many requests' },
  idempotency_mismatch: {
    status: 400,
    text: 'the idempotency key was used for another request',
  },
  in_use: { status: 400, text: 'something else still refers to it' },

  // What authorizes it
  agent_forbidden: { status: 403, text: 'the credentials of an agent do not reach this' },
  owner_required: {
    status: 403,
    text: 'the service accepts changes only from owners, and this has none',
  },
  invalid_authorization_key_ids: { status: 400, text: 'Invalid authorization key IDs' },
  missing_or_empty_authorization_header: {
    status: 401,
    text: 'the owner has to sign this request',
  },
  zero_correct_authorization_signatures: {
    status: 401,
    text: 'no signature of the request is valid',
  },
  insufficient_correct_authorization_signatures: {
    status: 401,
    text: 'too few of those who have to agree have signed the request',
  },
  incorrect_quantity_of_authorization_signatures: {
    status: 401,
    text: 'the request has invalid signatures, or signatures of keys that do not decide',
  },
  request_expired: { status: 401, text: 'the request has expired, or expires too late' },
  // 400, because clients retry on 409
  request_replayed: { status: 400, text: 'the signed request was used for something else' },

  // What the signer decides
  policy_violation: { status: 400, text: 'RPC request denied due to policy violation' },
  wallet_archived: { status: 400, text: 'the wallet is archived' },

  // The chain
  unsupported_chain: { status: 400, text: 'the chain is not configured' },
  insufficient_funds: { status: 400, text: 'the wallet cannot pay for the transaction' },
  transaction_broadcast_failure: { status: 400, text: 'the chain refused the transaction' },
  chain_unreachable: { status: 503, text: 'the chain does not answer' },

  // The service
  signer_unreachable: { status: 503, text: 'the signer does not answer' },
  internal_error: { status: 500, text: 'internal error of the service' },
} as const satisfies Readonly<Record<string, WalletErrorRow>>

export type WalletErrorCode = keyof typeof WALLET_ERRORS

/** The error of a failed request: message, code, and members that explain it. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: WalletErrorCode
  /** Further members of the response, as JSON. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: WalletErrorCode,
    message: string = WALLET_ERRORS[code].text,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.code = code
    this.details = details
  }

  get status(): number {
    return WALLET_ERRORS[this.code].status
  }
}

export function isWalletErrorCode(code: unknown): code is WalletErrorCode {
  return typeof code === 'string' && Object.hasOwn(WALLET_ERRORS, code)
}
