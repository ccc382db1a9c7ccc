import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'

/** What a module leads to. */
interface Edges {
  /** Files that it imports, or starts as threads. */
  readonly files: readonly string[]
  /** Packages that it imports by name. */
  readonly packages: readonly string[]
}

/** All that some modules lead to. */
export interface Reached {
  /** Paths below the folder, in the order of their names; the modules themselves are among them. */
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

/** No specifier has a space or a $: a text that says `from "${...}"` is no import, nor is `"from","to"`. */
const IMPORT = /(?<!\.)\b(?:from\s*|import\s*\(?\s*)(['"])([\w@.][^'"\s$(),;]*)\1/g
const THREAD = /\bnew URL\(\s*(['"])(\.[^'"\n]+)\1,\s*import\.meta\.url\s*\)/g
/** A file of the package that is no module, or a folder of such: it is read, not run. */
const DATA = /(?:\.(?:wasm|json)|\/)$/

function specifiersIn(source: string): string[] {
  const imported = Array.from(source.matchAll(IMPORT), ([, , specifier = '']) => specifier)
  const started = Array.from(source.matchAll(THREAD), ([, , specifier = '']) => specifier)
  return [...imported, ...started.filter((specifier) => !DATA.test(specifier))]
}

/** `@scope/name` or `name` of what may go on to a file within. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The file of a specifier of a .js or .d.ts file, by its path below the folder. */
function fileOf(from: string, specifier: string): string {
  const target = join(dirname(from), specifier)
  return from.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target
}

function edgesOf(folder: string, file: string): Edges {
  const specifiers = specifiersIn(readFileSync(join(folder, file), 'utf8'))
  const isFile = (specifier: string) => specifier.startsWith('.')
  const isBuiltIn = (name: string) => name.startsWith('node:') || builtinModules.includes(name)
  return {
    files: specifiers.filter(isFile).map((specifier) => fileOf(file, specifier)),
    packages: specifiers.filter((name) => !isFile(name) && !isBuiltIn(name)).map(packageOf),
  }
}

/**
 * Follows the imports of .js files, and the threads that they start, or those of .d.ts files.
 * @throws Error where one leads to a file that is not there
 */
export function reach(folder: string, entries: readonly string[]): Reached {
  const files = new Set(entries)
  const packages = new Set<string>()
  for (const file of files) {
    const edges = edgesOf(folder, file)
    for (const target of edges.files) {
      if (!existsSync(join(folder, target))) throw new Error(`${file}: no file ${target}`)
      files.add(target)
    }
    for (const name of edges.packages) packages.add(name)
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}
