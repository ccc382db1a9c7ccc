/** Members of what is signed (RFC 8785 canonical JSON, ECDSA P-256 over SHA-256 of its UTF-8, DER, base64). */
export interface AuthorizationPayload {
  readonly version: 1
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Whole, without a slash at the end. */
  readonly url: string
  /** The parsed body; the empty string where there is none or it is `{}`. */
  readonly body: unknown
  /** `<family>-app-id`, and `<family>-idempotency-key`, `<family>-request-expiry` where they were sent. */
  readonly headers: Readonly<Record<string, string>>
}

/** Each header may come as `wallet-...` or `privy-...`: the family that was used is part of what is signed. */
export const HEADER_FAMILIES = ['wallet', 'privy'] as const

/** The request as the signer gets it: it trusts none but the signatures in it. */
export interface SignedRequest {
  readonly method: 'GET' | AuthorizationPayload['method']
  /**
   * Path and query as they were asked for, `/v1/...` or `/api/v1/...`: what was signed has one of the configured
   * public URLs before it.
   */
  readonly path: string
  /** The body as it arrived, UTF-8; empty where there was none. */
  readonly body: string
  /** The members of the payload that were sent, by their names in lower case; those of one family. */
  readonly headers: Readonly<Record<string, string>>
  /** base64 of DER, in the order of the header. */
  readonly signatures: readonly string[]
}
