import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { reachHeight } from '../support/node/progress.ts'

const homes: string[] = []
afterAll(() => homes.forEach(removeHome))

function newHome(): string {
  const home = makeHome()
  homes.push(home)
  return home
}

const ADDRESS = devAccount(0).address
const FAST = ['--consensus.block-time', '5ms']

type Kind = 'state' | 'tx' | 'logs' | 'receipts' | 'blocks'

interface Capabilities extends Record<Kind, { readonly oldestBlock: Hex }> {
  readonly head: { readonly number: Hex }
}

const at = (height: number): Hex => `0x${height.toString(16)}`

/** A request for each kind of data at a height. */
const QUESTIONS: Readonly<Record<Kind, (height: Hex) => [string, unknown[]]>> = {
  state: (height) => ['eth_getBalance', [ADDRESS, height]],
  blocks: (height) => ['eth_getBlockByNumber', [height, true]],
  tx: (height) => ['eth_getBlockTransactionCountByNumber', [height]],
  receipts: (height) => ['eth_getBlockReceipts', [height]],
  logs: (height) => ['eth_getLogs', [{ fromBlock: height, toBlock: height }]],
}

/** Expects success at the height of each kind and at some above it, and failure at one below. */
async function expectTruth(rpc: string): Promise<Capabilities> {
  const capabilities = await call<Capabilities>(rpc, 'eth_capabilities', [])
  const head = Number(capabilities.head.number)
  for (const [kind, question] of Object.entries(QUESTIONS)) {
    const oldest = Number(capabilities[kind as Kind].oldestBlock)
    for (let i = 0; i <= 6; i++) {
      const height = oldest + Math.floor(((head - oldest) * i) / 6)
      const { result, error } = await post(rpc, ...question(at(height)))
      expect([kind, height, error?.message]).toEqual([kind, height, undefined])
      expect(result).not.toBeNull()
    }
    if (oldest === 0) continue
    const { error } = await post(rpc, ...question(at(oldest - 1)))
    expect([kind, oldest - 1, typeof error?.message]).toEqual([kind, oldest - 1, 'string'])
    const named = /earliest available is (\d+)|available from height (\d+) on/.exec(
      error?.message ?? '',
    )
    const available = Number(named?.[1] ?? named?.[2])
    const again = await post(rpc, ...question(at(available)))
    expect([kind, available, again.error?.message]).toEqual([kind, available, undefined])
  }
  return capabilities
}

async function run(home: string, more: readonly string[], blocks: number): Promise<Daemon> {
  const daemon = await startDaemon({ home, arguments: [...FAST, ...more] })
  const now = Number(await call<Hex>(daemon.ready.rpc, 'eth_blockNumber', []))
  await reachHeight(daemon.ready.rpc, now + blocks)
  return daemon
}

test('eth_capabilities returns heights that can be read, after the split was turned off and after pruning', async () => {
  const home = newHome()
  let daemon = await run(home, ['--state-store.evm-ss-split', 'true'], 12)
  expect(Number((await expectTruth(daemon.ready.rpc)).state.oldestBlock)).toBe(0)
  await daemon.stop()

  daemon = await run(home, [], 12)
  const after = await expectTruth(daemon.ready.rpc)
  expect(Number(after.state.oldestBlock)).toBeGreaterThanOrEqual(12)
  expect(Number(after.blocks.oldestBlock)).toBe(0)
  await daemon.stop()

  const pruning = ['--state-store.ss-keep-recent', '10', '--state-store.ss-prune-interval', '1']
  daemon = await run(home, [...pruning, '--min-retain-blocks', '10'], 55)
  await expectTruth(daemon.ready.rpc)
  await daemon.stop()
})

test('eth_capabilities returns heights that can be read in a home restored from a snapshot', async () => {
  const home = newHome()
  const daemon = await run(home, [], 8)
  await daemon.stop()
  expect((await runCommand(['snapshot', 'export', '--home', home])).code).toBe(0)
  const other = newHome()
  const snapshots = join(home, 'data/snapshots')
  const [height = ''] = readdirSync(snapshots)
  const imported = await runCommand([
    'snapshot',
    'import',
    join(snapshots, height),
    '--home',
    other,
    '--genesis',
    `${home}/config/genesis.json`,
  ])
  expect(imported.stderr.includes('Error') ? imported.stderr : imported.code).toBe(0)
  const follower = await startDaemon({ home: other, dev: false })
  try {
    await expectTruth(follower.ready.rpc)
  } finally {
    await follower.stop()
  }
})
