// Holds what .ci/run chooses tests by: rows of its lists name files that are there, each peer is found by some file of
// test/, and what a test starts is known by a path in its text or a row of tools/ci/declared-edges.ts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALWAYS } from './ci/always.ts'
import { DECLARED_EDGES } from './ci/declared-edges.ts'
import { readDependencies, staleEdges } from './ci/dependency-graph.ts'
import { peerFinders } from './ci/peers.ts'
import { unknownStarts } from './ci/started-files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const graph = readDependencies(ROOT)
const declared = new Set(DECLARED_EDGES.map(({ from }) => from))
const faults = [
  ...staleEdges(ROOT),
  ...ALWAYS.filter(({ path }) => !existsSync(join(ROOT, path))).map(
    ({ path, shows }) =>
      `tools/ci/always.ts: ${path} does not exist: name another file that shows ${shows}`,
  ),
  ...[...peerFinders(ROOT, graph)]
    .filter(([, files]) => files.length === 0)
    .map(([name]) => `tools/ci/peers.ts: no file of test/ has the mark of ${name}: mend the mark`),
  ...unknownStarts(ROOT, graph, declared).map(
    (file) =>
      `${file}: starts what no path in its text names: add a row to tools/ci/declared-edges.ts`,
  ),
]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
