import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../../../support/node/daemon.ts'
import { call } from '../../../support/node/json-rpc.ts'
import { reachHeight } from '../../../support/node/progress.ts'

const home = makeHome()
afterAll(() => removeHome(home))

test('halt-height ends the node with 0 after its block; the same height is refused again, and 0 lets the node continue', async () => {
  const pace = ['--consensus.block-time', '10ms']
  const daemon = await startDaemon({ home, arguments: [...pace, '--halt-height', '40'] })
  const { process: child } = daemon
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(0)
  expect(daemon.output()).toMatch(/INF halting node per configuration height=40\n/)
  expect(await runCommand(['start', '--dev', '--home', home, '--halt-height', '40'])).toMatchObject(
    {
      code: 78,
      stderr: expect.stringContaining(
        'Error: halt-height is 40, but the chain is at height 40\n' +
          'Hint: write a greater halt-height in app.toml, or 0 to continue\n',
      ),
    },
  )
  const again = await startDaemon({ home, arguments: pace })
  await reachHeight(again.ready.rpc, 41)
  expect(await call(again.ready.rpc, 'eth_getBlockByNumber', ['0x29', false])).not.toBeNull()
  expect(await again.stop()).toBe(0)
})
