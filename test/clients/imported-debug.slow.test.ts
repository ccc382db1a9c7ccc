import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'

// Tests of methods that need a chain with its own state roots: the chain of execution-apis, imported from its file.

const CHAIN = join(process.env.LOCKSTEP_VECTORS ?? '', 'tracers/execution-apis/tests')
const BLOCKS = 54
/** SHA-256 of no bytes: a block without requests (EIP-7685). */
const NO_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Block {
  readonly hash: string
  readonly stateRoot: string
  readonly transactions: readonly string[]
  readonly difficulty: string
  readonly withdrawals?: readonly unknown[]
  readonly requestsHash?: string
}

/** Returns true if the state does not change after the transactions: no reward, no withdrawals, no requests. */
function endsWithItsTransactions({ difficulty, withdrawals, requestsHash }: Block): boolean {
  const hasRequests = requestsHash !== undefined && requestsHash !== NO_REQUESTS
  return difficulty === '0x0' && (withdrawals ?? []).length === 0 && !hasRequests
}

describe.skipIf(!existsSync(join(CHAIN, 'chain.rlp')))('an imported chain', () => {
  const home = makeHome()
  let daemon: Daemon
  const blocks: Block[] = []
  const ask = <T>(method: string, ...params: unknown[]) => call<T>(daemon.ready.rpc, method, params)

  beforeAll(async () => {
    const genesis = ['--genesis', join(CHAIN, 'genesis.json')]
    const imported = await runCommand([
      'import',
      join(CHAIN, 'chain.rlp'),
      ...genesis,
      '--home',
      home,
    ])
    expect(imported.code).toBe(0)
    daemon = await startDaemon({ home, dev: false })
    for (let height = 0; height <= BLOCKS; height++) {
      blocks.push(await ask<Block>('eth_getBlockByNumber', `0x${height.toString(16)}`, false))
    }
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  test('returns the same traces of a block by its RLP as by its number', async () => {
    let traced = 0
    for (const [height, { transactions }] of blocks.entries()) {
      if (transactions.length === 0) continue
      const number = `0x${height.toString(16)}`
      const raw = await ask('debug_getRawBlock', number)
      const options = { tracer: 'callTracer' }
      const byNumber = await ask<unknown[]>('debug_traceBlockByNumber', number, options)
      expect(byNumber).toHaveLength(transactions.length)
      expect(await ask('debug_traceBlock', raw, options)).toEqual(byNumber)
      traced += transactions.length
    }
    expect(traced).toBeGreaterThan(BLOCKS)
  })

  test('has a state root after each transaction, the last of which equals the header’s if no change follows', async () => {
    const heads: string[] = []
    for (const block of blocks.slice(1)) {
      if (block.transactions.length === 0) continue
      const roots = await ask<string[]>('debug_intermediateRoots', block.hash)
      expect(new Set(roots).size).toBe(block.transactions.length)
      expect(roots.at(-1) === block.stateRoot).toBe(endsWithItsTransactions(block))
      if (roots.at(-1) === block.stateRoot) heads.push(block.hash)
    }
    expect(heads).toHaveLength(12)
  })
})
