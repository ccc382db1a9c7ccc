/** When and how much EVM code is compiled. */
export interface CompiledCodeSettings {
  /** compile.wasm, compiled. */
  readonly compiler: WebAssembly.Module
  /** One in this many jumps is counted, a power of two; 16 by default. */
  readonly sample?: number
  /** Counted jumps to a destination that make it hot; 256 by default. */
  readonly threshold?: number
  /** Most instances of blocks in a region that loops; 48 by default. */
  readonly blocks?: number
  /** Most instances of blocks in other regions; 16 by default. */
  readonly blocksWithoutLoop?: number
  /**
   * Fewest opcodes of a region without a loop; 64 by default. To enter and leave a region takes as long as to interpret
   * some twenty.
   */
  readonly opcodes?: number
  /** Most bytes of compiled modules at a time; 16 MiB by default. */
  readonly cacheBytes?: number
  /** Most time for compiling, as a share of the time that the engine has run; 0.1 by default. */
  readonly share?: number
}

/** What has been compiled. */
export interface CompiledCodeCounts {
  readonly regions: number
  readonly bytes: number
  /** Regions that were compiled, refused and evicted since the start. */
  readonly compiled: number
  readonly refused: number
  readonly evicted: number
}
