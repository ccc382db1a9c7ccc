/** URLs of library files that are not beside the library. Relative URLs are resolved against the page. */
export interface LibraryFiles {
  readonly engine?: string | URL
  /** pairing.wasm: the precompiles over BN254 and BLS12-381. */
  readonly pairing?: string | URL
  /** modules.wasm: the precompiles of Lockstep's own chain. */
  readonly modules?: string | URL
  /** compile.wasm: the compiler of hot EVM code. */
  readonly compiler?: string | URL
  /** QuickJS as WebAssembly, for script tracers. */
  readonly quickJs?: string | URL
  /** The package big-integer, which scripts use. */
  readonly bigInteger?: string | URL
}

/**
 * Returns the files as absolute URLs, so that a worker resolves them like the page.
 * @internal
 */
export function absoluteFiles(files: LibraryFiles): LibraryFiles {
  const base = typeof document === 'undefined' ? undefined : document.baseURI
  const entries = Object.entries(files).map(([name, url]) => [name, new URL(url, base).href])
  return Object.fromEntries(entries)
}
