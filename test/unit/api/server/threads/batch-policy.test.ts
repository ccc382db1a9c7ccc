import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { schedulingPolicy } from './scheduling-policy.ts'

const SCRIPT = new URL('batch-thread.ts', import.meta.url)

const OTHER = 0
const BATCH = 3

/** The command may be missing, or refused in a container. */
const canSet = spawnSync('chrt', ['--batch', '0', 'true']).status === 0
const needs = canSet ? '' : ' (skipped: chrt cannot set the policy here)'

test.skipIf(!canSet)(
  `an RPC worker has a batch scheduling policy, and no other thread has it${needs}`,
  async () => {
    const [policies] = await once(new Worker(SCRIPT), 'message')
    expect(policies).toEqual([OTHER, BATCH])
    const main = readFileSync(`/proc/${process.pid}/stat`, 'latin1')
    expect(schedulingPolicy(main)).toBe(OTHER)
  },
)

test.skipIf(process.platform !== 'linux')(
  'without the command an RPC worker runs with its default policy',
  async () => {
    const [policies] = await once(new Worker(SCRIPT, { env: { PATH: '/nowhere' } }), 'message')
    expect(policies).toEqual([OTHER, OTHER])
  },
)
