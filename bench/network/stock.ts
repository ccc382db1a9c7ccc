import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { freePorts } from '../../test/network/nodes/free-ports.ts'
import { makeHome, removeHome } from '../../test/support/node/daemon.ts'
import { until } from '../../test/support/until.ts'
import { quantile } from '../statistics.ts'

export interface StockOptions {
  readonly probes: number
  /** Number sent at once, after the probes. */
  readonly transactions: number
  readonly probeMs: number
  readonly print: (line: Readonly<Record<string, unknown>>) => void
}

export interface StockShape {
  readonly validators: number
  readonly full: number
}

/** The defaults of a Lockstep node. */
const SETTINGS: Readonly<Record<string, string>> = {
  timeout_propose: '"1s"',
  timeout_prevote: '"500ms"',
  timeout_precommit: '"500ms"',
  timeout_commit: '"300ms"',
  peer_gossip_sleep_duration: '"10ms"',
  flush_throttle_timeout: '"10ms"',
  proxy_app: '"kvstore"',
  max_request_batch_size: '0',
  size: '65536',
  log_level: '"error"',
}

/** Transactions per request. */
const BATCH = 100

const LINUX_LOOPBACK = '127.0.0.1'

/** Each node has its own address: 127.0.0.1, 127.0.0.2 and so on, in the order of `cometbft testnet`. */
function writeHomes(
  program: string,
  folder: string,
  { validators, full }: StockShape,
  port: number,
): string[] {
  const args = ['testnet', '--v', `${validators}`, '--n', `${full}`, '--o', folder]
  args.push('--populate-persistent-peers', '--starting-ip-address', LINUX_LOOPBACK)
  args.push('--p2p-port', `${port}`)
  const made = spawnSync(program, args, { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`cometbft testnet: ${made.stderr}`)
  return Array.from({ length: validators + full }, (_, index) => {
    const home = join(folder, `node${index}`)
    const path = join(home, 'config', 'config.toml')
    const address = `127.0.0.${index + 1}`
    let text = readFileSync(path, 'utf8')
      .replace('laddr = "tcp://127.0.0.1:26657"', `laddr = "tcp://${address}:${port + 1}"`)
      .replace('laddr = "tcp://0.0.0.0:26656"', `laddr = "tcp://${address}:${port}"`)
    for (const [key, value] of Object.entries(SETTINGS)) {
      text = text.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = ${value}`)
    }
    writeFileSync(path, text)
    return home
  })
}

const quantiles = (of: readonly number[]) => ({
  p50: Math.round(quantile(of, 0.5) * 10) / 10,
  p99: Math.round(quantile(of, 0.99) * 10) / 10,
})

interface Event {
  readonly result?: {
    readonly data?: { readonly value: { readonly block: { readonly data: { txs: string[] } } } }
  }
}

/** Subscribes to a node's blocks. */
async function watchBlocks(address: string) {
  const socket = new WebSocket(`ws://${address}/websocket`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const params = { query: "tm.event='NewBlock'" }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  const seenAt = new Map<string, number>()
  const blocks: number[] = []
  socket.on('message', (data) => {
    const at = performance.now()
    const { result } = JSON.parse(String(data)) as Event
    if (result?.data === undefined) return
    blocks.push(at)
    for (const tx of result.data.value.block.data.txs ?? []) seenAt.set(tx, at)
  })
  return { seenAt, blocks, close: () => socket.close() }
}

/** Calls a route of the first node for each transaction, in one request. */
async function broadcast(address: string, txs: readonly string[]): Promise<void> {
  const calls = txs.map((tx, id) => {
    return { jsonrpc: '2.0', id, method: 'broadcast_tx_sync', params: { tx } }
  })
  const body = JSON.stringify(calls)
  const response = await fetch(`http://${address}`, { method: 'POST', body })
  // A single response is not in a list.
  const answers = [await response.json()].flat() as { error?: { data: string } }[]
  const refused = answers.find(({ error }) => error !== undefined)
  if (refused !== undefined) throw new Error(refused.error?.data)
}

/** Bytes of a transfer. */
const TRANSFER_BYTES = 112

function keyValue(name: string): string {
  return Buffer.from(`${name}=`.padEnd(TRANSFER_BYTES, 'x')).toString('base64')
}

/**
 * Measures the same load on CometBFT's own key-value store, which does almost nothing: the cost of consensus and
 * gossip.
 */
export async function measureStock(
  program: string,
  shape: StockShape,
  { probes, probeMs, transactions, print }: StockOptions,
): Promise<void> {
  const node = 'cometbft kvstore'
  const folder = makeHome()
  const children: ChildProcess[] = []
  const kill = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', kill)
  try {
    const port = await freePorts(2)
    for (const home of writeHomes(program, folder, shape, port)) {
      children.push(spawn(program, ['start', '--home', home], { stdio: 'ignore' }))
    }
    const addresses = children.map((_, index) => `127.0.0.${index + 1}:${port + 1}`)
    const [one = ''] = addresses
    const height = async () => {
      const response = await fetch(`http://${one}/status`).catch(() => undefined)
      const body = await response?.json()
      return Number(body?.result?.sync_info?.latest_block_height ?? 0)
    }
    await until(async () => (await height()) >= 5)
    const watches = await Promise.all(addresses.map(watchBlocks))
    const lastSeen = (tx: string) =>
      Math.max(...watches.map(({ seenAt }) => seenAt.get(tx) ?? Infinity))
    const [first] = watches
    const sentAt = new Map<string, number>()
    const probing: Promise<void>[] = []
    for (let index = 0; index < probes; index++) {
      const tx = keyValue(`probe${index}`)
      sentAt.set(tx, performance.now())
      probing.push(broadcast(one, [tx]))
      await new Promise((resolve) => setTimeout(resolve, probeMs))
    }
    await Promise.all(probing)
    await until(() => [...sentAt.keys()].every((tx) => lastSeen(tx) < Infinity))
    const atOwn = [...sentAt].map(([tx, at]) => (first?.seenAt.get(tx) as number) - at)
    print({ node, what: 'finality', seenAt: 'validator', probes, ...quantiles(atOwn) })
    const atAll = [...sentAt].map(([tx, at]) => lastSeen(tx) - at)
    print({ node, what: 'finality', seenAt: 'all', probes, ...quantiles(atAll) })
    const blocks = first?.blocks ?? []
    const times = blocks.slice(1).map((at, index) => at - (blocks[index] as number))
    print({ node, what: 'block time', blocks: times.length, ...quantiles(times) })

    const txs = Array.from({ length: transactions }, (_, index) => keyValue(`load${index}`))
    const begun = performance.now()
    const sending = addresses.map(async (address, index) => {
      const own = txs.filter((_, at) => at % addresses.length === index)
      for (let at = 0; at < own.length; at += BATCH)
        await broadcast(address, own.slice(at, at + BATCH))
    })
    await Promise.all(sending)
    await until(() => txs.every((tx) => lastSeen(tx) < Infinity))
    const elapsed = Math.max(...txs.map(lastSeen)) - begun
    print({
      node,
      what: 'transfers',
      transactions,
      tps: Math.round((transactions / elapsed) * 1000),
    })
    for (const watch of watches) watch.close()
  } finally {
    const ends = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of children) child.kill()
    await Promise.all(ends)
    process.off('exit', kill)
    removeHome(folder)
  }
}
