import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withKey } from '../../host/base/config/set-key.ts'
import { generateKey } from '../../host/chain/consensus/comet/ed25519.ts'
import { writeFileAtomic } from '../../host/chain/consensus/validator/atomic-file.ts'
import { writeValidatorKey } from '../../host/chain/consensus/validator/key-file.ts'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import { type Daemon, runCommand, startDaemon } from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

// Nodes start one after the other on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let network: TestNetwork
let daemons: Daemon[]

beforeEach(async () => {
  daemons = []
  network = await makeNetwork({
    validators: 1,
    full: 2,
    settings: { 'consensus.block-time': '100ms' },
  })
})

afterEach(async () => {
  for (const { process: child } of daemons) child.kill('SIGKILL')
  await network.close()
})

async function start({ home }: NetworkNode): Promise<Daemon> {
  const daemon = await startDaemon({ home, dev: false })
  daemons.push(daemon)
  return daemon
}

const KEY = 'config/priv_validator_key.json'

async function setMode({ home }: NetworkNode, mode: 'validator' | 'full'): Promise<void> {
  const path = join(home, 'config/config.toml')
  await writeFileAtomic(path, withKey(readFileSync(path, 'utf8'), '', 'mode', mode))
}

function stateOf({ home }: NetworkNode): { readonly height: string } {
  return JSON.parse(readFileSync(join(home, 'data/priv_validator_state.json'), 'utf8'))
}

describe.skipIf(COMETBFT === undefined)(`beside a validator${WITHOUT_COMETBFT}`, () => {
  test('a full node signs nothing, and does not start with a copy of the validator key in validator mode', async () => {
    const [validator, full] = [network.node('validator-1'), network.node('full-1')]
    const first = await start(validator)
    await reachHeight(first.ready.rpc, 2)
    // Copied as with a whole home. Only the mode of the node prevents it from signing.
    copyFileSync(join(validator.home, KEY), join(full.home, KEY))
    const second = await start(full)
    await reachHeight(second.ready.rpc, 4)
    expect(stateOf(full).height).toBe('0')
    const own = readFileSync(
      join(full.home, 'data/cometbft/config/priv_validator_key.json'),
      'utf8',
    )
    expect(own).not.toContain(JSON.parse(readFileSync(join(full.home, KEY), 'utf8')).address)
    expect(await second.stop()).toBe(0)

    await setMode(full, 'validator')
    const refused = await runCommand(['start', '--home', full.home])
    expect(refused.code).toBe(75)
    expect(refused.stderr).toMatch(
      /Error: the validator key [0-9A-F]{40} is in use by process \d+ of /,
    )
    expect(Number(stateOf(validator).height)).toBeGreaterThan(1)
    expect(await first.stop()).toBe(0)
  })

  test('a full node may have its own key and become a validator with it', async () => {
    const [validator, joining] = [network.node('validator-1'), network.node('full-2')]
    await writeValidatorKey(join(joining.home, KEY), generateKey())
    await setMode(joining, 'validator')
    const [first, second] = await Promise.all([start(validator), start(joining)])
    await reachHeight(second.ready.rpc, 3)
    expect(stateOf(joining).height).toBe('0')
    expect(existsSync(join(joining.home, 'data/cometbft/config/priv_validator_key.json'))).toBe(
      false,
    )
    expect(await second.stop()).toBe(0)
    expect(await first.stop()).toBe(0)
  })
})
