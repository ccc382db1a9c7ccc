import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import { historyOf, pages, untilIndexed } from '../support/node/address-history.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

const SEED = runSeed() % 100_000
const CHAIN = 31_337

const home = makeHome()
let transactions: readonly Hex[]
let sent = 0
let daemon: Daemon | undefined

beforeAll(async () => {
  const varied = await signVariedBlock(CHAIN, 90, SEED)
  transactions = [varied.deployment, ...varied.transactions]
})

afterAll(async () => {
  await daemon?.stop().catch(() => undefined)
  removeHome(home)
})

async function start(...args: readonly string[]): Promise<string> {
  // A node that a failed test left running.
  await kill()
  daemon = await startDaemon({
    home,
    arguments: ['--chain-id', String(CHAIN), '--consensus.block-time', '50ms', ...args],
  })
  return daemon.ready.rpc
}

async function kill(): Promise<void> {
  await daemon?.stop('SIGKILL')
  daemon = undefined
}

async function stop(): Promise<void> {
  await daemon?.stop()
  daemon = undefined
}

/** Sends the next transactions, and waits for the block of the last one if `isAwaited`. */
async function send(url: string, count: number, isAwaited: boolean): Promise<void> {
  let last: Hex | undefined
  for (const raw of transactions.slice(sent, sent + count)) {
    last = await call<Hex>(url, 'eth_sendRawTransaction', [raw])
  }
  sent += count
  if (isAwaited)
    await until(async () => (await call(url, 'eth_getTransactionReceipt', [last])) !== null)
}

interface Pool {
  readonly pending: Hex
}

interface Found {
  readonly txs: readonly {
    readonly height: string
    readonly index: number
  }[]
  readonly total_count: string
}

/** Returns what the consensus RPC finds for a query, as `height/index`, or the message of its error. */
async function search(query: string): Promise<readonly string[] | string> {
  const places: string[] = []
  for (let page = 1; ; page++) {
    const path = `tx_search?query=${encodeURIComponent(JSON.stringify(query))}&per_page=100&page=${page}`
    const answer = await fetch(`${daemon?.ready.consensus}/${path}`)
    const { result, error } = (await answer.json()) as {
      readonly result?: Found
      readonly error?: { readonly data: string }
    }
    if (result === undefined) return error?.data ?? ''
    places.push(...result.txs.map(({ height, index }) => `${height}/${index}`))
    if (places.length >= Number(result.total_count)) return places
  }
}

interface FullBlock {
  readonly transactions: readonly { readonly from: Hex }[]
}

/** Expects that the consensus RPC finds exactly the transactions of each sender. */
async function expectSearches(url: string): Promise<void> {
  const places = new Map<string, string[]>()
  const latest = Number(await call<Hex>(url, 'eth_blockNumber'))
  for (let height = 1; height <= latest; height++) {
    const number = `0x${height.toString(16)}`
    const { transactions } = await call<FullBlock>(url, 'eth_getBlockByNumber', [number, true])
    for (const [index, { from }] of transactions.entries()) {
      places.set(from, [...(places.get(from) ?? []), `${height}/${index}`])
    }
  }
  expect(places.size).toBeGreaterThan(0)
  for (const [sender, wanted] of places) {
    expect(await search(`message.sender='${sender}'`), sender).toEqual(wanted)
  }
}

/** Expects that the index matches the frames of the chain for every address. */
async function expectExact(url: string): Promise<number> {
  // Pending transactions could enter a block after the frames are read, which only the index would show.
  await until(async () => Number((await call<Pool>(url, 'txpool_status')).pending) === 0)
  const history = await historyOf(url)
  for (const [address, wanted] of history) {
    const { all } = await pages(url, address, 'Before', 25)
    expect(all, address).toEqual(wanted)
  }
  await expectSearches(url)
  return new Set([...history.values()].flat()).size
}

test(`the transaction index is exact after kill -9 at any moment (seed ${SEED})`, async () => {
  let url = await start('--evm.address-index', 'true')
  await send(url, 1, true)
  for (let round = 0; round < 3; round++) {
    await send(url, 12, round === 1)
    await kill()
    url = await start('--evm.address-index', 'true')
    // On a busy machine the killed index may be so far behind that searches are refused until it has caught up.
    await untilIndexed(url)
    await expectExact(url)
  }
  await stop()
})

test('each table is off by its key, and catches up after it is enabled and after kill -9', async () => {
  let url = await start('--evm.address-index', 'false', '--tx-index.indexer', 'null')
  expect(await search('tx.height=1')).toBe(
    'transaction indexing is disabled: set tx-index.indexer = "kv" in config.toml',
  )
  const { error } = await post(url, 'ots_getContractCreator', [`0x${'11'.repeat(20)}`])
  expect(error).toEqual({
    code: -32000,
    message: 'the address index is off: set evm.address_index',
  })
  await send(url, 20, true)
  const height = Number(await call<Hex>(url, 'eth_blockNumber'))
  await until(async () => Number(await call<Hex>(url, 'eth_blockNumber')) > height + 70)
  await stop()
  url = await start('--evm.address-index', 'false')
  await expectSearches(url)
  await stop()
  await start('--evm.address-index', 'true')
  // The first report comes before the first block is written.
  await until(() => daemon?.output().includes('indexing addresses') === true)
  await kill()
  url = await start('--evm.address-index', 'true')
  for (const text of await untilIndexed(url)) {
    expect(text).toMatch(/^the address index is being built: it has block \d+ of \d+$/)
  }
  expect(await expectExact(url)).toBeGreaterThan(30)
  expect(daemon?.output()).toMatch(
    /indexing addresses height=\d+ latest=\d+[\s\S]*addresses are indexed/,
  )
  await stop()
})

test('the transaction index is rolled back with the chain, and verify-db checks it', async () => {
  let url = await start('--evm.address-index', 'true')
  await send(url, 10, true)
  const before = await expectExact(url)
  const height = Number(await call<Hex>(url, 'eth_blockNumber'))
  await stop()
  const rolled = await runCommand(['rollback', '--home', home, '-n', '3'])
  expect(rolled.code, rolled.stderr).toBe(0)
  url = await start('--evm.address-index', 'true')
  await until(async () => Number(await call<Hex>(url, 'eth_blockNumber')) > height)
  expect(await expectExact(url)).toBeLessThanOrEqual(before)
  await stop()
  const verified = await runCommand(['debug', 'verify-db', '--home', home])
  expect(verified.stdout + verified.stderr).toContain('data/address_index.db')
  expect(verified.code, verified.stdout).toBe(0)
})

test('the transaction index drops reverted blocks and indexes their replacements', async () => {
  const url = await start('--evm.address-index', 'true', '--dev.automine', 'true')
  const [from, to] = await call<Hex[]>(url, 'eth_accounts')
  const nonce = await call<Hex>(url, 'eth_getTransactionCount', [from, 'latest'])
  const pay = (value: number) =>
    call<Hex>(url, 'eth_sendTransaction', [{ from, to, value: `0x${value.toString(16)}` }])
  const byNonce = async () => {
    await untilIndexed(url)
    return call(url, 'ots_getTransactionBySenderAndNonce', [from, Number(nonce)])
  }
  for (let round = 1; round <= 5; round++) {
    const snapshot = await call<Hex>(url, 'evm_snapshot')
    const first = await pay(round)
    await pay(round + 10)
    expect(await byNonce()).toBe(first)
    expect(await call(url, 'evm_revert', [snapshot])).toBe(true)
    expect(await byNonce()).toBeNull()
  }
  const last = await pay(99)
  expect(await byNonce()).toBe(last)
  await expectExact(url)
  await kill()
  const again = await start('--evm.address-index', 'true', '--dev.automine', 'true')
  await untilIndexed(again)
  expect(await call(again, 'ots_getTransactionBySenderAndNonce', [from, Number(nonce)])).toBe(last)
  await expectExact(again)
  await stop()
})
