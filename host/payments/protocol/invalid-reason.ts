/** Texts in `error` of an answer: the contract's two of a 402, and that of a 503. */
export const ERROR_TEXTS = {
  format: 'Invalid payment format or network',
  verification: 'Payment verification failed',
  unavailable: 'Payment cannot be verified now',
} as const

/**
 * Why a payment is refused. Names that x402 has published (x402 1.2.0 and @x402/evm 2.27.0, scheme `exact`) stand for
 * what they stand for there; most others are of proofs by transaction hash, which x402 does not have. Each is told in
 * `invalidReason` of the answer, beside the contract's text in `error`.
 */
export const INVALID_REASONS = {
  // Undecodable, or for something else
  invalid_payload: { error: 'format', means: 'the header is not base64 of JSON of the proof' },
  invalid_x402_version: { error: 'format', means: 'another version than the header is for' },
  unsupported_scheme: { error: 'format', means: 'another scheme than exact' },
  invalid_network: { error: 'format', means: 'another network than the one asked for' },

  // What was agreed on
  invalid_payment_requirements: {
    error: 'verification',
    means: 'what the payer accepted is not what is asked for now',
  },
  resource_mismatch: { error: 'verification', means: 'the proof is for another resource' },
  authorization_required: {
    error: 'verification',
    means: 'the binding is eip3009: a transaction hash is no proof here',
  },
  authorization_unsupported: {
    error: 'verification',
    means: 'authorizations are not settled here: pay by a transfer',
  },

  // Proofs by transaction hash
  amount_mismatch: { error: 'verification', means: 'another amount than the price' },
  invalid_transaction_state: {
    error: 'verification',
    means: 'the transaction is unknown, pending for too long, or reverted',
  },
  transfer_missing: {
    error: 'verification',
    means: 'the transaction moved no such amount of the asset from the payer to payTo',
  },
  transfer_ambiguous: {
    error: 'verification',
    means: 'the transaction made the transfer more than once: pay for each request by its own',
  },
  transfer_by_authorization: {
    error: 'verification',
    means: 'the transfer carried out an authorization: that is the proof',
  },
  payment_outside_window: {
    error: 'verification',
    means: 'the block of the payment is outside the time of every challenge of the resource',
  },
  payment_expired: { error: 'verification', means: 'the payment was made too long ago' },
  invalid_reference: {
    error: 'verification',
    means: 'the reference is missing, of another resource, or none of this server',
  },
  transfer_unbound: {
    error: 'verification',
    means: 'the data of the transaction does not hold the hash of the reference',
  },
  invalid_request_signature: {
    error: 'verification',
    means: 'the payer has not signed this request',
  },

  // Claims
  payment_spent: { error: 'verification', means: 'the payment was used already' },
  payment_in_progress: {
    error: 'verification',
    means: 'a request with the same payment is being served',
  },
  payment_attempts_exhausted: {
    error: 'verification',
    means:
      'as many attempts to serve the payment have failed as it buys: ask the seller to pay it back',
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
    means: 'the wallet that signed is not on the chain (ERC-6492): deploy it first',
  },
  invalid_exact_evm_payload_recipient_mismatch: {
    error: 'verification',
    means: 'the authorization pays somebody else than payTo',
  },
  invalid_exact_evm_payload_authorization_value: {
    error: 'verification',
    means: 'another amount than the price is authorized',
  },
  invalid_exact_evm_payload_authorization_valid_after: {
    error: 'verification',
    means: 'the authorization is not valid yet',
  },
  invalid_exact_evm_payload_authorization_valid_before: {
    error: 'verification',
    means: 'the authorization has expired, or expires before a block could have it',
  },
  invalid_exact_evm_nonce_already_used: {
    error: 'verification',
    means: 'the authorization was carried out or cancelled already',
  },
  invalid_exact_evm_transaction_simulation_failed: {
    error: 'verification',
    means: 'the token refuses to carry the authorization out',
  },
  invalid_exact_evm_transaction_failed: {
    error: 'verification',
    means: 'the transaction that carried the authorization out reverted, or paid nothing',
  },
  duplicate_settlement: {
    error: 'verification',
    means: 'the authorization is being settled already, or was told to somebody else',
  },

  // The seller's fault, and for now: the proof is as good as before
  settle_exact_node_failure: {
    error: 'unavailable',
    means: 'limits of the settler are reached, or its node refuses the transaction',
  },
  unexpected_verify_error: {
    error: 'unavailable',
    means: 'the chain or the disk of the seller does not answer now',
  },
  unexpected_settle_error: { error: 'unavailable', means: 'the payment cannot be settled now' },
} as const satisfies Record<
  string,
  { readonly error: keyof typeof ERROR_TEXTS; readonly means: string }
>

export type InvalidReason = keyof typeof INVALID_REASONS
