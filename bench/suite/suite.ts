/** One implementation of a precompile, on the input of its case. */
export interface Contender {
  readonly engine: string
  run(): Uint8Array | undefined
  /** Converts the result of `run` to the precompile's output, if it differs; not timed. */
  toOutput?(result: Uint8Array | undefined): Uint8Array | undefined
}

export interface PrecompileCase {
  readonly precompile: string
  /** Description of `data`. */
  readonly input: string
  /** The precompile's address as a number; undefined for an opcode. */
  readonly address?: number
  readonly data: Uint8Array
  /** At Osaka's prices. */
  readonly gas: number
  /** The first is Lockstep, the reference for the others. */
  readonly contenders: readonly Contender[]
}

/** Prepares its peers and returns its cases, which run before the next suite is opened. */
export type PrecompileSuite = () => Promise<readonly PrecompileCase[]>
