import { cpSync, readFileSync, rmSync } from 'node:fs'
import { bytesKey } from '../../../../host/base/bytes.ts'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { parseData } from '../../../../host/base/hex.ts'
import { createLogger } from '../../../../host/base/log/pino-logger.ts'
import type { ConsensusBlockStore } from '../../../../host/chain/consensus/embedded/block-store.ts'
import type { TransactionPool } from '../../../../host/chain/consensus/mempool/transaction-pool.ts'
import { loadUnboundValidator } from '../../../../host/chain/consensus/validator/validator.ts'
import type { DevChain } from '../../../../host/chain/dev/dev-chain.ts'
import { NextBlockOverrides } from '../../../../host/chain/dev/next-block-overrides.ts'
import { decodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import type { StateDiff } from '../../../../host/evm/engine/state-diff.ts'
import { type Account, encodeAccount } from '../../../../host/evm/state/account.ts'
import { Disposables } from '../../../../host/node/disposables.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { initializeHome } from '../../../../host/node/home/initialize-home.ts'
import { type ChainParts, openChain } from '../../../../host/node/open/open-chain.ts'
import { openStores, type Stores } from '../../../../host/node/open/open-stores.ts'
import { openStorageMode } from '../../../../host/node/run/open-storage-mode.ts'
import { startEmbedded } from '../../../../host/node/run/start-embedded.ts'

/** A development chain as a node runs it, without servers. */
export interface DrivenHome {
  readonly dev: DevChain
  readonly pool: TransactionPool
  readonly stores: Stores
  readonly chain: ChainParts
  readonly blockStore: ConsensusBlockStore
  close(): Promise<void>
}

/** Creates the home of a development chain with a fixed genesis time. */
export async function makeDevHome(root: string): Promise<void> {
  await initializeHome(homeAt(root), {
    preset: 'dev',
    moniker: 'dev',
    overwrite: false,
    time: 1_700_000_000_000_000_000n,
  })
}

/** Copies a home with its keys and genesis only. */
export function copyDevHome(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  const { data, lock } = homeAt(to)
  for (const name of [
    'wal',
    'dev',
    'pebbledb',
    'evm_ss',
    'chain.db',
    'tx_index.db',
    'log_index.db',
  ]) {
    rmSync(`${data.directory}/${name}`, { recursive: true, force: true })
  }
  for (const path of [data.stateCommit, `${data.directory}/blockstore.db`, lock]) {
    rmSync(path, { recursive: true, force: true })
  }
}

export async function openDriven(
  root: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<DrivenHome> {
  const home = homeAt(root)
  const { config } = loadConfig({
    directory: home.config.directory,
    environment: {},
    flags: new Map(Object.entries({ 'dev.automine': 'true', mode: 'validator', ...flags })),
  })
  const genesis = decodeGenesis(readFileSync(home.config.genesis, 'utf8'))
  const logger = createLogger({ level: 'error', format: 'plain', write: () => {} })
  const closers = new Disposables()
  const onError = (error: unknown): void => {
    throw error
  }
  try {
    const context = { home, config, logger }
    const keeping = await openStorageMode(context, genesis, true, closers)
    const stores = await openStores(home, config, logger, closers, onError, keeping)
    const settings = new NextBlockOverrides()
    const chain = await openChain({ ...context, genesis, stores, settings, onError }, closers)
    const started = await startEmbedded({
      ...context,
      genesis,
      dev: true,
      validator: await loadUnboundValidator(home.config.validatorKey),
      chain,
      stores,
      closers,
      syncing: undefined,
      signal: new AbortController().signal,
      onError,
      onHalted: () => {},
      upgrade: undefined,
    })
    if (started.dev === undefined) throw new Error('no development chain')
    await started.dev.setAutomine(false)
    const { dev, pool, blockStore } = started
    return { dev, pool, stores, chain, blockStore, close: () => closers.close() }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}

/** Returns changes of accounts and slots as a state diff. */
export function amendment(changes: {
  readonly accounts?: readonly (readonly [string, Account])[]
  readonly storage?: readonly (readonly [string, Uint8Array, Uint8Array])[]
  readonly codes?: StateDiff['codes']
}): StateDiff {
  const accounts = (changes.accounts ?? []).flatMap(([address, account]) => [
    parseData(address),
    encodeAccount(account),
  ])
  const storage = (changes.storage ?? []).flatMap(([address, slot, value]) => [
    parseData(address),
    slot,
    value,
  ])
  return {
    accounts: new Uint8Array(Buffer.concat(accounts)),
    cleared: new Uint8Array(0),
    storage: new Uint8Array(Buffer.concat(storage)),
    codes: changes.codes ?? [],
  }
}

/**
 * Reads everything from the chain: at each height the block, its receipts, the consensus block and the state of
 * `addresses`.
 */
export function readChain(
  { stores, blockStore }: DrivenHome,
  addresses: readonly string[],
  slots: readonly Uint8Array[],
  hashes: readonly Uint8Array[],
): unknown[] {
  const { chain, state } = stores.amended
  const found: unknown[] = [chain.latest, state.latest, blockStore.height, blockStore.base]
  for (let height = 0; height <= chain.latest + 2; height++) {
    found.push(chain.block(height), chain.receipts(height), blockStore.decided(height))
    found.push(blockStore.results(height))
    if (height > chain.latest) continue
    const view = state.view(height)
    for (const address of addresses) {
      const record = view.account(parseData(address))
      found.push(record?.slice(), record && view.code(record.slice(40)).slice())
      for (const slot of slots) found.push(view.storage(parseData(address), slot)?.slice())
    }
    for (const name of ['bank', 'staking', 'params']) {
      found.push([...state.module(name).range({ height })])
    }
  }
  for (const hash of hashes) found.push([bytesKey(hash), chain.locate(hash)])
  return found
}
