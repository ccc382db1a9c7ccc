// Holds that no test fails on a machine that is merely slow: its bounds are a minute or more, and it asserts no duration.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hastyWaitsIn, LEAST_WAIT_MS } from './hasty-waits.ts'
import { filesBelow } from './import-graph.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))

for (const file of filesBelow(ROOT, 'test').filter((path) => path.endsWith('.ts'))) {
  for (const { line, problem } of hastyWaitsIn(readFileSync(join(ROOT, file), 'utf8'))) {
    process.stderr.write(
      `${file}:${line}: ${problem}, which a busy machine breaks: leave the bound out, or give it ${LEAST_WAIT_MS} ms ` +
        'or more; in place of a duration assert what happened\n',
    )
    process.exitCode = 1
  }
}
