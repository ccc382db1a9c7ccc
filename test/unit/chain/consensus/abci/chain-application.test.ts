import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hexDigits, parseData } from '../../../../../host/base/hex.ts'
import type { AbciServer } from '../../../../../host/chain/consensus/abci/abci-server.ts'
import { ChainApplication } from '../../../../../host/chain/consensus/abci/chain-application.ts'
import { hashTransactions } from '../../../../../host/chain/consensus/comet/block.ts'
import { hashResults } from '../../../../../host/chain/consensus/comet/block-results.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import {
  applicationOf,
  NO_SNAPSHOTS,
  poolGate,
  serveChain,
} from '../../../../support/abci/abci-chain.ts'
import {
  AbciPeer,
  ANSWER,
  commit,
  type DecidedRequest,
  fieldOf,
  finalizeBlock,
  info,
  initChain,
  textOf,
} from '../../../../support/abci/abci-peer.ts'
import {
  type Disks,
  emptyDisks,
  GENESIS_TIME,
  MemoryChain,
} from '../../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'
import { transferAs } from '../impersonated.ts'

const PROCESS_PROPOSAL = 17

describe('the chain behind ABCI', () => {
  let engine: BlockEngine
  let dir: string
  let disks: Disks
  let chain: MemoryChain
  let server: AbciServer
  let peer: AbciPeer
  let transfer: Uint8Array

  beforeAll(async () => {
    engine = await openEngine(await compileEngine())
    transfer = parseData(
      await signDynamicFee(0, { gas: 30_000n, nonce: 0, to: devAccount(1).address, value: 1n }),
    )
  })

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'abci-'))
    disks = emptyDisks()
    await start()
  })

  afterEach(async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  })

  /** Another process on the same disks. */
  async function start(): Promise<void> {
    chain = await MemoryChain.open(engine, { disks })
    server = await serveChain(chain, join(dir, 'app.sock'), () => {})
    peer = await AbciPeer.connect(join(dir, 'app.sock'))
  }

  async function stop(): Promise<void> {
    peer.socket.destroy()
    await server.close()
  }

  async function call(message: Uint8Array): Promise<Uint8Array> {
    const before = peer.answers.length
    peer.send(message)
    const answer = (await peer.receive(before + 1))[before]
    if (answer === undefined) throw new Error('the connection ended')
    if (answer.field === ANSWER.exception) throw new Error(textOf(answer))
    return answer.message
  }

  const begin = () => call(initChain(chain.genesis.consensusChainId, GENESIS_TIME))
  const hashAt = (height: number) => new Uint8Array(32).fill(height)
  const decided = (height: number, transactions: readonly Uint8Array[]): DecidedRequest => ({
    height,
    time: GENESIS_TIME + BigInt(height) * 400_000_000n,
    hash: hashAt(height),
    proposerAddress: new Uint8Array(20).fill(1),
    transactions,
  })
  const header = (height: number) => chain.storage.chain.header(height)

  test('reports the same app hash until the first block, and refuses another chain', async () => {
    const first = await begin()
    await stop()
    await start()
    expect(hexDigits(fieldOf(await begin(), 3))).toBe(hexDigits(fieldOf(first, 3)))
    expect(hexDigits(fieldOf(await call(info()), 5))).toBe(hexDigits(fieldOf(first, 3)))
    await expect(call(initChain('other-1', GENESIS_TIME))).rejects.toThrow(
      `consensus starts chain other-1, but genesis.json belongs to ${chain.genesis.consensusChainId}`,
    )
  })

  test('takes header fields that ABCI omits from the parent, also after a restart', async () => {
    const genesisHash = fieldOf(await begin(), 3)
    const first = await call(finalizeBlock(decided(1, [transfer])))
    await call(commit())
    await stop()
    await start()
    const results = header(1)?.resultsHash
    const second = await call(finalizeBlock(decided(2, [transfer])))
    await call(commit())
    await call(finalizeBlock(decided(3, [])))
    await call(commit())

    expect(header(1)).toMatchObject({
      hash: hashAt(1),
      parentHash: header(0)?.hash,
      stateRoot: genesisHash,
      transactionsRoot: hashTransactions([transfer]),
      receiptsRoot: hashResults([]),
    })
    expect(results).not.toEqual(hashResults([]))
    expect(header(2)).toMatchObject({
      hash: hashAt(2),
      parentHash: hashAt(1),
      stateRoot: fieldOf(first, 5),
      receiptsRoot: results,
    })
    // The repeated transaction is not in the block, but it has a result, which the header counts.
    expect(header(2)?.resultsHash).toEqual(
      hashResults([{ code: 1, data: new Uint8Array(), gasWanted: 30_000n, gasUsed: 0n }]),
    )
    expect(chain.storage.chain.block(2)?.transactions).toEqual([])
    expect(header(3)).toMatchObject({
      stateRoot: fieldOf(second, 5),
      receiptsRoot: header(2)?.resultsHash,
    })
  })

  test('executes an uncommitted block again and returns the same hash', async () => {
    await begin()
    const first = await call(finalizeBlock(decided(1, [transfer])))
    const again = await call(finalizeBlock(decided(1, [transfer])))
    expect(hexDigits(again)).toBe(hexDigits(first))
    // Killed between the two: nothing of the block is stored.
    await stop()
    await start()
    expect(hexDigits(await call(finalizeBlock(decided(1, [transfer]))))).toBe(hexDigits(first))
    await call(commit())
    expect(chain.height).toBe(1)
  })

  test('continues a chain of another consensus engine from its state', async () => {
    await chain.initialise()
    await chain.produce(transfer)
    const appHash = await chain.application.info().lastBlockAppHash
    server.switchTo(applicationOf(chain, 2))
    const state = await call(info())
    expect(hexDigits(fieldOf(state, 5))).toBe(hexDigits(appHash))
    expect(hexDigits(fieldOf(await begin(), 3))).toBe(hexDigits(appHash))
    await call(finalizeBlock(decided(2, [])))
    await call(commit())
    expect(header(1)?.resultsHash).not.toEqual(hashResults([]))
    expect(header(2)).toMatchObject({
      parentHash: header(1)?.hash,
      stateRoot: appHash,
      receiptsRoot: hashResults([]),
    })
  })

  test('votes against a proposal of another height and halts at such a block', async () => {
    await begin()
    expect([...(await call(finalizeBlock(decided(1, []), PROCESS_PROPOSAL)))]).toEqual([8, 1])
    expect([...(await call(finalizeBlock(decided(2, []), PROCESS_PROPOSAL)))]).toEqual([8, 2])
    expect([...(await call(finalizeBlock(decided(0, []), PROCESS_PROPOSAL)))]).toEqual([8, 2])
    await expect(call(finalizeBlock(decided(2, [])))).rejects.toThrow(
      'block 2 cannot follow height 0, the last one that the application has committed',
    )
  })

  test('votes against an impersonated transaction, and ignores one that was decided', async () => {
    await begin()
    const forged = transferAs(parseData(devAccount(0).address), { chainId: 31337n })
    expect([...(await call(finalizeBlock(decided(1, [forged]), PROCESS_PROPOSAL)))]).toEqual([8, 2])
    await call(finalizeBlock(decided(1, [forged])))
    await call(commit())
    expect(chain.storage.chain.block(1)?.transactions).toEqual([])
  })

  test('refuses a commit without a finalized block', async () => {
    await begin()
    await expect(call(commit())).rejects.toThrow('commit without a finalized block')
  })

  test('answers a failed query with an error code', async () => {
    const application = new ChainApplication({
      application: chain.application,
      chain: chain.storage.chain,
      query: {
        query: () => Promise.reject(new Error('900 queries of the state are already waiting')),
      },
      gate: poolGate(chain),
      snapshots: NO_SNAPSHOTS,
      initialHeight: 1,
    })
    const request = { path: '/store/bank/key', data: new Uint8Array(), height: 0, prove: false }
    expect(await application.query(request)).toMatchObject({
      code: 111222,
      codespace: 'sdk',
      log: '900 queries of the state are already waiting',
    })
  })
})
