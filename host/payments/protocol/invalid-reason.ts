/**
 * Why a payment is refused: x402's names where it has one. Each is told in `invalidReason` of a 402, beside the
 * contract's text in `error`.
 */
export const INVALID_REASONS = {
  invalid_payload: { error: 'format', means: 'the header is not base64 of JSON of the proof' },
  invalid_x402_version: { error: 'format', means: 'another version than the header is for' },
  unsupported_scheme: { error: 'format', means: 'another scheme than exact' },
  invalid_network: { error: 'format', means: 'another network than the one asked for' },
  invalid_payment_requirements: {
    error: 'verification',
    means: 'what the payer accepted is not what is asked for now',
  },
  invalid_transaction_state: {
    error: 'verification',
    means: 'the transaction is unknown, pending for too long, or reverted',
  },
} as const satisfies Record<
  string,
  { readonly error: 'format' | 'verification'; readonly means: string }
>

export type InvalidReason = keyof typeof INVALID_REASONS

/** The contract's texts, in `error` of a 402. */
export const ERROR_TEXTS = {
  format: 'Invalid payment format or network',
  verification: 'Payment verification failed',
} as const
