import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 5)
const seed = runSeed()

/** Blocks as fast as possible, and as few retained as possible. */
const ARGUMENTS = [
  ...['--consensus.block-time', '1ms', '--consensus.create-empty-blocks', 'true'],
  ...['--state-store.ss-keep-recent', '1', '--min-retain-blocks', '1'],
  ...['--state-store.ss-prune-interval', '1'],
]

const home = makeHome()
beforeAll(() => initializeValidator(home))
afterAll(() => removeHome(home))

interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
}

function hex(height: number): Hex {
  return `0x${height.toString(16)}`
}

async function blockAt({ ready }: Daemon, height: number): Promise<Block | null> {
  return call<Block | null>(ready.rpc, 'eth_getBlockByNumber', [hex(height), false])
}

/** Returns the oldest block that the node reports. It may be pruned before the next response. */
async function oldestBlock({ ready }: Daemon): Promise<number> {
  const { blocks } = await call<{ blocks: { oldestBlock: Hex } }>(ready.rpc, 'eth_capabilities')
  return Number(blocks.oldestBlock)
}

/**
 * Returns true if the response is the pruning error. A thread that does not know of the pruning yet still returns the
 * block, but never null.
 */
async function saysPruned(answer: Promise<unknown>): Promise<boolean> {
  const [end] = await Promise.allSettled([answer])
  if (end.status === 'fulfilled') {
    expect(end.value).not.toBeNull()
    return false
  }
  expect(String(end.reason)).toMatch(/has been pruned; earliest available is \d+/)
  return true
}

/** Expects one complete chain between prune height and head, and the pruning error below it. */
async function expectWhole(daemon: Daemon): Promise<number> {
  const { rpc, consensus } = daemon.ready
  const head = Number(await call<Hex>(rpc, 'eth_blockNumber'))
  const oldest = await oldestBlock(daemon)
  expect(head - oldest).toBeGreaterThanOrEqual(Math.min(head, 255))
  let child: Block | undefined
  // The oldest blocks may be pruned during the reads
  for (let height = head; height > oldest + 200; height -= 10) {
    const block = (await blockAt(daemon, height)) as Block
    expect(Number(block.number)).toBe(height)
    if (child !== undefined) expect(block.hash).not.toBe(child.hash)
    child = block
  }
  if (oldest > 0) {
    const gone = oldest - 1
    await until(() => saysPruned(blockAt(daemon, gone)))
    const range = { fromBlock: hex(gone), toBlock: hex(head) }
    await until(() => saysPruned(call(rpc, 'eth_getLogs', [range])))
  }
  const latest = { fromBlock: hex(head - Math.min(head, 50)), toBlock: hex(head) }
  expect(await call(rpc, 'eth_getLogs', [latest])).toEqual([])
  const status = (await (await fetch(`${consensus}/status`)).json()) as {
    result: { sync_info: { earliest_block_height: string } }
  }
  const earliest = Number(status.result.sync_info.earliest_block_height)
  expect(earliest).toBeGreaterThan(0)
  const found = await fetch(`${consensus}/block?height=${head}`)
  expect(((await found.json()) as { result: { block: object | null } }).result.block).not.toBeNull()
  return oldest
}

test(`${KILLS} kills during pruning lose no retained block (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  let head = 0
  let pruneHeight = 0
  let nonce = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const daemon = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
    const { rpc } = daemon.ready
    expect(Number(await call<Hex>(rpc, 'eth_blockNumber'))).toBeGreaterThanOrEqual(head)
    const oldest = await expectWhole(daemon)
    expect(oldest).toBeGreaterThanOrEqual(pruneHeight)
    pruneHeight = oldest
    const account = devAccount(0)
    nonce = Number(await call<Hex>(rpc, 'eth_getTransactionCount', [account.address, 'pending']))
    for (let sent = 0; sent < 10; sent++) {
      const to = devAccount(1).address
      const raw = await signDynamicFee(account, { nonce: nonce++, to, value: 1n })
      await call<Hex>(rpc, 'eth_sendRawTransaction', [raw])
    }
    // Kills only start after the first pruning
    await until(async () => (await oldestBlock(daemon)) > 0)
    const height = async () => Number(await call<Hex>(rpc, 'eth_blockNumber'))
    const enough = (await height()) + Math.floor(random() * 200)
    await until(async () => (await height()) >= enough)
    head = await height()
    await daemon.stop('SIGKILL')
  }
  let daemon = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
  await expectWhole(daemon)
  // The prune height follows the head
  const target = pruneHeight + 64
  await until(async () => (await oldestBlock(daemon)) >= target)
  expect(await daemon.stop()).toBe(0)
  // Like the home of a release without this index
  rmSync(join(home, 'data', 'log_index.db'), { recursive: true })
  daemon = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
  expect(daemon.output()).toContain('Building the log index')
  await expectWhole(daemon)
  expect(await daemon.stop()).toBe(0)
}, 900_000)
