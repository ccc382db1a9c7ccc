import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DependencyGraph, distancesTo } from './dependency-graph.ts'

export const PEER_NAMES = [
  'browsers',
  'cometbft',
  'node-24',
  'node-26',
  'peers',
  'agentkit',
  'hardhat',
  'foundry',
  'starters',
  'python',
  'python-clients',
  'postgres',
] as const

/** A third-party program or set of packages that tests compare with or use as a driver. */
export type PeerName = (typeof PEER_NAMES)[number]

/**
 * Tests that need a peer: those that reach a file of test/ whose text matches. Such a file finds the peer, or reports
 * why its tests are skipped.
 */
export const PEER_MARKS: Readonly<Record<PeerName, RegExp>> = {
  browsers: /\bLOCKSTEP_CHROMIUM\b/,
  cometbft: /\bLOCKSTEP_COMETBFT\b/,
  'node-24': /\bnode-\$\{major\}/,
  'node-26': /\bnode-\$\{major\}/,
  peers: /bench\/peers\/(?:node_modules|package\.json)/,
  agentkit: /bench\/peers\/agentkit/,
  hardhat: /\bfindPeerProject\('hardhat'/,
  foundry: /\bfindPeerProject\('foundry'/,
  starters: /\bfindPeerProject\('starters'/,
  python: /\bLOCKSTEP_PYTHON\b/,
  'python-clients': /\bLOCKSTEP_PYTHON_CLIENTS\b/,
  postgres: /\bLOCKSTEP_POSTGRES\b/,
}

/** Returns the files that find each peer. */
export function peerFinders(
  root: string,
  graph: DependencyGraph,
): ReadonlyMap<PeerName, readonly string[]> {
  const sources = [...graph.keys()]
    .filter((path) => path.startsWith('test/') && !path.startsWith('test/unit/tools/ci/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  return new Map(
    PEER_NAMES.map((name) => [
      name,
      sources.filter(({ text }) => PEER_MARKS[name].test(text)).map(({ path }) => path),
    ]),
  )
}

/** Returns the peers that some of the tests need. */
export function wantedPeers(
  graph: DependencyGraph,
  finders: ReadonlyMap<PeerName, readonly string[]>,
  tests: readonly string[],
): PeerName[] {
  return PEER_NAMES.filter((name) => {
    const users = distancesTo(graph, finders.get(name) ?? [])
    return tests.some((test) => users.has(test))
  })
}
