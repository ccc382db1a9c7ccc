/** Values of `error` in a response: the contract's two for a 402, and one for a 503. */
export const ERROR_TEXTS = {
  format: 'Invalid payment format or network',
  verification: 'Payment verification failed',
  unavailable: 'Payment cannot be verified now',
} as const

/**
 * Reasons for refusing a payment. Names published by x402 (x402 1.2.0 and @x402/evm 2.27.0, scheme `exact`) keep
 * their meaning; most others concern proofs by transaction hash, which x402 lacks. The response has the reason in
 * `invalidReason`, and the contract's text in `error`.
 */
export const INVALID_REASONS = {
  // Undecodable, or for another network or scheme
  invalid_payload: { error: 'format', means: 'the header is not a proof as base64-encoded JSON' },
  invalid_x402_version: { error: 'format', means: 'the version does not match the header' },
  unsupported_scheme: { error: 'format', means: 'the scheme is not exact' },
  invalid_network: { error: 'format', means: 'the network is not the requested one' },

  // Terms
  invalid_payment_requirements: {
    error: 'verification',
    means: 'the payer accepted other terms than the current ones',
  },
  resource_mismatch: { error: 'verification', means: 'the proof is for another resource' },
  authorization_required: {
    error: 'verification',
    means: 'the binding is eip3009: a transaction hash is not accepted as proof',
  },
  authorization_unsupported: {
    error: 'verification',
    means: 'authorizations are not settled here: pay by a transfer',
  },

  // Proofs by transaction hash
  amount_mismatch: { error: 'verification', means: 'the amount differs from the price' },
  invalid_transaction_state: {
    error: 'verification',
    means: 'the transaction is unknown, pending for too long, or reverted',
  },
  transfer_missing: {
    error: 'verification',
    means: 'the transaction did not transfer this amount of the asset from the payer to payTo',
  },
  transfer_ambiguous: {
    error: 'verification',
    means: 'the transaction made the transfer more than once: pay for each request separately',
  },
  transfer_by_authorization: {
    error: 'verification',
    means: 'the transfer executed an authorization: send that as the proof',
  },
  payment_outside_window: {
    error: 'verification',
    means: 'the block of the payment is outside the period of every challenge of the resource',
  },
  payment_expired: { error: 'verification', means: 'the payment was made too long ago' },
  invalid_reference: {
    error: 'verification',
    means: 'the reference is missing, for another resource, or not from this server',
  },
  transfer_unbound: {
    error: 'verification',
    means: 'the transaction data does not contain the hash of the reference',
  },
  invalid_request_signature: {
    error: 'verification',
    means: 'the payer has not signed this request',
  },

  // Claims
  payment_spent: { error: 'verification', means: 'the payment was already used' },
  payment_refunded: { error: 'verification', means: 'the seller has refunded the payment' },
  payment_in_progress: {
    error: 'verification',
    means: 'a request with the same payment is being served',
  },
  payment_attempts_exhausted: {
    error: 'verification',
    means: 'the attempts that the payment allows have all failed: ask the seller for a refund',
  },
  payment_of_other_request: {
    error: 'verification',
    means: 'the payment was claimed for another request',
  },

  // Authorizations of EIP-3009
  insufficient_funds: { error: 'verification', means: 'the payer has less than the amount' },
  invalid_exact_evm_payload_signature: {
    error: 'verification',
    means: 'the payer has not signed this authorization',
  },
  invalid_exact_evm_payload_undeployed_smart_wallet: {
    error: 'verification',
    means: 'the signing wallet is not deployed (ERC-6492): deploy it first',
  },
  invalid_exact_evm_payload_recipient_mismatch: {
    error: 'verification',
    means: 'the authorization pays an account other than payTo',
  },
  invalid_exact_evm_payload_authorization_value: {
    error: 'verification',
    means: 'the authorized amount differs from the price',
  },
  invalid_exact_evm_payload_authorization_valid_after: {
    error: 'verification',
    means: 'the authorization is not valid yet',
  },
  invalid_exact_evm_payload_authorization_valid_before: {
    error: 'verification',
    means: 'the authorization has expired, or would expire before a block can include it',
  },
  invalid_exact_evm_nonce_already_used: {
    error: 'verification',
    means: 'the authorization was already used or cancelled',
  },
  invalid_exact_evm_transaction_simulation_failed: {
    error: 'verification',
    means: 'the token refuses to execute the authorization',
  },
  invalid_exact_evm_transaction_failed: {
    error: 'verification',
    means: 'the transaction that executed the authorization reverted, or paid nothing',
  },
  duplicate_settlement: {
    error: 'verification',
    means: 'the authorization is already being settled, or was reported to another server',
  },

  // Temporary failures of the seller: the proof stays valid
  settle_exact_node_failure: {
    error: 'unavailable',
    means: 'a limit of the settler is reached, or its node refuses the transaction',
  },
  unexpected_verify_error: {
    error: 'unavailable',
    means: 'the chain or the disk of the seller is unavailable',
  },
  unexpected_settle_error: { error: 'unavailable', means: 'the payment cannot be settled now' },
} as const satisfies Record<
  string,
  { readonly error: keyof typeof ERROR_TEXTS; readonly means: string }
>

export type InvalidReason = keyof typeof INVALID_REASONS
