import type { BlockHeader } from '../../chain-types/block.ts'
import { StateTrie } from '../../commit/trie/state-trie.ts'
import { TrieState } from '../../commit/trie/trie-state.ts'
import type { Config } from '../../config/schema.ts'
import { IN_SYNC } from '../../consensus/application.ts'
import type { HeadFeed } from '../../consensus/head-feed.ts'
import { ChainImport, storedNodes } from '../../consensus/import/chain-import.ts'
import { closedPool } from '../../consensus/mempool/closed-pool.ts'
import { loadEngine } from '../../engine/engine.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { EnginePool } from '../../execute/engine-pool.ts'
import { EthereumRules } from '../../execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../../execute/ethereum/genesis.ts'
import { knownHeader } from '../../execute/history.ts'
import type { StateFork } from '../../state/state-fork.ts'
import type { Storage } from '../../store/storage.ts'
import { openHasher } from '../commit-hasher.ts'
import { compileEngine, readModule } from '../wasm.ts'
import { historyOf, type ServedChain } from './served-chain.ts'

/** Engines for calls and traces: each keeps the memory that its largest run touched. */
const ENGINES_BESIDE = 4

/** Opens what takes blocks into a storage, with the genesis block in place. */
export async function openImport(storage: Storage, genesis: EthereumGenesis): Promise<ChainImport> {
  const engine = await loadEngine(await readModule('engine'), {
    pairing: await WebAssembly.compile(await readModule('pairing')),
  })
  const chain = new ChainImport({ engine, hasher: await openHasher() }, storage, genesis)
  await chain.begin()
  return chain
}

/** An imported chain as the EVM JSON-RPC serves it: everything may be read, and nothing is added. */
export async function openImported(
  config: Config,
  storage: Storage,
  genesis: EthereumGenesis,
): Promise<ServedChain> {
  const modules = await compileEngine()
  const { engine: module, pairing } = modules
  const hashing = await loadEngine(module)
  const keccak256 = (bytes: Uint8Array): Uint8Array => hashing.keccak256(bytes)
  const rules = new EthereumRules(genesis.network)
  const nodes = storedNodes(storage)
  const stateAt = ({ number, stateRoot }: BlockHeader): StateFork =>
    new TrieState(storage.state.view(number), nodes, keccak256, stateRoot)
  const state = (height: number) => stateAt(knownHeader(storage.chain, height))
  return {
    storage,
    rules,
    history: historyOf(storage, {
      view: state,
      before: (height) => rules.prepared(knownHeader(storage.chain, height), state(height - 1)),
      fork: state,
    }),
    pool: closedPool(storage, IMPORTED),
    heads: STILL,
    sync: () => IN_SYNC,
    keccak256,
    hasher: await openHasher(),
    engines: new EnginePool<BlockEngine>(
      () => loadEngine(module, { pairing }),
      ENGINES_BESIDE,
      config.evm.maxConcurrentSimulationCalls,
      (engine) => engine.isUsable,
    ),
    modules,
    consensusBlock: undefined,
    readiness: () => ({ ready: true, height: storage.chain.latest, maxPeerHeight: 0 }),
    imported: {
      rules,
      genesis,
      prove: (height, address, slots) => {
        const { stateRoot } = knownHeader(storage.chain, height)
        return new StateTrie(nodes, keccak256, stateRoot).prove(address, slots)
      },
    },
  }
}

/** No block follows the newest one. */
const STILL: HeadFeed = { onBlock: () => () => {} }

const IMPORTED = {
  message: 'an imported chain takes no transactions',
  hint: 'send it to a node of the chain itself',
}
