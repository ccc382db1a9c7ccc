/** One implementation of a precompile, on the input of its case. */
export interface Contender {
  readonly engine: string
  run(): Uint8Array | undefined
  /** What `run` gives as the precompile's output, where it gives something else; not timed. */
  toOutput?(result: Uint8Array | undefined): Uint8Array | undefined
}

export interface PrecompileCase {
  readonly precompile: string
  /** What `data` is, in words. */
  readonly input: string
  /** The precompile's address as a number; none of an opcode. */
  readonly address?: number
  readonly data: Uint8Array
  /** At Osaka's prices. */
  readonly gas: number
  /** The first is Lockstep, with which the others are compared. */
  readonly contenders: readonly Contender[]
}

/** Readies its peers and makes its cases; they are run before the next suite is opened. */
export type PrecompileSuite = () => Promise<readonly PrecompileCase[]>
