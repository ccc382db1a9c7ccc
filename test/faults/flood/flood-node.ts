import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Hex } from '../../../host/base/hex.ts'
import { FloodWatch, type Watched } from '../../support/flood/flood-watch.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../../support/node/daemon.ts'
import { type DynamicFeeFields, devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt } from '../../support/node/progress.ts'
import type { Flood, FloodTarget } from './flood.ts'
import type { FloodCount, FloodOrder } from './flood-client-thread.ts'

/** A node with a chain and a pool that are costly to query. */
export interface FloodNode {
  readonly daemon: Daemon
  readonly target: FloodTarget
}

const FEES = { maxFeePerGas: 1_000_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const
const ACCOUNTS = 10

/** Creation code that logs 32 bytes a hundred times and leaves no contract. */
const LOGGER: Hex = '0x60645b60206000a0600190038060025700'

/**
 * Starts a node and fills it with `mined` transactions in blocks and `waiting` ones queued behind nonce gaps, of some
 * kilobytes each.
 */
export async function startFloodNode(
  options: DaemonOptions,
  mined: number,
  waiting: number,
): Promise<FloodNode> {
  const daemon = await startDaemon(options)
  const { rpc } = daemon.ready
  const send = async (sender: number, fields: DynamicFeeFields): Promise<Hex> => {
    const raw = await signDynamicFee(sender, { ...FEES, ...fields })
    return call<Hex>(rpc, 'eth_sendRawTransaction', [raw])
  }
  const transactions: Hex[] = []
  for (let i = 0; i < mined; i++) {
    const sender = i % ACCOUNTS
    const nonce = Math.floor(i / ACCOUNTS)
    const fields = nonce % 2 === 0 ? { to: devAccount(0).address, value: 1n } : { data: LOGGER }
    transactions.push(await send(sender, { nonce, gas: 200_000n, ...fields }))
  }
  const last = transactions.at(-1)
  if (last !== undefined) await minedReceipt(rpc, last)
  for (let i = 0; i < waiting; i++) {
    const nonce = mined + 10 + Math.floor(i / ACCOUNTS)
    const data = `0x${'11'.repeat(4000)}` as const
    await send(i % ACCOUNTS, { nonce, gas: 1_000_000n, to: devAccount(0).address, data })
  }
  const head = await call<{ hash: string; number: string }>(rpc, 'eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const target: FloodTarget = {
    addresses: Array.from({ length: ACCOUNTS }, (_, i) => devAccount(i).address),
    transactions: transactions.slice(-20),
    blockHashes: [head.hash],
    height: Number(head.number),
  }
  return { daemon, target }
}

/** The result of a flood, and what the honest client observed during it. */
export interface FloodRun {
  readonly count: FloodCount
  readonly watched: Watched
}

/** Runs a flood for some time, and until the honest client has had so many responses. */
export async function runFlood(
  { daemon }: FloodNode,
  flood: Flood,
  milliseconds: number,
  leastAnswers = 0,
): Promise<FloodRun> {
  const { rpc, ws, consensus, pid } = daemon.ready
  const watch = new FloodWatch(rpc, pid)
  watch.start()
  const workerData: FloodOrder = { flood, urls: { rpc, ws, consensus } }
  const worker = new Worker(new URL('./flood-client-thread.ts', import.meta.url), { workerData })
  await Promise.all([delay(milliseconds), watch.answers(leastAnswers)])
  worker.postMessage('over')
  const [count] = (await once(worker, 'message')) as [FloodCount]
  await worker.terminate()
  return { count, watched: await watch.stop() }
}
