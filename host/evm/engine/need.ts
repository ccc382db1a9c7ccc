/**
 * Why the engine stopped. Byte arrays are copies and stay valid.
 * - account, storage, code, blockHash: a cold read, to be answered from a state view.
 * - host: a call of a precompile outside the module.
 * - yield: the fuel slice is used up, or part of the trace was delivered; any answer continues.
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

/** The host's answer to a call. A failure uses all gas of the call and has no output. */
export interface HostResult {
  readonly success: boolean
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** Bytes for a read (undefined if absent), a result for a host call, undefined for a yield. */
export type Answer = Uint8Array | HostResult | undefined

/**
 * A run in progress: yields each need and takes its answer. Drive it with `answerFrom` for a synchronous view,
 * otherwise with `answerFromAsync`.
 */
export type Run<Result> = Generator<Need, Result, Answer>
