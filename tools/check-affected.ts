// Checks the data by which .ci/run chooses tests. Rows of its lists must name existing files. Some file of test/ must
// look up each peer. What a test starts must be known by a path in its text or a row of tools/ci/declared-edges.ts.
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
    .map(([name]) => `tools/ci/peers.ts: no file of test/ has the mark of ${name}: fix the mark`),
  ...unknownStarts(ROOT, graph, declared).map(
    (file) =>
      `${file}: starts a file that no path in its text names: add a row to tools/ci/declared-edges.ts`,
  ),
]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
