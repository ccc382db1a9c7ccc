import { createHash } from 'node:crypto'
import { fromHex } from '@cosmjs/encoding'
import { Comet38Client, HttpClient, WebsocketClient } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'

const home = makeHome()
let daemon: Daemon
let client: Comet38Client

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--consensus.block-time', '100ms'] })
  await until(async () => (await height()) >= 1)
  client = Comet38Client.create(new HttpClient(daemon.ready.consensus))
})

afterAll(async () => {
  client?.disconnect()
  await daemon?.stop()
  removeHome(home)
})

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.ready.consensus}${path}`)
  return (await response.json()) as Record<string, unknown>
}

async function height(): Promise<number> {
  const { result } = await get('/lag_status')
  return (result as { current_height: number }).current_height
}

/** Returns a signed transfer from a dev account to `RECIPIENT`. */
async function transfer(from: number, nonce: number, value = 1n): Promise<Uint8Array> {
  const signed = await signDynamicFee(from, { nonce, to: RECIPIENT, value })
  return fromHex(signed.slice(2))
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').toUpperCase()
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

describe('broadcast_tx', () => {
  test('commit returns the block that holds the transaction', async () => {
    const tx = await transfer(0, 0, 5n)
    const { checkTx, txResult, hash, height: at = 0 } = await client.broadcastTxCommit({ tx })
    expect(checkTx).toMatchObject({ code: 0, gasWanted: 21_000n })
    expect(txResult).toMatchObject({ code: 0, gasWanted: 21_000n, gasUsed: 21_000n })
    expect(hex(hash).toUpperCase()).toBe(sha256(tx))
    expect((await client.block(at)).block.txs).toEqual([tx])
    const [event] = txResult?.events.filter(({ type }) => type === 'transfer') ?? []
    expect(event?.attributes.map(({ key, value }) => [key, value])).toEqual([
      ['sender', devAccount(0).address.toLowerCase()],
      ['recipient', RECIPIENT],
      ['amount', '5'],
    ])
    expect((await client.blockResults(at)).results[0]?.events).toEqual(txResult?.events)
  })

  test('sync returns a hash, and the EVM JSON-RPC finds the transaction', async () => {
    const tx = await transfer(1, 0)
    const { code, hash } = await client.broadcastTxSync({ tx })
    expect([code, hex(hash).toUpperCase()]).toEqual([0, sha256(tx)])
    const receipts = () => call<unknown[]>(daemon.ready.rpc, 'eth_getBlockReceipts', ['latest'])
    await until(async () => (await receipts()).length > 0)
  })

  test('async returns before the mempool has checked it', async () => {
    const tx = await transfer(2, 0)
    expect(hex((await client.broadcastTxAsync({ tx })).hash).toUpperCase()).toBe(sha256(tx))
    const { address } = devAccount(2)
    await until(
      async () => (await call(daemon.ready.rpc, 'eth_getTransactionCount', [address])) === '0x1',
    )
  })

  test('reports an invalid transaction with the broken rule, over GET and POST', async () => {
    const tx = await transfer(0, 0)
    const refusal = 'nonce too low: next nonce 1, tx nonce 0'
    const { result } = await get(`/broadcast_tx_sync?tx=0x${hex(tx)}`)
    expect(result).toEqual({
      code: 1,
      data: '',
      log: refusal,
      codespace: 'evm',
      hash: sha256(tx),
    })
    expect((await get(`/broadcast_tx?tx=0x${hex(tx)}`)).result).toEqual(result)
    const committed = await client.broadcastTxCommit({ tx })
    expect(committed.checkTx).toMatchObject({ code: 1, log: refusal })
    expect(committed.height).toBe(0)
    expect((await get(`/check_tx?tx=0x${hex(tx)}`)).result).toMatchObject({ code: 1, log: refusal })
  })

  test('check_tx does not change the mempool', async () => {
    const tx = await transfer(3, 0)
    expect((await get(`/check_tx?tx=0x${hex(tx)}`)).result).toEqual({
      code: 0,
      data: null,
      log: '',
      info: '',
      gas_wanted: '21000',
      gas_used: '0',
      events: [],
      codespace: '',
    })
    const nonce = await call(daemon.ready.rpc, 'eth_getTransactionCount', [
      devAccount(3).address,
      'pending',
    ])
    expect(nonce).toBe('0x0')
  })

  test('refuses a pending transaction, a missing parameter, and invalid bytes', async () => {
    const tx = await transfer(4, 1)
    await client.broadcastTxSync({ tx })
    expect((await get(`/broadcast_tx_sync?tx=0x${hex(tx)}`)).error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: 'tx already exists in cache',
    })
    expect((await get('/broadcast_tx_sync')).error).toMatchObject({ code: -32602 })
    expect((await get('/broadcast_tx_sync?tx=0xabc')).error).toMatchObject({ code: -32602 })
    expect((await get('/broadcast_tx_sync?tx="hello"')).result).toMatchObject({ code: 1 })
  })
})

interface Listener<T> {
  next(event: T): void
  error(reason: unknown): void
  complete(): void
}

interface EventStream<T> {
  addListener(listener: Listener<T>): void
  removeListener(listener: Listener<T>): void
}

/** Returns the first events of a stream, then unsubscribes. */
async function first<T>(stream: EventStream<T>, count: number): Promise<T[]> {
  const events: T[] = []
  await new Promise<void>((resolve, reject) => {
    const listener = {
      next: (event: T) => {
        events.push(event)
        if (events.length === count) {
          stream.removeListener(listener)
          resolve()
        }
      },
      error: reject,
      complete: () => reject(new Error('the subscription has ended')),
    }
    stream.addListener(listener)
  })
  return events
}

describe('subscriptions', () => {
  let socket: Comet38Client

  beforeAll(() => {
    const url = daemon.ready.consensus.replace('http', 'ws')
    socket = Comet38Client.create(
      new WebsocketClient(url, (error) => {
        throw error
      }),
    )
  })

  afterAll(() => socket.disconnect())

  test('of NewBlock and NewBlockHeader deliver every block once and in order', async () => {
    const [blocks, headers] = await Promise.all([
      first(socket.subscribeNewBlock(), 5),
      first(socket.subscribeNewBlockHeader(), 5),
    ])
    const heights = blocks.map(({ header }) => header.height)
    expect(heights).toEqual(heights.map((_, i) => (heights[0] as number) + i))
    for (const block of blocks) {
      const { header } = (await client.block(block.header.height)).block
      expect(block.header).toEqual(header)
    }
    const [header] = headers
    expect(header).toEqual((await client.block(header?.height)).block.header)
  })

  test('of Tx deliver each matching transaction with its result', async () => {
    const sender = devAccount(5).address.toLowerCase()
    const query = `transfer.sender='${sender}' AND transfer.amount >= 2`
    const events = first(socket.subscribeTx(query), 2)
    // The response to a later request proves that the subscription is active.
    await socket.status()
    const sent: Uint8Array[] = []
    for (const value of [1n, 2n, 3n]) {
      const tx = await transfer(5, sent.length, value)
      sent.push(tx)
      expect((await socket.broadcastTxCommit({ tx })).txResult?.code).toBe(0)
    }
    expect((await events).map(({ tx, hash, result }) => [tx, hex(hash), result.gasUsed])).toEqual(
      sent.slice(1).map((tx) => [tx, sha256(tx).toLowerCase(), 21_000n]),
    )
  })
})

describe('searches', () => {
  const sender = devAccount(6).address.toLowerCase()
  const sent: { readonly tx: Uint8Array; readonly height: number }[] = []

  beforeAll(async () => {
    for (let nonce = 0; nonce < 5; nonce++) {
      const tx = await transfer(6, nonce, BigInt(10 + nonce))
      sent.push({ tx, height: (await client.broadcastTxCommit({ tx })).height as number })
    }
  })

  test('by tx find a transaction by its SHA-256 and by its EVM JSON-RPC hash', async () => {
    const [{ tx, height: at } = { tx: new Uint8Array(0), height: 0 }] = sent
    const found = await client.tx({ hash: fromHex(sha256(tx).toLowerCase()), prove: true })
    expect([found.tx, found.height, found.index]).toEqual([tx, at, 0])
    expect(found.result.gasUsed).toBe(21_000n)
    const { block } = await client.block(at)
    expect(found.proof?.rootHash).toEqual(block.header.dataHash)
    const [event] = found.result.events
    const [hash] = event?.attributes ?? []
    expect(hash?.key).toBe('hash')
    const byEvm = await client.tx({ hash: fromHex(hash?.value.slice(2) ?? '') })
    expect([byEvm.hash, byEvm.proof]).toEqual([found.hash, undefined])
    await expect(client.tx({ hash: new Uint8Array(32) })).rejects.toThrow(/not found/)
  })

  test('by tx_search match sender, amount and height, in either order and page by page', async () => {
    const query = `transfer.sender='${sender}'`
    const all = await client.txSearchAll({ query, per_page: 2 })
    expect(all.totalCount).toBe(5)
    expect(all.txs.map(({ tx }) => tx)).toEqual(sent.map(({ tx }) => tx))
    const heights = async (text: string, order_by: 'asc' | 'desc' = 'asc') => {
      const { txs } = await client.txSearch({ query: text, order_by })
      return txs.map((one) => one.height)
    }
    const expected = sent.map((one) => one.height)
    expect(await heights(query, 'desc')).toEqual([...expected].reverse())
    expect(await heights(`${query} AND transfer.amount > 11 AND transfer.amount < 14`)).toEqual(
      expected.slice(2, 4),
    )
    expect(await heights(`transfer.recipient='${RECIPIENT}' AND tx.height=${expected[3]}`)).toEqual(
      expected.slice(3, 4),
    )
    expect(await heights(`tx.hash='${sha256(sent[1]?.tx ?? new Uint8Array(0))}'`)).toEqual([
      expected[1],
    ])
    expect(await heights(`tx.height >= ${expected[4]} AND message.status=1`)).toEqual([expected[4]])
    expect(await heights(`${query} AND message.status=0`)).toEqual([])
  })

  test('by block_search match heights', async () => {
    const { blocks, totalCount } = await client.blockSearch({
      query: 'block.height > 1 AND block.height <= 4',
    })
    expect([totalCount, blocks.map(({ block }) => block.header.height)]).toEqual([3, [2, 3, 4]])
    const all = await client.blockSearchAll({ query: 'block.height < 4', per_page: 2 })
    expect(all.blocks.map(({ block }) => block.header.height)).toEqual([1, 2, 3])
  })

  test('return the same results after the node was killed, and find later transactions', async () => {
    client.disconnect()
    await daemon.stop('SIGKILL')
    daemon = await startDaemon({ home, arguments: ['--consensus.block-time', '100ms'] })
    client = Comet38Client.create(new HttpClient(daemon.ready.consensus))
    const tx = await transfer(6, 5, 15n)
    await client.broadcastTxCommit({ tx })
    const { txs } = await client.txSearchAll({ query: `transfer.sender='${sender}'` })
    expect(txs.map((one) => one.tx)).toEqual([...sent.map((one) => one.tx), tx])
  })
})
