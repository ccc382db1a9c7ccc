import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { filesBelow, importGraph } from '../import-graph.ts'
import { DECLARED_EDGES, type DeclaredEdge } from './declared-edges.ts'

const FOLDERS = ['assembly', 'host', 'test', 'bench', 'tools']

/** What a file directly needs, with its distance: 1 for an import. */
export type Dependencies = ReadonlyMap<string, number>
export type DependencyGraph = ReadonlyMap<string, Dependencies>

/**
 * Distance of a file named by its path: a test that starts a node reveals less about a file of the node than a test
 * that imports it.
 */
const NAMED = 4
const DECLARED = 6

/** Every test runs with it. */
const RUNNER = 'test/vitest.config.ts'

/** Files whose paths are only data. */
const TALKS_OF_PATHS = /^(?:test\/unit\/)?tools\/(?:ci|mutation)\//

/** Quoted words that may be a path, and consecutive ones that `join` may combine into one. */
const QUOTED = /(?:'[\w@.-]+(?:\/[\w@.-]+)*',\s*)*'[\w@.-]+(?:\/[\w@.-]+)*'/g

/** Returns the paths that a source names, as `'./main.ts'` or `'host', 'cli', 'main.ts'`. */
export function pathsNamedIn(source: string): string[] {
  return Array.from(source.matchAll(QUOTED), ([found]) => {
    const words = Array.from(found.matchAll(/'([^']+)'/g), ([, word = '']) => word)
    const runs = words.map((_, start) => words.slice(start).join('/'))
    return words.length > 1 ? [...words, ...runs] : words
  })
    .flat()
    .filter((path) => /\.\w+$|\//.test(path))
}

/** Files of the checkout. A folder stands for the files below it. */
class Checkout {
  readonly #root: string
  readonly files: ReadonlySet<string>
  readonly #below = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
    const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
    const atTop = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
    this.files = new Set([...folders.flatMap((folder) => filesBelow(root, folder)), ...atTop])
    for (const file of this.files) {
      for (let at = dirname(file); at !== '.'; at = dirname(at)) {
        const below = this.#below.get(at) ?? []
        below.push(file)
        this.#below.set(at, below)
      }
    }
  }

  /** Returns the file of a path or all files below it; empty if the path does not exist. */
  below(path: string): readonly string[] {
    return this.files.has(path) ? [path] : (this.#below.get(path) ?? [])
  }

  /**
   * Returns what a path in a file names, relative to the file or from the root. A whole top-level folder counts as a
   * search, not a path.
   */
  named(file: string, path: string): readonly string[] {
    const beside = relative(this.#root, resolve(this.#root, dirname(file), path))
    const fromRoot = relative(this.#root, resolve(this.#root, path))
    for (const candidate of [beside, fromRoot]) {
      if (this.files.has(candidate)) return [candidate]
      if (candidate.includes('/') && !candidate.startsWith('..')) {
        const below = this.below(candidate)
        if (below.length > 0) return below
      }
    }
    return []
  }
}

/** Returns a sentence for each declared edge from or to a path that does not exist. */
export function staleEdges(root: string, declared = DECLARED_EDGES): string[] {
  return declared.flatMap(({ from, to }) =>
    [from, ...to]
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `tools/ci/declared-edges.ts: ${path} does not exist: fix or delete the row`),
  )
}

/** Returns what each file of a checkout imports, names by its path, and needs by the declared list. */
export function readDependencies(
  root: string,
  declared: readonly DeclaredEdge[] = DECLARED_EDGES,
): DependencyGraph {
  const checkout = new Checkout(root)
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const graph = new Map<string, Map<string, number>>()
  const add = (from: string, to: readonly string[], distance: number) => {
    const known = graph.get(from) ?? new Map<string, number>()
    graph.set(from, known)
    for (const file of to) {
      if (file !== from) known.set(file, Math.min(distance, known.get(file) ?? distance))
    }
  }
  for (const [file, imported] of importGraph(root, folders)) {
    // Deleted files too: their removal affects their importers.
    add(file, imported, 1)
    if (TALKS_OF_PATHS.test(file)) continue
    for (const path of pathsNamedIn(readFileSync(join(root, file), 'utf8'))) {
      add(file, checkout.named(file, path), NAMED)
    }
  }
  for (const file of graph.keys()) {
    if (file.endsWith('.test.ts') && checkout.files.has(RUNNER)) add(file, [RUNNER], DECLARED)
  }
  for (const { from, to } of declared) {
    // `staleEdges` reports a row of a deleted file.
    if (!checkout.files.has(from)) continue
    add(
      from,
      to.flatMap((path) => checkout.below(path)),
      DECLARED,
    )
  }
  return graph
}

/**
 * Returns the distance of each file from the nearest changed one. Files that need none of them are absent. A changed
 * file may be deleted: its remaining importers are found.
 */
export function distancesTo(
  graph: DependencyGraph,
  changed: Iterable<string>,
): ReadonlyMap<string, number> {
  const users = new Map<string, [string, number][]>()
  for (const [from, dependencies] of graph) {
    for (const [to, distance] of dependencies) {
      const known = users.get(to) ?? []
      known.push([from, distance])
      users.set(to, known)
    }
  }
  const distances = new Map<string, number>()
  // Distances are small integers, so one list of files per distance replaces a heap.
  const waiting: string[][] = [[...changed]]
  for (let distance = 0; distance < waiting.length; distance++) {
    for (const file of waiting[distance] ?? []) {
      if (distances.has(file)) continue
      distances.set(file, distance)
      for (const [user, further] of users.get(file) ?? []) {
        waiting[distance + further] ??= []
        waiting[distance + further]?.push(user)
      }
    }
  }
  return distances
}
