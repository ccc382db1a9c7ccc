import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatData } from '../../host/base/hex.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  type VectorFile,
} from './case.ts'
import { revisionOf } from './fixture.ts'
import { executeCase, type StateTest, type TestPost } from './state-test.ts'
import { compareLines, type Line, parseLines, recordInto } from './trace-line.ts'

/** What geth's command prints for a state test: the trace with the state root, and the results. */
const TRACE = 'evmrun/8.out.2.txt'
const VERDICTS = 'evmrun/8.out.1.txt'

function runCase(
  machines: Machines,
  folder: string,
  name: string,
  test: StateTest,
  fork: string,
  post: TestPost,
): string | undefined {
  const revision = revisionOf(fork)
  if (revision === undefined) return `unknown fork ${fork}`
  const lines: Line[] = []
  const { state, refusal } = executeCase(machines, test, revision, post, recordInto(lines))
  if (refusal !== undefined) return `refused: ${refusal}`
  const stateRoot = formatData(state.root())
  lines.push({ stateRoot })
  const difference = compareLines(lines, parseLines(readFileSync(join(folder, TRACE), 'utf8')))
  if (difference !== undefined) return difference
  const [got, want] = [stateRoot, post.hash].map((root) => root.slice(2))
  const verdict = {
    name,
    pass: got === want,
    stateRoot,
    fork,
    ...(got !== want && { error: `post state root mismatch: got ${got}, want ${want}` }),
  }
  const verdicts: unknown = JSON.parse(readFileSync(join(folder, VERDICTS), 'utf8'))
  const [mine, theirs] = [[verdict], verdicts].map((value) => JSON.stringify(value))
  return mine === theirs ? undefined : `expected ${theirs}, got ${mine}`
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const folder = dirname(file.path)
  for (const [name, content] of namedTests(file)) {
    const test = content as unknown as StateTest
    for (const [fork, posts] of Object.entries(test.post)) {
      for (const post of posts) {
        const caseName = `${name} [${fork}] traced`
        if (!filter(caseName, fork)) continue
        yield attempt(caseName, () => runCase(machines, folder, name, test, fork, post))
      }
    }
  }
}

/** The output of `evm statetest --trace` on geth's own example: EIP-3155 lines with their summary lines. */
export const evmToolTests: Suite = {
  recognises: ({ path }) => path.endsWith('/cmd/evm/testdata/statetest.json'),
  run: runFile,
}
