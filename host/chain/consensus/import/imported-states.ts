import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { BlockEngine } from '../../../evm/execute/block-engine.ts'
import type { EnginePool } from '../../../evm/execute/engine-pool.ts'
import type { EthereumRules } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { type ReplayControl, replayOnto } from '../../../evm/execute/replay/replay-onto.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { TrieNodes } from '../../../storage/commit/trie/trie-node.ts'
import { TrieState } from '../../../storage/commit/trie/trie-state.ts'
import type { Storage } from '../../../storage/store/storage.ts'
import { storedNodes, storedPreimage } from './chain-import.ts'
import { type ExecutionWitness, witnessOf } from './execution-witness.ts'

/** States of an imported chain after and within its blocks, with their tries. */
export class ImportedStates {
  readonly #storage: Storage
  readonly #rules: EthereumRules
  readonly #keccak256: Keccak256
  readonly #engines: EnginePool<BlockEngine>
  readonly #nodes: TrieNodes

  constructor(
    storage: Storage,
    rules: EthereumRules,
    keccak256: Keccak256,
    engines: EnginePool<BlockEngine>,
  ) {
    this.#storage = storage
    this.#rules = rules
    this.#keccak256 = keccak256
    this.#engines = engines
    this.#nodes = storedNodes(storage)
  }

  /**
   * Returns the state after block `height`.
   * @throws NOT_FOUND, STATE_PRUNED
   */
  after(height: number): TrieState {
    return this.#over(this.#storage.state.view(height), this.#header(height))
  }

  /** Returns the state before the transactions of block `height`, without the protocol's system calls. */
  before(height: number): TrieState {
    return this.#prepared(height, this.after(height - 1))
  }

  /**
   * Returns the state after the first `count` transactions of block `height`.
   * @throws as `replayOnto`
   */
  async within(height: number, count: number, costs: ReplayControl): Promise<TrieState> {
    const state = this.before(height)
    await replayOnto(this.#replay, state, height, costs, { count })
    return state
  }

  /** Returns the address or slot with this hash, its key in a trie. */
  preimage(hash: Uint8Array): Uint8Array | undefined {
    return storedPreimage(this.#storage, hash)
  }

  /**
   * Returns all state that executing block `height` reads, with the nodes that prove it against the parent's state
   * root.
   */
  witness(height: number, costs: ReplayControl): Promise<ExecutionWitness> {
    const parent = this.#header(height - 1)
    return witnessOf({
      ...this.#replay,
      rules: this.#rules,
      nodes: this.#nodes,
      parent,
      parentState: this.#storage.state.view(height - 1),
      begin: (view) => this.#prepared(height, this.#over(view, parent)),
      height,
      costs,
    })
  }

  get #replay() {
    const history = this.#storage.chain
    return { history, rules: this.#rules, keccak256: this.#keccak256, engines: this.#engines }
  }

  #header(height: number): BlockHeader {
    return knownHeader(this.#storage.chain, height)
  }

  #over(view: StateView, { stateRoot }: BlockHeader): TrieState {
    return new TrieState(view, this.#nodes, this.#keccak256, stateRoot)
  }

  #prepared(height: number, parent: TrieState): TrieState {
    this.#rules.prepareState(this.#header(height), parent)
    return parent
  }
}
