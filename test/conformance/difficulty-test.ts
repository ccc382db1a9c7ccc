import { nextDifficulty } from '../../host/evm/execute/ethereum/difficulty.ts'
import { FORKS, type ForkName } from '../../host/evm/execute/ethereum/forks.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  type VectorFile,
} from './case.ts'
import { parseNumber } from './fixture.ts'
import { networkOf } from './network.ts'

/** A difficulty test: a parent, and the difficulty that the next block must have. */
type DifficultyTest = Readonly<Record<string, string>>

function runCase(fork: ForkName, test: DifficultyTest): string | undefined {
  const read = (name: string) => parseNumber(test[name] as string)
  const { parentUncles } = test
  const got = nextDifficulty(
    { ...FORKS[fork], blobs: undefined, sinceDao: undefined },
    {
      difficulty: read('parentDifficulty'),
      timestamp: read('parentTimestamp'),
      hasOmmers: parentUncles !== undefined && !/^0x0*$/.test(parentUncles),
    },
    read('currentBlockNumber'),
    read('currentTimestamp'),
  )
  const want = read('currentDifficulty')
  return got === want ? undefined : `difficulty ${got}, want ${want}`
}

function* runFile(_machines: Machines, file: VectorFile, filter: CaseFilter) {
  for (const [title, content] of namedTests(file)) {
    for (const [forkText, cases] of Object.entries(content)) {
      if (forkText === '_info') continue
      const fork = networkOf(forkText)?.forks[0]?.fork
      for (const [name, test] of Object.entries(cases as Record<string, DifficultyTest>)) {
        const caseName = `${title} ${name} [${forkText}]`
        if (!filter(caseName, forkText)) continue
        yield attempt(caseName, () =>
          fork === undefined ? `unknown fork ${forkText}` : runCase(fork, test),
        )
      }
    }
  }
}

export const difficultyTests: Suite = {
  recognises: (file) => /DifficultyTests\//.test(file.path),
  run: runFile,
}
