import { type DependencyGraph, distancesTo } from './dependency-graph.ts'

/** How much nearer each word that the paths of a change and of a test share brings the test. */
const SHARED_WORD = 2

/** How far from a change a file may be whose words count too, the less the farther it is. */
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
 * Returns the tests that a change can affect, the most related first: by distance in the graph, and by the words that
 * their path shares with a changed file or with a file near to it that uses it. The tests of `assembly/precompile/modexp.ts`
 * show what is wrong with `assembly/natural/product.ts`, though no word of their path says so.
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
