import type { AbiBook } from '../abi/abi-book.ts'
import type { StorageLayout } from '../storage/layout.ts'

/** A file of a compilation. */
export interface Source {
  readonly path: string
  /** Undefined where it was not given, or is not what was compiled. */
  readonly content: string | undefined
  /** The compiler's syntax tree, in JSON. */
  readonly ast: unknown
}

/** Code as the compiler wrote it, before libraries and immutables are known. */
export interface CompiledCode {
  /** Zeros where `holes` are. */
  readonly bytes: Uint8Array
  /** Addresses of libraries, and immutables. */
  readonly holes: readonly { readonly start: number; readonly length: number }[]
  /** In the compiler's compressed form. */
  readonly sourceMap: string | undefined
  /** Yul that the compiler added, by its number in the source map. */
  readonly generated: ReadonlyMap<number, Source>
  /** Functions by the place that they begin at, of compilers from 0.8.5 on. */
  readonly entryPoints: ReadonlyMap<number, string>
}

/** A contract as a compiler left it. */
export interface Artifact {
  readonly name: string
  /** File that it is in. */
  readonly path: string
  readonly compiler: string | undefined
  readonly abi: AbiBook
  readonly runtime: CompiledCode | undefined
  readonly creation: CompiledCode | undefined
  readonly layout: StorageLayout | undefined
  /** EIP-1153's storage has a layout of its own. */
  readonly transientLayout: StorageLayout | undefined
  /** Files by their number in the source maps. */
  readonly paths: ReadonlyMap<number, string>
  /** Hash of each file that was compiled, by its path, as the metadata have it. */
  readonly hashes: ReadonlyMap<string, string>
}

/** What a dropped file holds. */
export interface DroppedFile {
  readonly name: string
  /** What it is, in words: `Hardhat build info`. */
  readonly kind: string
  readonly artifacts: readonly Artifact[]
  readonly sources: readonly Source[]
  /** Of a file that is an ABI and nothing else. */
  readonly abi: AbiBook | undefined
  /** What of it could not be used, in words. */
  readonly problem: string | undefined
}
