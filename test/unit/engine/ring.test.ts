import { expect, test } from 'vitest'
import { concatBytes } from '../../../host/base/bytes.ts'
import type { TraceEvent } from '../../../host/engine/trace-event.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import { assemble } from '../../support/bytecode.ts'
import { engineInBlock, executed, stateWith, transaction } from '../../support/engine-fixture.ts'

const COUNT = 1200

// 1200 logs of 4000 bytes pass the two megabytes of the ring before anything else stops the run.
test('logs of a single frame never run over the end of the trace ring', async () => {
  const code = concatBytes(Array.from({ length: COUNT }, () => assemble(4000, 0, 'LOG0')))
  const engine = await engineInBlock({ revision: 'Prague' })
  const events: TraceEvent[] = []
  const run = engine.transact(transaction({ gas: 60_000_000n }), {
    trace: { onEvent: (event) => void events.push(event) },
  })
  const outcome = executed(answerFrom(run, stateWith(code)))
  expect(outcome.error).toBeUndefined()
  expect(outcome.logs).toHaveLength(COUNT)
  const logs = events.filter(({ kind }) => kind === 'log')
  expect(logs).toHaveLength(COUNT)
  expect(logs.every((log) => log.kind === 'log' && log.data.length === 4000)).toBe(true)
  expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'log')).toEqual(['enter', 'exit'])
})
