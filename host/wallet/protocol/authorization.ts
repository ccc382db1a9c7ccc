/** The signed payload: RFC 8785 canonical JSON in UTF-8, signed by ECDSA P-256 over SHA-256, as DER in base64. */
export interface AuthorizationPayload {
  readonly version: 1
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The whole URL, without a trailing slash. */
  readonly url: string
  /** The parsed body. The empty string if there is none or if it is `{}`. */
  readonly body: unknown
  /** `<family>-app-id`, and `<family>-idempotency-key` and `<family>-request-expiry` if sent. */
  readonly headers: Readonly<Record<string, string>>
}

/** Each header may be sent as `wallet-...` or `privy-...`. The signature covers the family that was used. */
export const HEADER_FAMILIES = ['wallet', 'privy'] as const

/** The request as the signer gets it. The signer trusts only the signatures in it. */
export interface SignedRequest {
  readonly method: 'GET' | AuthorizationPayload['method']
  /**
   * Path and query as requested, `/v1/...` or `/api/v1/...`. The signed URL prepends one of the configured public
   * URLs.
   */
  readonly path: string
  /** The body as received, in UTF-8. Empty if there was none. */
  readonly body: string
  /** Headers of the signed payload by lower-case name, all of one family. */
  readonly headers: Readonly<Record<string, string>>
  /** DER in base64, in header order. */
  readonly signatures: readonly string[]
}
