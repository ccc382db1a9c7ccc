import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withAgents } from '../../../../host/cli/wallet/agents-of.ts'
import { openSignerDatabase } from '../../../../host/wallet/signer/signer-database.ts'
import { runCommandHere } from '../../../support/node/command-here.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const home = makeHome()
afterAll(() => removeHome(home))

const agent = { appId: 'app', walletId: 'wallet', policyId: null, expiresAt: null }

test('work with the agents of a home is one transaction: an error leaves nothing of it', async () => {
  expect((await runCommandHere(['init', 'agents', '--chain-id', 'dev', '--home', home])).code).toBe(
    0,
  )
  expect(() => withAgents(home, () => undefined)).toThrow('has no wallets')
  const path = join(home, 'wallets', 'signer', 'signer.db')
  mkdirSync(dirname(path), { recursive: true })
  openSignerDatabase(path).close()
  const failing = () =>
    withAgents(home, ({ agents }) => {
      agents.create(agent, 1)
      throw new Error('later')
    })
  expect(failing).toThrow('later')
  expect(withAgents(home, ({ agents }) => agents.list())).toEqual([])
  const { agentId } = withAgents(home, ({ agents }) => agents.create(agent, 2))
  expect(withAgents(home, ({ agents }) => agents.list())).toEqual([
    { agentId, ...agent, createdAt: 2, revokedAt: null },
  ])
})
