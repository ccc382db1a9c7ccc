import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../host/base/config/load.ts'
import { hexDigits, parseData } from '../../../host/base/hex.ts'
import { createLogger } from '../../../host/base/log/pino-logger.ts'
import type { EvmApplication } from '../../../host/chain/consensus/state-machine/evm-application.ts'
import { Disposables } from '../../../host/node/disposables.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { openChain } from '../../../host/node/open/open-chain.ts'
import { openStores } from '../../../host/node/open/open-stores.ts'
import type { Storage } from '../../../host/storage/store/storage.ts'
import { devGenesis, GENESIS_TIME } from '../../support/chain/memory-chain.ts'
import { signVariedBlock } from '../../support/chain/varied-block.ts'
import { makeHome, removeHome } from '../../support/node/daemon.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'

const GENESIS = devGenesis()
const PER_BLOCK = 9
/** Height after which the node is restarted. */
const RESTART = 5

interface Run {
  /** After each height, in ascending order. */
  readonly appHashes: string[]
  readonly blockHashes: string[]
  /** Account of the sender after each height. */
  readonly accounts: string[]
  readonly statuses: number[]
  readonly hasEvmStore: boolean
}

/** Runs the blocks through the node's own state machine, on a home with these settings. */
async function run(
  blocks: readonly (readonly Uint8Array[])[],
  settings: Readonly<Record<string, string>>,
): Promise<Run> {
  const home = homeAt(makeHome())
  onTestFinished(() => removeHome(home.root))
  const { config } = loadConfig({
    directory: home.config.directory,
    environment: {},
    flags: new Map(Object.entries(settings)),
  })
  const logger = createLogger({ level: 'error', format: 'plain', write: () => {} })
  const onError = (error: unknown): void => {
    throw error
  }
  const appHashes: string[] = []
  let closers = new Disposables()
  const open = async (): Promise<[EvmApplication, Storage]> => {
    closers = new Disposables()
    const stores = await openStores(home, config, logger, closers, onError)
    const options = { home, config, genesis: GENESIS, stores, logger, onError }
    const { application } = await openChain(options, closers)
    return [application, stores.storage]
  }
  try {
    let [application, storage] = await open()
    const { appHash } = await application.initChain({
      chainId: GENESIS.consensusChainId,
      time: GENESIS.time,
      initialHeight: 1,
      validators: [],
    })
    appHashes.push(hexDigits(appHash))
    for (const [index, transactions] of blocks.entries()) {
      const height = index + 1
      const finalized = await application.finalizeBlock({
        height,
        time: GENESIS_TIME + BigInt(height) * 400_000_000n,
        proposerAddress: new Uint8Array(20),
        hash: new Uint8Array(32).fill(height),
        parentHash: height === 1 ? new Uint8Array() : new Uint8Array(32).fill(height - 1),
        dataHash: new Uint8Array(32),
        lastResultsHash: new Uint8Array(32),
        appHash: await application.info().lastBlockAppHash,
        transactions,
        misbehavior: [],
        votes: [],
      })
      await application.commit()
      appHashes.push(hexDigits(await finalized.appHash))
      if (height !== RESTART) continue
      await closers.close()
      ;[application, storage] = await open()
    }
    const { chain, state } = storage
    const heights = Array.from({ length: chain.latest + 1 }, (_, height) => height)
    const sender = parseData(devAccount(1).address)
    return {
      appHashes,
      blockHashes: heights.map((height) => hexDigits(chain.header(height)?.hash as Uint8Array)),
      accounts: heights.map((height) =>
        hexDigits(state.view(height).account(sender) as Uint8Array),
      ),
      statuses: heights.flatMap(
        (height) => chain.receipts(height)?.map(({ status }) => status) ?? [],
      ),
      hasEvmStore: existsSync(join(home.data.directory, 'evm_ss')),
    }
  } finally {
    await closers.close()
  }
}

test('the app hash is the same with and without the split at every height', async () => {
  const { deployment, transactions } = await signVariedBlock(31337, 90, 11)
  const raws = transactions.map((raw) => parseData(raw))
  const blocks: Uint8Array[][] = [[parseData(deployment)]]
  for (let at = 0; at < raws.length; at += PER_BLOCK) blocks.push(raws.slice(at, at + PER_BLOCK))
  const off = await run(blocks, { 'state-store.evm-ss-split': 'false' })
  expect(off.hasEvmStore).toBe(false)
  expect(off.appHashes).toHaveLength(blocks.length + 1)
  expect(new Set(off.appHashes).size).toBe(blocks.length + 1)
  // Transactions of every kind: deployments, storage, destruction and failures.
  expect(off.statuses).toHaveLength(91)
  expect(new Set(off.statuses)).toEqual(new Set([0, 1]))
  for (const separate of ['true', 'false']) {
    const on = await run(blocks, {
      'state-store.evm-ss-split': 'true',
      'state-store.evm-ss-separate-dbs': separate,
    })
    expect(on).toEqual({ ...off, hasEvmStore: true })
  }
}, 180_000)
