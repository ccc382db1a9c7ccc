/**
 * What the engine stopped for. Byte arrays are copies: they stay valid.
 * - account, storage, code, blockHash: one cold read, answered from a state view.
 * - host: a precompile that lives outside the module.
 * - yield: the fuel slice is used up, or a part of the trace was delivered; any answer goes on.
 */
export type Need =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | { readonly kind: 'storage'; readonly address: Uint8Array; readonly slot: Uint8Array }
  | { readonly kind: 'code'; readonly codeHash: Uint8Array }
  | { readonly kind: 'blockHash'; readonly number: number }
  | { readonly kind: 'host'; readonly call: HostCall }
  | { readonly kind: 'yield' }

/** A call to a precompile answered by the host. */
export interface HostCall {
  readonly address: Uint8Array
  readonly caller: Uint8Array
  readonly input: Uint8Array
  readonly gas: bigint
  readonly value: bigint
  readonly isStatic: boolean
}

/** The host's answer to a call: on failure all the call's gas is used and there is no output. */
export interface HostResult {
  readonly success: boolean
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** Bytes for a read (undefined: absent), a result for a host call, undefined for a yield. */
export type Answer = Uint8Array | HostResult | undefined

/**
 * A run in progress: yields each need and takes its answer. Drive it with `answerFrom` for a view that
 * answers at once, or `answerFromAsync`.
 */
export type Run<Result> = Generator<Need, Result, Answer>
