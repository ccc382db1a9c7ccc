import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { concatBytes, EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import { NextBlockOverrides } from '../../../../../host/chain/dev/next-block-overrides.ts'
import {
  decodeAccount,
  EMPTY_CODE_HASH,
  encodeAccount,
} from '../../../../../host/evm/state/account.ts'
import { openTestFork, type TestFork } from '../../../../support/dev/test-fork.ts'
import { call, post } from '../../../../support/node/json-rpc.ts'
import {
  type FakeBehaviour,
  type FakeCall,
  type FakeNode,
  FakeRefusal,
  startFakeNode,
} from '../../../../support/rpc/fake-node.ts'
import { FAR_CHAIN_ID, FarChain, HOLDER, SUM, SUMMER } from './far-chain.ts'

const BLOCK = 5
const LAST = 8

let folder: string
let chain: FarChain
const closing: (() => Promise<void>)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-far-'))
  chain = new FarChain(LAST)
})

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function far(behaviour: FakeBehaviour = {}): Promise<FakeNode> {
  const node = await startFakeNode({ answer: (asked) => chain.answer(asked), ...behaviour })
  closing.push(() => node.stop())
  return node
}

async function forkOf({ url }: Pick<FakeNode, 'url'>, block = BLOCK): Promise<TestFork> {
  const fork = await openTestFork({ url, block, folder })
  closing.push(() => fork.close())
  return fork
}

const sum = (url: string) => call<string>(url, 'eth_call', [{ to: SUMMER }, 'latest'])
const hex = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** The answers of a node, except for calls that `other` answers. */
const except = (other: (asked: FakeCall) => unknown) => ({
  answer: (asked: FakeCall) => other(asked) ?? chain.answer(asked),
})

describe('a forked chain', () => {
  test('has the state, hash and chain id at its block', async () => {
    const { url } = await forkOf(await far())
    expect(await call(url, 'eth_blockNumber')).toBe('0x5')
    expect(await call(url, 'eth_chainId')).toBe(`0x${FAR_CHAIN_ID.toString(16)}`)
    expect(await call(url, 'eth_getBlockByNumber', ['latest', false])).toMatchObject({
      number: '0x5',
      hash: chain.hashOf(BLOCK),
    })
    expect(await call(url, 'eth_getBalance', [HOLDER, 'latest'])).toBe('0xde0b6b3a7640000')
    expect(await call(url, 'eth_getTransactionCount', [HOLDER, 'pending'])).toBe('0x7')
    expect(await call(url, 'eth_getStorageAt', [SUMMER, '0x3', 'latest'])).toBe(hex(3))
    expect(await sum(url)).toBe(hex(SUM))
  })

  test('makes the pending block itself, also before it has a block of its own', async () => {
    const node = await far()
    const { url } = await forkOf(node)
    expect(await call(url, 'eth_getBlockByNumber', ['pending', false])).toMatchObject({
      number: '0x6',
      hash: null,
      parentHash: chain.hashOf(BLOCK),
    })
    const traced = await call(url, 'debug_traceCall', [{ to: SUMMER }, 'pending', {}])
    expect(traced).toMatchObject({ failed: false, returnValue: hex(SUM) })
    expect(await call(url, 'debug_traceBlockByNumber', ['pending'])).toEqual([])
  })

  test('fetches the values that a call reads in few requests', async () => {
    const node = await far()
    const { url } = await forkOf(node)
    const before = node.requests.length
    expect(await sum(url)).toBe(hex(SUM))
    expect(node.requests.length - before).toBeLessThanOrEqual(3)
    const asked = node.requests.length
    expect(await sum(url)).toBe(hex(SUM))
    expect(node.requests.length).toBe(asked)
  })

  test('requests its state by block hash, so that no other block can replace it', async () => {
    const states: unknown[] = []
    const node = await far(
      except(({ method, params }) => {
        if (method === 'eth_getStorageAt') states.push(params[2])
        return undefined
      }),
    )
    const { url } = await forkOf(node)
    await sum(url)
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(
      new Set([JSON.stringify({ blockHash: chain.hashOf(BLOCK) })]),
    )
  })

  test('requests state by number if the node does not accept hashes', async () => {
    const node = await far(
      except(({ params }) =>
        typeof params.at(-1) === 'object' ? new FakeRefusal(-32602, 'invalid argument') : undefined,
      ),
    )
    const { url } = await forkOf(node)
    expect(await sum(url)).toBe(hex(SUM))
  })

  test('fetches state for traces that run on threads', async () => {
    const { url } = await forkOf(await far())
    const options = { tracer: 'prestateTracer' }
    const traced = await call(url, 'debug_traceCall', [{ to: SUMMER }, 'latest', options])
    expect(
      Object.keys((traced as Record<string, { storage: object }>)[SUMMER]?.storage ?? {}).length,
    ).toBe(60)
    const struct = await call(url, 'debug_traceCall', [{ to: SUMMER }, 'latest', {}])
    expect(struct).toMatchObject({ failed: false, returnValue: hex(SUM) })
  })

  test('continues with the time, base fee and number of its block', async () => {
    const { opened, url } = await forkOf(await far())
    const made = await opened.chain.make({ timestamp: 0 })
    expect(made.block.header).toMatchObject({
      number: BLOCK + 1,
      // Blocks of a development chain may share a second.
      timestamp: 1_800_000_000 + 12 * BLOCK,
      baseFeePerGas: 875_000_000n,
      gasLimit: 30_000_000n,
    })
    expect(await sum(url)).toBe(hex(SUM))
    expect(await call(url, 'eth_getBalance', [HOLDER, '0x5'])).toBe('0xde0b6b3a7640000')
  })

  test('can be amended, continued and reverted', async () => {
    const { opened, url } = await forkOf(await far())
    const { chain: made } = opened
    const balance = () => call(url, 'eth_getBalance', [HOLDER, 'latest'])
    const record = encodeAccount({ nonce: 9n, balance: 1n, codeHash: EMPTY_CODE_HASH })
    const accounts = concatBytes([parseData(HOLDER), record])
    await made.amend(async (view) => {
      expect(decodeAccount(await view.account(parseData(HOLDER))).nonce).toBe(7n)
      return { accounts, cleared: EMPTY_BYTES, storage: EMPTY_BYTES, codes: [] }
    })
    expect(await balance()).toBe('0x1')
    expect(await call(url, 'eth_getTransactionCount', [HOLDER, 'pending'])).toBe('0x9')
    await made.make({ timestamp: 0 })
    expect(await balance()).toBe('0x1')
    const settings = new NextBlockOverrides().state
    const goesOn = { snapshots: new Map(), nextSnapshot: 1n, offset: 0n, settings }
    await made.cut({ height: BLOCK, amendments: 0, record: goesOn })
    expect(await call(url, 'eth_blockNumber')).toBe('0x5')
    expect(await balance()).toBe('0xde0b6b3a7640000')
    expect((await made.make({ timestamp: 0 })).block.header.number).toBe(BLOCK + 1)
    expect(await balance()).toBe('0xde0b6b3a7640000')
  })

  test('forwards queries for earlier blocks, and hides later blocks of the origin', async () => {
    const node = await far()
    const { url } = await forkOf(node)
    expect(await call(url, 'eth_getBlockByNumber', ['0x2', false])).toMatchObject({
      hash: chain.hashOf(2),
    })
    expect(await call(url, 'eth_getBlockByHash', [chain.hashOf(2), false])).toMatchObject({
      number: '0x2',
    })
    expect(await call(url, 'eth_getBlockByHash', [chain.hashOf(BLOCK + 1), false])).toBeNull()
    expect(await call(url, 'eth_getBlockByNumber', ['0x6', false])).toBeNull()
  })

  test('forwards the error code, message and data of the origin', async () => {
    const node = await far(
      except(({ method }) =>
        method === 'eth_call' ? new FakeRefusal(3, 'execution reverted: no') : undefined,
      ),
    )
    const { url } = await forkOf(node)
    expect(await post(url, 'eth_call', [{ to: SUMMER }, '0x1'])).toMatchObject({
      error: { code: 3, message: 'execution reverted: no' },
    })
  })
})

describe('a second run of a fork', () => {
  test('requests no state that the first run has already read', async () => {
    const node = await far()
    const first = await forkOf(node)
    expect(await sum(first.url)).toBe(hex(SUM))
    await first.opened.chain.make({ timestamp: 0 })
    await (closing.pop() as () => Promise<void>)()
    await node.stop()
    const { url, opened } = await forkOf(node)
    expect(opened.fork.isOffline).toBe(true)
    expect(await sum(url)).toBe(hex(SUM))
    expect((await opened.chain.make({ timestamp: 0 })).block.header.number).toBe(BLOCK + 1)
    expect(await post(url, 'eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'])).toMatchObject({
      error: { code: -32000, message: expect.stringContaining(node.url) },
    })
  })

  test('does not use the block of another chain with the same id and number', async () => {
    const first = await forkOf(await far())
    expect(await sum(first.url)).toBe(hex(SUM))
    const other = await far(
      except(({ method, params }) => {
        if (method === 'eth_getStorageAt') return hex(1)
        const block = chain.answer({ method, params }) as { extraData?: string } | null
        return block?.extraData === undefined ? undefined : { ...block, hash: hex(77) }
      }),
    )
    const second = await forkOf(other)
    expect(await sum(second.url)).toBe(hex(60))
  })

  test('shares the cache with a concurrent run', async () => {
    const node = await far()
    const [one, two] = [await forkOf(node), await forkOf(node)]
    expect(await sum(one.url)).toBe(hex(SUM))
    const asked = node.requests.length
    expect(await sum(two.url)).toBe(hex(SUM))
    expect(node.requests.length).toBe(asked)
  })

  test('replaces a damaged cache', async () => {
    const node = await far()
    const first = await forkOf(node)
    expect(await sum(first.url)).toBe(hex(SUM))
    await (closing.pop() as () => Promise<void>)()
    const [dir = ''] = readdirSync(join(folder, 'cache', String(FAR_CHAIN_ID)))
    const file = join(folder, 'cache', String(FAR_CHAIN_ID), dir, 'state', 'data.mdb')
    writeFileSync(file, Buffer.alloc(8192, 7))
    const { url } = await forkOf(node)
    expect(await sum(url)).toBe(hex(SUM))
  })
})

describe('an origin node that', () => {
  test('limits the request rate is asked again', async () => {
    let refusals = 3
    const node = await far({
      raw: (response, calls) => {
        if (calls[0]?.method !== 'eth_getStorageAt' || refusals === 0) return false
        refusals--
        response.writeHead(429, { 'retry-after': '0' }).end()
        return true
      },
    })
    const { url } = await forkOf(node)
    expect(await sum(url)).toBe(hex(SUM))
    expect(refusals).toBe(0)
  })

  test('has no state for the block is reported with its error', async () => {
    const node = await far(
      except(({ method }) =>
        method === 'eth_getStorageAt'
          ? new FakeRefusal(-32000, 'missing trie node 12ab')
          : undefined,
      ),
    )
    const { url } = await forkOf(node)
    const { error } = await post(url, 'eth_call', [{ to: SUMMER }, 'latest'])
    expect(error).toMatchObject({ code: 4444 })
    expect(error?.message).toBe(
      `${node.url}: eth_getStorageAt is refused: missing trie node 12ab (-32000): the fork reads the state after block 5 there`,
    )
  })

  test('returns a false storage value is not trusted', async () => {
    const node = await far(
      except(({ method }) => (method === 'eth_getStorageAt' ? '0xnone' : undefined)),
    )
    const { url } = await forkOf(node)
    const { error } = await post(url, 'eth_call', [{ to: SUMMER }, 'latest'])
    expect(error?.message).toContain('eth_getStorageAt')
    expect(error?.message).toContain('want')
  })

  test('returns another block than requested is not trusted', async () => {
    const node = await far(
      except(({ method }) =>
        method === 'eth_getBlockByNumber'
          ? chain.answer({ method, params: ['0x3', true] })
          : undefined,
      ),
    )
    await expect(forkOf(node)).rejects.toThrow('block 3 came for block 5')
  })

  test('returns a block of a public network with a wrong hash is not trusted', async () => {
    chain = new FarChain(LAST, 1n)
    const node = await far(
      except(({ method, params }) =>
        method === 'eth_getBlockByNumber'
          ? { ...(chain.answer({ method, params }) as object), hash: hex(1) }
          : undefined,
      ),
    )
    await expect(forkOf(node)).rejects.toThrow('do not give its hash')
  })

  test('returns a block at the end of the year 9999 is refused, since no block can follow it', async () => {
    const node = await far(
      except(({ method, params }) =>
        method === 'eth_getBlockByNumber'
          ? { ...(chain.answer({ method, params }) as object), timestamp: '0x3afff4417f' }
          : undefined,
      ),
    )
    await expect(forkOf(node)).rejects.toThrow(
      /the timestamp 253402300799 of block 5 is not before the end of the year 9999/,
    )
  })

  test('has not reached the block is reported with its latest block', async () => {
    const node = await far()
    await expect(forkOf(node, 99)).rejects.toThrow(`${node.url} has no block 99: its latest is 8`)
  })

  test('dies in the middle of a block leaves the chain unchanged', async () => {
    let isDead = false
    const node = await far({
      raw: (response) => {
        if (isDead) response.destroy()
        return isDead
      },
    })
    const { opened, url } = await forkOf(node)
    isDead = true
    await expect(opened.chain.make({ timestamp: 0 })).rejects.toThrow(node.url)
    expect(await call(url, 'eth_blockNumber')).toBe('0x5')
    isDead = false
    expect((await opened.chain.make({ timestamp: 0 })).block.header.number).toBe(BLOCK + 1)
  })
})
