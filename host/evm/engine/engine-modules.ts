import type { CompiledCodeSettings } from './compiled-code.ts'

/** The compiled modules of an engine. Threads can share them. */
export interface EngineModules {
  readonly engine: WebAssembly.Module
  readonly pairing: WebAssembly.Module
  readonly chainModules: WebAssembly.Module
  /** Undefined if all EVM code is interpreted. Has no thread: an engine compiles on its own, unless it is given one. */
  readonly compiledCode?: Omit<CompiledCodeSettings, 'thread'> | undefined
  /** SHA-256 of engine.wasm, 64 hex digits. */
  readonly engineHash: string
}
