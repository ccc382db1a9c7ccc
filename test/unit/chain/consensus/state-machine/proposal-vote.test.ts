import { beforeAll, describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { fragileBatch } from '../../../../support/engine/fragile-batch.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'

const GWEI = 10n ** 9n
const signal = new Error('broken')

let engine: BlockEngine
/** Transfers of the first account with nonces from 0 on. */
let transfers: readonly Uint8Array[]

beforeAll(async () => {
  engine = await openEngine(await compileEngine())
  transfers = await Promise.all(Array.from({ length: 6 }, async (_, nonce) => transfer(0, nonce)))
}, 120_000)

async function transfer(
  from: number,
  nonce: number,
  chainId = 31337,
  gas = 21_000n,
): Promise<Uint8Array> {
  const raw = await signDynamicFee(from, {
    chainId,
    gas,
    nonce,
    to: devAccount(1).address,
    value: 1n,
  })
  return parseData(raw)
}

/** Returns an engine with another `executeBatch`. */
function withBatch(executeBatch: BlockEngine['executeBatch']): BlockEngine {
  return {
    beginBlock: (env) => engine.beginBlock(env),
    transact: (input, options) => engine.transact(input, options),
    executeBatch,
    includeApplied: (transaction) => engine.includeApplied(transaction),
    blockBloom: () => engine.blockBloom(),
    systemCall: (to, data) => engine.systemCall(to, data),
    isUsable: true,
    diff: () => engine.diff(),
    accessList: () => engine.accessList(),
    readWriteSet: () => engine.readWriteSet(),
    applySet: (footprint) => engine.applySet(footprint),
    keccak256: (bytes) => engine.keccak256(bytes),
    recoverAddress: (...signature) => engine.recoverAddress(...signature),
    forgetCode: () => engine.forgetCode(),
  }
}

async function openChain(used: BlockEngine, verifyProposals = true): Promise<MemoryChain> {
  const chain = await MemoryChain.open(used, { verifyProposals })
  await chain.initialise()
  return chain
}

const appHashOf = ({ application }: MemoryChain) => application.info().lastBlockAppHash

describe('a validator', () => {
  test.each([
    ['what does not decode', async () => Uint8Array.of(1, 2, 3)],
    ['a nonce out of order', async () => transfers[5] as Uint8Array],
    ['a transaction of another chain', async () => transfer(0, 0, 1)],
  ])('votes against a block with %s, which has no effect if it is decided', async (_, make) => {
    const chain = await openChain(engine)
    const good = await transfer(2, 0)
    const request = await chain.request([await make(), good])
    expect(await chain.application.processProposal(request)).toBe(false)
    const { txResults } = await chain.application.finalizeBlock(request)
    expect(txResults.map(({ code, gasUsed }) => [code, gasUsed])).toEqual([
      [1, 0n],
      [0, 21_000n],
    ])
    await chain.application.commit()
    expect(chain.storage.chain.receipts(1)).toHaveLength(1)
    expect(chain.storage.chain.block(1)?.transactions).toEqual([good])
    expect(chain.mempool.nextNonce(parseData(devAccount(0).address))).toBe(0n)
  })

  test('votes against a wrong height or app hash and does not execute the block', async () => {
    const chain = await openChain(engine)
    const request = await chain.request([])
    const ahead = { ...request, height: 2 }
    const foreign = { ...request, appHash: new Uint8Array(32).fill(9) }
    expect(await chain.application.processProposal(ahead)).toBe(false)
    expect(await chain.application.processProposal(foreign)).toBe(false)
    await expect(chain.application.finalizeBlock(ahead)).rejects.toMatchObject({
      code: 'CONSENSUS_FAILURE',
    })
    await expect(chain.application.finalizeBlock(foreign)).rejects.toMatchObject({
      code: 'APP_HASH_MISMATCH',
      message: expect.stringMatching(
        /^wrong Block\.Header\.AppHash\. Expected [0-9A-F]{64}, got 09/,
      ),
    })
    await expect(chain.application.commit()).rejects.toThrow('commit without a finalized block')
  })

  test('votes against a block whose transaction exhausts the engine, and continues', async () => {
    const chain = await openChain(withBatch(fragileBatch(engine, ({ nonce }) => nonce === 1n)))
    const { application } = chain
    const [first, second] = transfers as readonly [Uint8Array, Uint8Array]
    expect(await application.processProposal(await chain.request([first, second]))).toBe(false)
    expect(await application.processProposal(await chain.request([first]))).toBe(true)
    expect((await chain.decide([first])).receipts).toHaveLength(1)
  })

  test('reports a fault of its own node instead of voting', async () => {
    const chain = await openChain(
      withBatch(() => {
        throw signal
      }),
    )
    const request = await chain.request([transfers[0] as Uint8Array])
    await expect(chain.application.processProposal(request)).rejects.toBe(signal)
  })

  test('judges a proposal by executing it, not by the contents of its own pool', async () => {
    const chain = await openChain(engine)
    // The pool accepts no unprotected transaction and no tip below its minimum, but a block may contain both.
    const unprotected = parseData(
      await devAccount(0).signTransaction({
        type: 'legacy',
        nonce: 0,
        gas: 21_000n,
        gasPrice: 10n * GWEI,
        to: devAccount(1).address,
      }),
    )
    await expect(chain.mempool.add(unprotected)).rejects.toThrow('only replay-protected')
    expect(await chain.application.processProposal(await chain.request([unprotected]))).toBe(true)
    // Conversely, a transaction is not valid only because it is in the pool.
    await chain.mempool.add(transfers[1] as Uint8Array)
    const gap = await chain.request([transfers[1] as Uint8Array])
    expect(await chain.application.processProposal(gap)).toBe(false)
  })

  describe('that trusts proposals', () => {
    let executions = 0
    const trusting = () => {
      executions = 0
      const counted = withBatch((transactions) => {
        executions += transactions.length
        return engine.executeBatch(transactions)
      })
      return openChain(counted, false)
    }

    test('votes for a well-formed block of its chain without executing it', async () => {
      const chain = await trusting()
      // Execution would exclude it: its nonce is five too high.
      const request = await chain.request([transfers[5] as Uint8Array])
      expect(await chain.application.processProposal(request)).toBe(true)
      expect(await chain.application.processProposal({ ...request, height: 2 })).toBe(false)
      const elsewhere = { ...request, appHash: new Uint8Array(32) }
      expect(await chain.application.processProposal(elsewhere)).toBe(false)
      expect(executions).toBe(0)
    })

    test.each([
      ['what does not decode', async () => Uint8Array.of(1, 2, 3)],
      ['nothing', async () => EMPTY_BYTES],
      ['a transaction of another chain', async () => transfer(0, 0, 1)],
      ['more gas than a block has', async () => transfer(0, 0, 31337, 100_000_001n)],
      ['a blob', async () => Uint8Array.of(3, ...(transfers[0] as Uint8Array).subarray(1))],
    ])('votes against %s', async (_, make) => {
      const chain = await trusting()
      const request = await chain.request([transfers[0] as Uint8Array, await make()])
      expect(await chain.application.processProposal(request)).toBe(false)
      expect(executions).toBe(0)
    })

    test('executes a decided block with the results of all other validators', async () => {
      const [one, other] = [await trusting(), await openChain(engine)]
      const raws = [transfers[0] as Uint8Array, transfers[5] as Uint8Array]
      for (const chain of [one, other]) await chain.decide(raws)
      expect(await appHashOf(one)).toEqual(await appHashOf(other))
    })
  })
})
