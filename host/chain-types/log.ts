/** An event as the engine emits it. Topics are 32 bytes each, at most four. */
export interface Log {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}
