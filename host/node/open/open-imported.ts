import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import { IN_SYNC } from '../../chain/consensus/application.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import { ChainImport } from '../../chain/consensus/import/chain-import.ts'
import { ImportedStates } from '../../chain/consensus/import/imported-states.ts'
import { closedPool } from '../../chain/consensus/mempool/closed-pool.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import type { BlockEngine } from '../../evm/execute/block-engine.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import { EthereumRules } from '../../evm/execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import type { Storage } from '../../storage/store/storage.ts'
import { openHasher } from '../commit-hasher.ts'
import type { Disposables } from '../disposables.ts'
import { compileEngine, readModule } from '../wasm.ts'
import { openCompiledCode } from './region-compiling-thread.ts'
import { historyOf, type ServedChain } from './served-chain.ts'

/** Engines for calls and traces; each retains the memory of its largest run. */
const ENGINES_BESIDE = 4

/** Opens the block import of a storage, and stores the genesis block. */
export async function openImport(storage: Storage, genesis: EthereumGenesis): Promise<ChainImport> {
  const engine = await loadEngine(await readModule('engine'), {
    pairing: await WebAssembly.compile(await readModule('pairing')),
  })
  const chain = new ChainImport({ engine, hasher: await openHasher() }, storage, genesis)
  await chain.begin()
  return chain
}

export interface ImportedChainSite {
  readonly config: Config
  readonly logger: Logger
  readonly closers: Disposables
}

/** Opens an imported chain for the EVM JSON-RPC, read-only. */
export async function openImported(
  { config, logger, closers }: ImportedChainSite,
  storage: Storage,
  genesis: EthereumGenesis,
): Promise<Omit<ServedChain, 'addressIndex'>> {
  const modules = await compileEngine(config.evm)
  const { engine: module, pairing } = modules
  const onDeath = (error: unknown) => logger.error('all EVM code is interpreted', { error })
  const compiledCode = openCompiledCode(modules, onDeath, closers)
  const hashing = await loadEngine(module)
  const keccak256 = (bytes: Uint8Array): Uint8Array => hashing.keccak256(bytes)
  const rules = new EthereumRules(genesis.network)
  const engines = new EnginePool<BlockEngine>(
    () => loadEngine(module, { pairing, compiledCode }),
    ENGINES_BESIDE,
    config.evm.maxConcurrentSimulationCalls,
    (engine) => engine.isUsable,
  )
  const states = new ImportedStates(storage, rules, keccak256, engines)
  const state = (height: number) => states.after(height)
  return {
    storage,
    rules,
    publisher: undefined,
    params: undefined,
    history: historyOf(storage, {
      view: state,
      before: (height) => states.before(height),
      fork: state,
    }),
    pool: closedPool(storage, IMPORTED),
    poolRules: undefined,
    heads: STILL,
    sync: () => IN_SYNC,
    peers: () => 0,
    keccak256,
    hasher: await openHasher(),
    engines,
    modules,
    consensusBlock: undefined,
    readiness: () => ({ ready: true, height: storage.chain.latest, maxPeerHeight: 0 }),
    dev: undefined,
    consoleWatch: undefined,
    forked: undefined,
    imported: {
      rules,
      genesis,
      states,
      prove: (height, address, slots) => states.after(height).trie.prove(address, slots),
    },
  }
}

/** The chain never grows. */
const STILL: HeadFeed = { onBlock: () => () => {}, onRemoval: () => () => {} }

const IMPORTED = {
  message: 'an imported chain does not accept transactions',
  hint: 'send it to a node of the original chain',
}
