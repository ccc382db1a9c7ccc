/** When and how much EVM code is compiled. Without `thread`, it is plain data that threads can share. */
export interface CompiledCodeSettings {
  /** compile.wasm, compiled. */
  readonly compiler: WebAssembly.Module
  /** Compiles on another thread, while the run continues; by default this thread compiles, and then continues. */
  readonly thread?: RegionThread
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

/** Code that is to be compiled from a jump destination, or its start, on. Plain data. */
export interface HotCode {
  readonly code: Uint8Array
  /** A bit for each byte of the code: set if it is a jump destination. */
  readonly bitmap: Uint8Array
  readonly offset: number
  /** Number of the revision, as the engine has it. */
  readonly revision: number
}

/** What became of hot code. */
export interface CompiledRegion {
  /** Undefined if the code is not worth compiling. */
  readonly module: WebAssembly.Module | undefined
  /** Bytes of the module. */
  readonly size: number
  /** Time that it took. */
  readonly milliseconds: number
  /** True if the runtime compiles nothing, as in a page whose policy forbids it. */
  readonly isForbidden: boolean
}

/** Compiles hot code on another thread. */
export interface RegionThread {
  /** Rejects if the thread has ended: then nothing more is compiled. */
  compile(hot: HotCode): Promise<CompiledRegion>
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
