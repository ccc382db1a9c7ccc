import type { FileUrls } from './engine-files.ts'
import type { ScriptUrls } from './script-files.ts'

/** Where files of the library are that do not lie beside it. A relative URL is one of the page. */
export interface LibraryFiles extends FileUrls, ScriptUrls {}

/** The same as text, absolute, so that a worker takes them from where the page means. */
export function absoluteFiles(files: LibraryFiles): LibraryFiles {
  const base = typeof document === 'undefined' ? undefined : document.baseURI
  const entries = Object.entries(files).map(([name, url]) => [name, new URL(url, base).href])
  return Object.fromEntries(entries)
}
