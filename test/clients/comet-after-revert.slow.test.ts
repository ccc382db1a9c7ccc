import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'

// After a revert and new blocks, the consensus RPC returns nothing of the removed blocks.

const OLD = `0x${'1'.repeat(40)}`
const NEW = `0x${'2'.repeat(40)}`

const home = makeHome()
let daemon: Daemon
beforeAll(async () => {
  const flags = ['--dev.automine', '--rpc.event-log-window-size', '1h']
  daemon = await startDaemon({ home, arguments: flags })
})
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

const rpc = <Result>(method: string, params: unknown[] = []) =>
  call<Result>(daemon.ready.rpc, method, params)

/** Returns a result of the consensus RPC, or the message of its error. */
async function get<Result>(path: string): Promise<Result> {
  const answer = await fetch(`${daemon.ready.consensus}/${path}`)
  const { result, error } = (await answer.json()) as { result?: Result; error?: { data: string } }
  return result ?? (error?.data as Result)
}

const quoted = (text: string): string => encodeURIComponent(JSON.stringify(text))

interface Sent {
  readonly evmHash: Hex
  /** The SHA-256 in the form of the consensus RPC. */
  readonly hash: string
}

async function send(nonce: number, to: string): Promise<Sent> {
  const raw = await signDynamicFee(0, { nonce, value: 1n, to: to as Hex })
  const evmHash = await rpc<Hex>('eth_sendRawTransaction', [raw])
  const hash = createHash('sha256')
    .update(Buffer.from(raw.slice(2), 'hex'))
    .digest('hex')
  return { evmHash, hash: hash.toUpperCase() }
}

interface Found {
  readonly txs: readonly { readonly hash: string; readonly height: string }[]
  readonly total_count: string
}

const search = async (query: string): Promise<string[]> => {
  const { txs } = await get<Found>(`tx_search?query=${quoted(query)}`)
  return txs.map(({ hash, height }) => `${height} ${hash}`)
}

async function expectGone({ hash, evmHash }: Sent): Promise<void> {
  expect(await search(`tx.hash='${hash}'`)).toEqual([])
  for (const name of [hash, evmHash.slice(2)]) {
    expect(await get(`tx?hash=0x${name}`)).toContain('not found')
  }
}

async function expectFound({ hash, evmHash }: Sent, height: number): Promise<void> {
  expect(await search(`tx.hash='${hash}'`)).toEqual([`${height} ${hash}`])
  for (const name of [hash, evmHash.slice(2)]) {
    expect(await get(`tx?hash=0x${name}`)).toMatchObject({ hash, height: String(height) })
  }
}

interface Event {
  readonly type: string
  readonly value: { readonly TxResult?: { readonly height: string; readonly tx: string } }
}

interface Log {
  readonly items: readonly { readonly event: string; readonly data: Event }[]
}

const txEvents = async (): Promise<(string | undefined)[]> => {
  const filter = encodeURIComponent(JSON.stringify({ query: "tm.event='Tx'" }))
  const { items } = await get<Log>(`events?filter=${filter}&maxItems=100`)
  return items.map(({ data }) => heardAs(data))
}

/** Returns height and SHA-256 of an event's transaction. */
function heardAs({ value: { TxResult } }: Event): string | undefined {
  if (TxResult === undefined) return undefined
  const hash = createHash('sha256').update(Buffer.from(TxResult.tx, 'base64')).digest('hex')
  return `${TxResult.height} ${hash.toUpperCase()}`
}

test('after a revert and new blocks at the same heights the consensus RPC returns nothing of the removed blocks', async () => {
  const socket = new WebSocket(`${daemon.ready.consensus.replace('http', 'ws')}/websocket`)
  const heard: string[] = []
  socket.onmessage = ({ data }) => {
    const event = (JSON.parse(String(data)) as { result: { data?: Event } }).result.data
    if (event !== undefined) heard.push(heardAs(event) ?? event.type)
  }
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  const kept = await send(0, NEW)
  const id = await rpc('evm_snapshot')
  const query = "tm.event='Tx'"
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query } }))
  await call(daemon.ready.rpc, 'eth_chainId')
  const gone = [await send(1, OLD), await send(2, OLD), await send(3, OLD)]
  const heightOf = (i: number) => i + 2
  await until(() => heard.length === gone.length)
  // The index contains them.
  for (const [i, sent] of gone.entries()) await expectFound(sent, heightOf(i))
  expect(await search(`transfer.recipient='${OLD}'`)).toHaveLength(3)

  expect(await rpc('evm_revert', [id])).toBe(true)
  for (const sent of gone) await expectGone(sent)
  expect(await get(`tx_search?query=${quoted('tx.height>1')}`)).toMatchObject({ total_count: '0' })
  expect(await get(`block_search?query=${quoted('block.height>1')}`)).toMatchObject({
    total_count: '0',
  })
  expect(await txEvents()).toEqual([`1 ${kept.hash}`])
  expect(await get('block_results?height=2')).toContain('must be less than or equal to')

  const here = [await send(1, NEW), await send(2, NEW)]
  const shown = here.map(({ hash }, i) => `${heightOf(i)} ${hash}`)
  for (const sent of gone) await expectGone(sent)
  for (const [i, sent] of [kept, ...here].entries()) await expectFound(sent, i + 1)
  expect(await search(`transfer.recipient='${OLD}'`)).toEqual([])
  const all = [`1 ${kept.hash}`, ...shown]
  expect(await search(`transfer.recipient='${NEW}'`)).toEqual(all)
  expect(await search(`message.sender='${devAccount(0).address.toLowerCase()}'`)).toEqual(all)
  const found = await get<{ blocks: { block: { data: { txs: string[] } } }[] }>(
    `block_search?query=${quoted('block.height>1')}`,
  )
  expect(found.blocks.map(({ block }) => block.data.txs.length)).toEqual([1, 1])
  expect(await get('block_results?height=2')).toMatchObject({
    height: '2',
    txs_results: [{ code: 0, gas_used: '21000' }],
  })
  expect(await get('block_results?height=4')).toContain('must be less than or equal to')
  expect(await txEvents()).toEqual([...all].reverse())
  const goneHeard = gone.map(({ hash }, i) => `${heightOf(i)} ${hash}`)
  await until(() => heard.length >= goneHeard.length + shown.length)
  expect(heard).toEqual([...goneHeard, ...shown])
  socket.close()
})

test('searches after a revert return the same results after a restart', async () => {
  const before = await search('tx.height>0')
  expect(before).toHaveLength(3)
  expect(await daemon.stop()).toBe(0)
  daemon = await startDaemon({ home, arguments: ['--dev.automine'] })
  expect(daemon.output()).not.toContain('an index is rebuilt')
  expect(await search('tx.height>0')).toEqual(before)
  expect(await search(`transfer.recipient='${OLD}'`)).toEqual([])
  expect(await search(`transfer.recipient='${NEW}'`)).toEqual(before)
})
