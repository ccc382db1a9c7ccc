import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { makeFollowerHome } from '../../support/node/follower-home.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt, reachHeight } from '../../support/node/progress.ts'
import { until } from '../../support/until.ts'

const TO = '0x00000000000000000000000000000000000000aa'

const folder = makeHome()
const validatorHome = join(folder, 'validator')
let validator: Daemon

beforeAll(async () => {
  await initializeValidator(validatorHome)
  validator = await startDaemon({
    home: validatorHome,
    dev: false,
    arguments: ['--consensus.block-time', '20ms'],
  })
})
afterAll(async () => {
  await validator.stop()
  removeHome(folder)
})

const followerOf = (home: string, ...servers: string[]): Promise<Daemon> =>
  startDaemon({ home, dev: false, arguments: ['--follow.rpc-servers', servers.join(',')] })

async function route<Result>(base: string, path: string): Promise<Result> {
  const { result } = (await (await fetch(`${base}/${path}`)).json()) as { result: Result }
  return result
}

interface Status {
  readonly sync_info: {
    readonly catching_up: boolean
    readonly latest_block_height: string
    readonly max_peer_block_height: string
  }
  readonly validator_info: { readonly voting_power: string }
}

function transfer(nonce: number): Promise<Hex> {
  return signDynamicFee(0, { to: TO, value: 12_345n, nonce })
}

test('a full node follows the validator, forwards transactions, serves other followers and signs nothing', async () => {
  const home = join(folder, 'full')
  await makeFollowerHome(home, validatorHome)
  const full = await followerOf(home, validator.ready.consensus)
  const secondHome = join(folder, 'second')
  await makeFollowerHome(secondHome, validatorHome)
  // The second full node knows only the first, and receives blocks and sends transactions through it.
  const second = await followerOf(secondHome, full.ready.consensus)
  const hash = await call<Hex>(second.ready.rpc, 'eth_sendRawTransaction', [await transfer(0)])
  const receipts = await Promise.all(
    [validator, full, second].map(({ ready }) => minedReceipt(ready.rpc, hash)),
  )
  expect(receipts[1]).toEqual(receipts[0])
  expect(receipts[2]).toEqual(receipts[0])
  const sender = devAccount(0).address
  expect(Number(await call(second.ready.rpc, 'eth_getTransactionCount', [sender, 'pending']))).toBe(
    1,
  )
  const height = Number((receipts[0] as { blockNumber: Hex }).blockNumber)
  await Promise.all([full, second].map(({ ready }) => reachHeight(ready.rpc, height + 3)))
  for (const path of [
    `block?height=${height}`,
    `commit?height=${height}`,
    `block_results?height=${height}`,
    `validators?height=${height}`,
  ]) {
    const expected = await route(validator.ready.consensus, path)
    for (const { ready } of [full, second]) {
      expect(await route(ready.consensus, path), path).toEqual(expected)
    }
  }
  await until(async () => {
    const { sync_info } = await route<Status>(full.ready.consensus, 'status')
    return !sync_info.catching_up && Number(sync_info.max_peer_block_height) > height
  })
  expect(await call(full.ready.rpc, 'eth_syncing', [])).toBe(false)
  const { validator_info } = await route<Status>(full.ready.consensus, 'status')
  expect(validator_info.voting_power).toBe('0')
  expect(JSON.parse(readFileSync(homeAt(home).data.validatorState, 'utf8')).height).toBe('0')
  const status = await runCommand(['status', '--home', home])
  expect(status.code).toBe(0)
  // The full node refuses a transaction with the same message as the block producer.
  await expect(
    call(second.ready.rpc, 'eth_sendRawTransaction', [await transfer(0)]),
  ).rejects.toThrow(/nonce too low/)
  expect(await second.stop()).toBe(0)
  expect(await full.stop()).toBe(0)
})

test('a full node that is killed resumes at its height and catches up', async () => {
  const home = join(folder, 'killed')
  await makeFollowerHome(home, validatorHome)
  let reached = 0
  for (const at of [20, 45, 70]) {
    const full = await followerOf(home, validator.ready.consensus)
    const height = Number(await call(full.ready.rpc, 'eth_blockNumber', []))
    expect(height).toBeGreaterThanOrEqual(reached)
    await reachHeight(full.ready.rpc, at)
    reached = at
    expect(await full.stop('SIGKILL')).toBe('SIGKILL')
  }
  const full = await followerOf(home, validator.ready.consensus)
  const height = Number(await call(validator.ready.rpc, 'eth_blockNumber', []))
  await reachHeight(full.ready.rpc, height)
  const path = `header?height=${height}`
  expect(await route(full.ready.consensus, path)).toEqual(
    await route(validator.ready.consensus, path),
  )
  expect(await full.stop()).toBe(0)
})

/** Preloaded into a node to delay the sync of each log record to disk. */
/** A URL, since NODE_OPTIONS ends a path at its first space. */
const SLOW_DISK = new URL('./slow-sync.mjs', import.meta.url).href

test('every API of a node is at the height that another one has reported, however slow the disk is', async () => {
  const home = join(folder, 'slow')
  await makeFollowerHome(home, validatorHome)
  const slow = await startDaemon({
    home,
    dev: false,
    arguments: ['--follow.rpc-servers', validator.ready.consensus],
    variables: { NODE_OPTIONS: `--import=${SLOW_DISK}` },
  })
  let height = 0
  for (let seen = 0; seen < 6; seen++) {
    await reachHeight(slow.ready.rpc, height + 1)
    height = Number(await call<Hex>(slow.ready.rpc, 'eth_blockNumber', []))
    const { consensus } = slow.ready
    const [status, info, query, header, results] = await Promise.all([
      route<Status>(consensus, 'status'),
      route<{ response: { last_block_height: string } }>(consensus, 'abci_info'),
      route<{ response: { height: string } }>(
        consensus,
        'abci_query?path="/store/bank/key"&data=0x01',
      ),
      route<{ header: { height: string } } | undefined>(consensus, `header?height=${height}`),
      route<{ height: string } | undefined>(consensus, `block_results?height=${height}`),
    ])
    expect(Number(status.sync_info.latest_block_height)).toBeGreaterThanOrEqual(height)
    expect(Number(info.response.last_block_height)).toBeGreaterThanOrEqual(height)
    expect(Number(query.response.height)).toBeGreaterThanOrEqual(height)
    expect(header?.header.height).toBe(String(height))
    expect(results?.height).toBe(String(height))
  }
  expect(await slow.stop()).toBe(0)
})
