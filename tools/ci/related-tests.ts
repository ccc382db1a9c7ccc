import { type DependencyGraph, distancesTo } from './dependency-graph.ts'

/** How much nearer each word that the paths of a change and of a test share brings the test. */
const SHARED_WORD = 2

const IGNORED: ReadonlySet<string> = new Set([
  ...['host', 'assembly', 'test', 'tools', 'unit', 'support', 'generated'],
  ...['ts', 'tsx', 'mjs', 'slow', 'sized', 'main', 'index', ''],
])

function wordsOf(path: string): Set<string> {
  return new Set(path.split(/[/.-]/).filter((word) => !IGNORED.has(word)))
}

/**
 * Returns the tests that a change can affect, the most related first: by distance in the graph, and by the words that
 * their path shares with one that changed.
 */
export function relatedTests(
  graph: DependencyGraph,
  changed: readonly string[],
  isTest: (path: string) => boolean,
): string[] {
  const changedWords = changed.map(wordsOf)
  const rankOf = (path: string, distance: number): number => {
    const words = [...wordsOf(path)]
    const shared = changedWords.map((known) => words.filter((word) => known.has(word)).length)
    return distance - SHARED_WORD * Math.max(0, ...shared)
  }
  return [...distancesTo(graph, changed)]
    .filter(([path]) => isTest(path))
    .map(([path, distance]) => ({ path, rank: rankOf(path, distance) }))
    .sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path)
}
