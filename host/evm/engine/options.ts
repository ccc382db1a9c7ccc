import type { CompiledCodeSettings } from './compiled-code.ts'
import type { Leniency } from './message.ts'
import type { TraceSink } from './trace-event.ts'

/** Range of low addresses whose calls the host answers: the chain's own precompiles. */
export interface HostAddresses {
  readonly first: number
  readonly last: number
}

export interface EngineSettings {
  /** Low addresses, as numbers, whose calls the host answers; none by default. */
  readonly hostAddresses?: HostAddresses
  /** Jumps and calls between two yields (other work counts by its gas). The default is about a millisecond of work. */
  readonly fuel?: number
  /** pairing.wasm, compiled. Instantiated at the first call of one of its precompiles. */
  readonly pairing?: WebAssembly.Module
  /** modules.wasm, compiled. Instantiated at the first call of a chain precompile (`BlockEnv.chainPrecompiles`). */
  readonly chainModules?: WebAssembly.Module
  /** Compiles hot code to WebAssembly; by default all code is interpreted. */
  readonly compiledCode?: CompiledCodeSettings | undefined
}

export interface TransactOptions {
  /** Checks to skip in a simulation; none by default. */
  readonly leniency?: Leniency
  readonly trace?: TraceSink
  /** Fills `accessed` of the outcome. */
  readonly recordAccess?: boolean
  /** Discards the effects at the end (eth_call): the block continues as if the message had not run. */
  readonly discard?: boolean
}
