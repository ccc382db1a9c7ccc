import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatData, formatQuantity, type Hex } from '../../host/base/hex.ts'
import type { UnsignedTransaction } from '../../host/evm/chain-types/transaction-codec.ts'
import { PLAIN_FIELDS } from '../support/engine/unsigned-sender.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { call, post, type RpcAnswer } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { ThrowawayKey } from './process/throwaway-key.ts'

const GWEI = 10n ** 9n
const seed = runSeed()

let home: string
let daemon: Daemon | undefined
beforeEach(() => {
  home = makeHome()
})
afterEach(async () => {
  await daemon?.stop()
  daemon = undefined
  removeHome(home)
})

/** Starts a development chain on which these accounts have funds, and which makes no block by the clock. */
async function start(keys: readonly ThrowawayKey[], options: readonly string[] = []) {
  await initializeValidator(home)
  const path = join(home, 'config', 'genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8'))
  const balance = String(10n ** 22n)
  for (const { address } of keys) genesis.app_state.evm.alloc[address] = { balance }
  writeFileSync(path, JSON.stringify(genesis))
  const clock = ['--consensus.block-time', '1h']
  daemon = await startDaemon({ home, arguments: [...clock, ...options] })
  return daemon.ready
}

const sign = (key: ThrowawayKey, chainId: number, fields: Partial<UnsignedTransaction>) =>
  key.sign({
    ...PLAIN_FIELDS,
    type: 2,
    chainId: BigInt(chainId),
    nonce: 0n,
    maxPriorityFeePerGas: GWEI,
    maxFeePerGas: 1_000n * GWEI,
    gas: 21_000n,
    to: new Uint8Array(20).fill(0xee),
    value: 1n,
    ...fields,
  })

const hashOf = (raw: Uint8Array): Hex => formatData(keccak_256(raw))

async function postBatch(rpc: string, raws: readonly Uint8Array[]): Promise<RpcAnswer[]> {
  const requests = raws.map((raw, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransaction',
    params: [formatData(raw)],
  }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpc, { method: 'POST', headers, body: JSON.stringify(requests) })
  return (await response.json()) as RpcAnswer[]
}

const status = (rpc: string) => call<{ pending: Hex; queued: Hex }>(rpc, 'txpool_status')

test(`50,000 transfers sent in random nonce order are all accepted and included (LOCKSTEP_SEED=${seed})`, async () => {
  const SENDERS = 125
  const EACH = 400
  const BATCH = 100
  const CONNECTIONS = 7
  const keys = Array.from({ length: SENDERS }, (_, at) => new ThrowawayKey(at))
  const { rpc, chainId } = await start(keys)
  const random = makeRandom(seed)
  const raws = keys
    .flatMap((key) => Array.from({ length: EACH }, (_, nonce) => ({ key, nonce, at: random() })))
    .sort((a, b) => a.at - b.at)
    .map(({ key, nonce }) => sign(key, chainId, { nonce: BigInt(nonce) }))

  let next = 0
  const sendSome = async () => {
    for (let from = next; from < raws.length; from = next) {
      next += BATCH
      const batch = raws.slice(from, from + BATCH)
      const answers = await postBatch(rpc, batch)
      expect(answers).toEqual(batch.map((raw, id) => ({ jsonrpc: '2.0', id, result: hashOf(raw) })))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome))
  expect(await status(rpc)).toEqual({ pending: '0xc350', queued: '0x0' })

  const included: Hex[] = []
  for (let height = 1 + Number(await call(rpc, 'eth_blockNumber')); ; height++) {
    await call(rpc, 'evm_mine')
    const number = formatQuantity(height)
    const block = await call<{ transactions: Hex[] }>(rpc, 'eth_getBlockByNumber', [number, false])
    if (block.transactions.length === 0) break
    included.push(...block.transactions)
  }
  expect(included.sort()).toEqual(raws.map(hashOf).sort())
  expect(await status(rpc)).toEqual({ pending: '0x0', queued: '0x0' })
}, 600_000)

test('a pool full of the largest transactions refuses with its limit and the remedy, and accepts one that pays more', async () => {
  const MAX_BYTES = 16 << 20
  const keys = Array.from({ length: 200 }, (_, at) => new ThrowawayKey(at))
  const { rpc, chainId } = await start(keys, ['--mempool.max-txs-bytes', String(MAX_BYTES)])
  const large = { data: new Uint8Array(130_000), gas: 2_000_000n }
  const taken: Hex[] = []
  let bytes = 0

  /** Sends from one account after another until one transaction is refused. */
  const fill = async (fields: Partial<UnsignedTransaction>) => {
    for (;;) {
      const raw = sign(keys[taken.length] as ThrowawayKey, chainId, fields)
      const { result, error } = await post(rpc, 'eth_sendRawTransaction', [formatData(raw)])
      const memory = raw.length + 2_400
      if (error !== undefined) {
        expect(bytes + memory).toBeGreaterThan(MAX_BYTES)
        return error
      }
      expect(result).toBe(hashOf(raw))
      taken.push(hashOf(raw))
      bytes += memory
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
    }
  }
  const refusal = {
    code: -32000,
    message: `transaction underpriced: the pool is full (mempool.max-txs-bytes ${MAX_BYTES}) and effective gas tip ${GWEI} is not above the lowest held; send it again later, or with a higher priority fee`,
  }
  expect(await fill(large)).toEqual(refusal)
  expect(taken).toHaveLength(126)
  expect(await fill({})).toEqual(refusal)
  const waiting = formatQuantity(taken.length)
  expect(await status(rpc)).toEqual({ pending: waiting, queued: '0x0' })

  const better = sign(keys.at(-1) as ThrowawayKey, chainId, { maxPriorityFeePerGas: 2n * GWEI })
  expect(await call(rpc, 'eth_sendRawTransaction', [formatData(better)])).toBe(hashOf(better))
  expect(await status(rpc)).toEqual({ pending: waiting, queued: '0x0' })
  await call(rpc, 'evm_mine')
  const mined = await call<{ transactions: Hex[] }>(rpc, 'eth_getBlockByNumber', ['latest', false])
  expect(mined.transactions[0]).toBe(hashOf(better))
}, 300_000)
