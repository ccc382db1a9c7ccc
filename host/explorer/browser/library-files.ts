/** Where files of the library are that do not lie beside it. A relative URL is one of the page. */
export interface LibraryFiles {
  readonly engine?: string | URL
  /** pairing.wasm: the precompiles over BN254 and BLS12-381. */
  readonly pairing?: string | URL
  /** modules.wasm: the precompiles of Lockstep's own chain. */
  readonly modules?: string | URL
  /** QuickJS as WebAssembly, for script tracers. */
  readonly quickJs?: string | URL
  /** The package big-integer, which scripts use. */
  readonly bigInteger?: string | URL
}

/**
 * The same as text, absolute, so that a worker takes them from where the page means.
 * @internal
 */
export function absoluteFiles(files: LibraryFiles): LibraryFiles {
  const base = typeof document === 'undefined' ? undefined : document.baseURI
  const entries = Object.entries(files).map(([name, url]) => [name, new URL(url, base).href])
  return Object.fromEntries(entries)
}
