import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** What a module imports. */
interface Edges {
  /** Files that it imports, or starts as threads. */
  readonly files: readonly string[]
  /** Packages that it imports by name. */
  readonly packages: readonly string[]
}

/** Everything that some modules lead to. */
export interface Reached {
  /** Paths relative to the folder, sorted, including the modules themselves. */
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

/** No specifier has a space or a $, so `from "${...}"` in a string is not an import, nor is `"from","to"`. */
const TYPES = /(?<!\.)\b(?:from\s*|import\s*\(?\s*)(['"])([\w@.][^'"\s$(),;]*)\1/g
/** A literal specifier of `import()`. */
const WRITTEN = /^(['"`])([^$]*)\1$/
const THREAD = /\bnew URL\(\s*(['"`])(\.[^'"`\n]+)\1,\s*import\.meta\.url\s*\)/g
/** A file of the package that is not a module, or a folder of such files: it is read, not run. */
const DATA = /(?:\.(?:wasm|json)|\/)$/

/** Returns the imports of a file of types. The parser does not report `import('x').Type`. */
function typesIn(source: string): string[] {
  return Array.from(source.matchAll(TYPES), ([, , specifier = '']) => specifier)
}

/** Returns the imports of code, and the scripts that it starts. */
function specifiersIn(file: string, source: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module
  const again = staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest))
  const asked = [...staticImports.map((one) => one.moduleRequest), ...again]
  const late = dynamicImports.map(
    ({ moduleRequest: { start, end } }) => WRITTEN.exec(source.slice(start, end))?.[2],
  )
  const started = Array.from(source.matchAll(THREAD), ([, , specifier = '']) => specifier)
  return [
    ...asked.flatMap((request) => (request ? [request.value] : [])),
    ...late.filter((specifier) => specifier !== undefined),
    ...started.filter((specifier) => !DATA.test(specifier)),
  ]
}

/** Returns `@scope/name` or `name` of a specifier that may continue with a file. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Returns the file of a specifier in a .js or .d.ts file, by its path relative to the folder. */
function fileOf(from: string, specifier: string): string {
  const target = join(dirname(from), specifier)
  return from.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target
}

function edgesOf(folder: string, file: string): Edges {
  const source = readFileSync(join(folder, file), 'utf8')
  const specifiers = file.endsWith('.d.ts') ? typesIn(source) : specifiersIn(file, source)
  const isFile = (specifier: string) => specifier.startsWith('.')
  const isBuiltIn = (name: string) => name.startsWith('node:') || builtinModules.includes(name)
  return {
    files: specifiers.filter(isFile).map((specifier) => fileOf(file, specifier)),
    packages: specifiers.filter((name) => !isFile(name) && !isBuiltIn(name)).map(packageOf),
  }
}

/**
 * Follows the imports of .js files, and the threads that they start, or those of .d.ts files.
 * @throws Error if one leads to a file that does not exist
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
