// Checks that no test fails on a slow machine: bounds must be a minute or more, and no test may assert a duration.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hastyWaitsIn, LEAST_WAIT_MS } from './hasty-waits.ts'
import { filesBelow } from './import-graph.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))

for (const file of filesBelow(ROOT, 'test').filter((path) => path.endsWith('.ts'))) {
  for (const { line, problem } of hastyWaitsIn(readFileSync(join(ROOT, file), 'utf8'))) {
    process.stderr.write(
      `${file}:${line}: ${problem}, which a busy machine breaks: remove the bound, or give it ${LEAST_WAIT_MS} ms ` +
        'or more; instead of a duration assert what happened\n',
    )
    process.exitCode = 1
  }
}
