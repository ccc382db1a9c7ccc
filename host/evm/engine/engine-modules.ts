/** The compiled modules of an engine. Threads can share them. */
export interface EngineModules {
  readonly engine: WebAssembly.Module
  readonly pairing: WebAssembly.Module
  readonly chainModules: WebAssembly.Module
  /** SHA-256 of engine.wasm, 64 hex digits. */
  readonly engineHash: string
}
