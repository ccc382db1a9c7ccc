import { posix } from 'node:path'

/** Top-level folders: text that begins with one of them is a path of this tree anywhere. */
const TOP = /^(assembly|bench|host|test|tools|\.ci|\.github)(\/|$)/

/** File extensions that only a source tree has; .json, .toml and .db may be files of a home. */
const SOURCE_FILE = /\.(tsx?|mjs|md|wit|wat|svg|sol)$/

/** Folders of a node's home, and build products. */
const MADE = /^(data|config|build|node_modules|dist)\//

/** Returns whether a text between code marks, or a word of a comment, names a file or a folder of this tree. */
export function looksLikePath(text: string): boolean {
  if (!/^(?:\.{1,2}\/)?[\w@*-][\w.@*/-]*$/.test(text)) return false
  if (TOP.test(text)) return text.includes('/')
  if (SOURCE_FILE.test(text)) return !/^\.?\w+$/.test(text) && !text.startsWith('node_modules/')
  return text.endsWith('/') && !MADE.test(text)
}

/** The files of a tree, to resolve a path from the file that names it. */
export class Paths {
  readonly #paths: ReadonlySet<string>

  constructor(files: readonly string[]) {
    const folders = files.flatMap((file) => {
      const parts = file.split('/').slice(0, -1)
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    })
    this.#paths = new Set([...files, ...folders])
  }

  /**
   * Returns whether a path that a file names exists: from the folder of the file or one above it, or as the end of a
   * path below that folder, as a README names the files below it.
   */
  has(written: string, file: string): boolean {
    const path = written.replace(/\/$/, '')
    if (TOP.test(path)) return this.#matches(path)
    const own = posix.dirname(file)
    for (let folder = own; ; folder = posix.dirname(folder)) {
      if (this.#matches(posix.join(folder, path))) return true
      if (folder === '.') break
    }
    const below = own === '.' ? '' : `${own}/`
    return this.#some((found) => found.startsWith(below) && found.endsWith(`/${path}`), path)
  }

  /** Returns whether a path that a file links to exists. */
  hasFrom(written: string, file: string): boolean {
    const path = posix.join(posix.dirname(file), written).replace(/\/$/, '')
    return path === '.' || this.#paths.has(path)
  }

  /** Returns whether any file of the tree has the name. */
  hasName(name: string): boolean {
    return this.#some((found) => found === name || found.endsWith(`/${name}`), name)
  }

  #some(holds: (found: string) => boolean, path: string): boolean {
    if (!path.includes('*')) return [...this.#paths].some(holds)
    return [...this.#paths].some((found) => posix.matchesGlob(found, `**/${path}`))
  }

  #matches(path: string): boolean {
    if (!path.includes('*')) return this.#paths.has(path)
    return [...this.#paths].some((found) => posix.matchesGlob(found, path))
  }
}
