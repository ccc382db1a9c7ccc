import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Returns the imports of a source file as written, including packages. */
export function specifiersIn(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)
  return Array.from(found, ([, specifier = '']) => specifier)
}

/** Returns the files below a folder, as paths from the root, without installed packages. */
export function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(/[\\/]/).includes('node_modules'))
    .sort()
}

/** Returns the project files that each source file below the folders imports. assembly/ omits `.ts`. */
export function importGraph(root: string, folders: readonly string[]): Map<string, string[]> {
  const sources = folders
    .flatMap((folder) => filesBelow(root, folder))
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
  return new Map(
    sources.map((path) => {
      const file = join(root, path)
      const targets = specifiersIn(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, resolve(dirname(file), specifier)))
        .map((target) => (/\.\w+$/.test(target) ? target : `${target}.ts`))
      return [path, targets]
    }),
  )
}

/** Returns import cycles, each as the nodes from the first back to it; one for each import that closes one. */
export function findCircles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start !== -1) circles.push([...path.slice(start), file])
    if (start !== -1 || done.has(file)) return
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of [...graph.keys()].sort()) visit(file)
  return circles
}
