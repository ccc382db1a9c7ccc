import type { AbiRegistry } from '../abi/abi-registry.ts'
import type { StorageLayout } from '../storage/layout.ts'

/** A source file of a compilation. */
export interface Source {
  readonly path: string
  /** Undefined if it was not given, or differs from what was compiled. */
  readonly content: string | undefined
  /** The compiler's AST, in JSON. */
  readonly ast: unknown
}

/** Code from the compiler, before linking and with unset immutables. */
export interface CompiledCode {
  /** Zeros in `holes`. */
  readonly bytes: Uint8Array
  /** Library addresses and immutables. */
  readonly holes: readonly { readonly start: number; readonly length: number }[]
  /** Vyper appends the immutables to the code that it deploys, in whole words. */
  readonly hasTail: boolean
  /** In the compiler's compressed form. */
  readonly sourceMap: string | undefined
}

/** How the compiler made code. */
export interface CompilerPipeline {
  /** Through Yul; undefined if the output does not say. */
  readonly viaIR: boolean | undefined
  readonly isOptimized: boolean
}

/** A compiled contract. */
export interface Artifact {
  readonly name: string
  /** Its source file. */
  readonly path: string
  readonly compiler: string | undefined
  readonly abi: AbiRegistry
  readonly runtime: CompiledCode | undefined
  readonly creation: CompiledCode | undefined
  readonly layout: StorageLayout | undefined
  /** Layout of EIP-1153 storage, which is separate. */
  readonly transientLayout: StorageLayout | undefined
  /** Files by their number in the source maps. */
  readonly paths: ReadonlyMap<number, string>
  readonly pipeline: CompilerPipeline
  /** Hash of each compiled file by path, from the metadata. */
  readonly hashes: ReadonlyMap<string, string>
}

/** The content of a dropped file. */
export interface DroppedFile {
  readonly name: string
  /** Its kind, in words: `Hardhat build info`. */
  readonly kind: string
  readonly artifacts: readonly Artifact[]
  readonly sources: readonly Source[]
  /** If the file is only an ABI. */
  readonly abi: AbiRegistry | undefined
  /** The unusable parts, in words. */
  readonly problem: string | undefined
}
