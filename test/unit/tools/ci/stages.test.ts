import { expect, test } from 'vitest'
import { StageLog } from '../../../../tools/ci/stages.ts'

test('each stage reports its seconds, and the summary names the failed stages and those over their budget', async () => {
  const lines: string[] = []
  let now = 0
  const log = new StageLog(
    (line) => lines.push(line),
    () => now,
  )
  log.add('set-up', 10, 4)
  await log.run('check', 20, async () => {
    now += 21
  })
  const failing = log.run('test', 20, async () => {
    now += 5
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  log.fail(['a.slow.test.ts: keeps a block: expected 1 to be 2'])
  log.summarize(30)
  expect(lines).toEqual([
    '== set-up: 4 s',
    '== check',
    '== check: 21 s',
    '== test',
    '== test: 5 s',
    '== stages: set-up 4 s, check 21 s, test 5 s; 30 s in all',
    '== over its budget of 20 s: check took 21 s',
    '== failed: a.slow.test.ts: keeps a block: expected 1 to be 2',
  ])
})
