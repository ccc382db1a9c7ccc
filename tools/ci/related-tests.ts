import { type DependencyGraph, distancesTo } from './dependency-graph.ts'

/** How much each word shared by the paths of a change and of a test reduces the test's distance. */
const SHARED_WORD = 2

/** Greatest distance from a change at which the words of a file count too, less with distance. */
const USER_DISTANCE = 3

const IGNORED: ReadonlySet<string> = new Set([
  ...['host', 'assembly', 'test', 'tools', 'unit', 'support', 'generated'],
  ...['ts', 'tsx', 'mjs', 'slow', 'sized', 'main', 'index', ''],
])

function wordsOf(path: string): ReadonlySet<string> {
  return new Set(path.split(/[/.-]/).filter((word) => !IGNORED.has(word)))
}

const topFolder = (path: string): string => path.slice(0, path.indexOf('/') + 1)

/**
 * Returns the tests that a change can affect, most related first. The order uses the distance in the graph, and the
 * words that their path shares with a changed file or with a near file that uses it. The tests of
 * `assembly/precompile/modexp.ts` show faults of `assembly/natural/product.ts`, though their paths share no word.
 */
export function relatedTests(
  graph: DependencyGraph,
  changed: readonly string[],
  isTest: (path: string) => boolean,
): string[] {
  const distances = distancesTo(graph, changed)
  const tops = new Set(changed.map(topFolder))
  const known = [...distances]
    .filter(([path, distance]) => distance <= USER_DISTANCE && tops.has(topFolder(path)))
    .map(([path, distance]) => ({
      words: wordsOf(path),
      weight: SHARED_WORD / (1 + distance),
    }))
  const rankOf = (path: string, distance: number): number => {
    const words = [...wordsOf(path)]
    let nearer = 0
    for (const { words: own, weight } of known) {
      const shared = words.filter((word) => own.has(word)).length
      nearer = Math.max(nearer, weight * shared)
    }
    return distance - nearer
  }
  return [...distances]
    .filter(([path]) => isTest(path))
    .map(([path, distance]) => ({ path, rank: rankOf(path, distance) }))
    .sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path)
}
