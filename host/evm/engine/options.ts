import type { Leniency } from './message.ts'
import type { TraceSink } from './trace-event.ts'

/** Low addresses whose calls the host answers: the chain's own precompiles. */
export interface HostAddresses {
  readonly first: number
  readonly last: number
}

export interface EngineOptions {
  /** Low addresses (their value as a number) whose calls the host answers; none by default. */
  readonly hostAddresses?: HostAddresses
  /** Jumps and calls between two yields (and other work, by its gas); by default about a millisecond of it. */
  readonly fuel?: number
  /** pairing.wasm, compiled; instantiated when code first calls one of its precompiles. */
  readonly pairing?: WebAssembly.Module
  /** modules.wasm, compiled; instantiated when code first calls a precompile of the chain's own (`BlockEnv.chainPrecompiles`). */
  readonly chainModules?: WebAssembly.Module
}

export interface TransactOptions {
  /** Rules lifted for a simulation; none by default. */
  readonly leniency?: Leniency
  readonly trace?: TraceSink
  /** Fill `accessed` of the outcome. */
  readonly recordAccess?: boolean
  /** Throw the effects away at the end (eth_call): the block goes on as if it had not run. */
  readonly discard?: boolean
}
