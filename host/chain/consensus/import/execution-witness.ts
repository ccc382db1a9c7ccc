import { bytesKey, compareBytes } from '../../../base/bytes.ts'
import type { Block, BlockHeader, EthereumBody } from '../../../evm/chain-types/block.ts'
import { atLeast } from '../../../evm/chain-types/revision.ts'
import { AccessListBuilder } from '../../../evm/execute/access-list-builder.ts'
import type { EthereumRules } from '../../../evm/execute/ethereum/ethereum-rules.ts'
import {
  type BlockReplayOptions,
  type ReplayControl,
  replayOnto,
} from '../../../evm/execute/replay/replay-onto.ts'
import { RecordingView } from '../../../evm/state/recorded-state.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { StateTrie } from '../../../storage/commit/trie/state-trie.ts'
import type { TrieNodes } from '../../../storage/commit/trie/trie-node.ts'
import type { TrieState } from '../../../storage/commit/trie/trie-state.ts'

/** All state that executing a block reads, sufficient for a node without the chain. */
export interface ExecutionWitness {
  /** Height of the oldest header whose hash was read; the parent's at most. */
  readonly firstHeader: number
  /** Code that was executed or read, in byte order. */
  readonly codes: readonly Uint8Array[]
  /** Trie nodes of accounts and slots, in byte order. */
  readonly nodes: readonly Uint8Array[]
}

export interface WitnessRequest extends BlockReplayOptions {
  readonly rules: EthereumRules
  readonly nodes: TrieNodes
  readonly parent: BlockHeader
  readonly parentState: StateView
  /** Returns the state before the block's transactions, over the given view. */
  readonly begin: (parent: StateView) => TrieState
  readonly height: number
  readonly costs: ReplayControl
}

/** Records the nodes that are read. */
class WitnessNodes implements TrieNodes {
  readonly seen = new Map<string, Uint8Array>()
  readonly #nodes: TrieNodes

  constructor(nodes: TrieNodes) {
    this.#nodes = nodes
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    const encoded = this.#nodes.get(hash)?.slice()
    if (encoded !== undefined) this.seen.set(bytesKey(hash), encoded)
    return encoded
  }
}

/**
 * Executes a block again and collects the nodes that prove what it read, and those that only its state root needs:
 * after a deletion that leaves a branch with one child.
 * @throws as `replayOnto`
 */
export async function witnessOf(request: WitnessRequest): Promise<ExecutionWitness> {
  const { rules, nodes, parent, keccak256, height, costs, history } = request
  const recorder = new RecordingView(request.parentState)
  const state = request.begin(recorder)
  const { header, transactions, ethereum } = history.block(height) as Block
  // Listing a withdrawal of 0 reads its account, which paying it does not.
  const isListed = atLeast(rules.rulesOf(header).revision, 'Amsterdam')
  const listing = isListed
    ? { accesses: new AccessListBuilder(), index: transactions.length + 1 }
    : undefined
  const receipts = history.receipts(height) ?? []
  const logs = receipts.flatMap((receipt) => receipt.logs)
  await replayOnto(request, state, height, costs, {
    // An engine does not request code that it knows from other blocks
    begin: (engine) => engine.forgetCode(),
    // Only an importer stores blocks of such a chain, and it stores none without a body
    end: (engine) => {
      engine.forgetCode()
      rules.closeWith(engine, state, header, ethereum as EthereumBody, logs, listing)
    },
  })
  const { accounts, slots, codes, blockHashes } = recorder.reads
  const seen = new WitnessNodes(nodes)
  const trie = new StateTrie(seen, keccak256, parent.stateRoot)
  for (const { address } of accounts.values()) trie.read(address)
  for (const { address, slot } of slots.values()) {
    trie.readSlot(address, slot)
    await costs.turn()
  }
  trie.apply(state.diff())
  trie.root()
  return {
    firstHeader: Math.min(parent.number, ...blockHashes.keys()),
    codes: [...codes.values()]
      .map(({ code }) => code)
      .filter(({ length }) => length > 0)
      .sort(compareBytes),
    nodes: [...seen.seen.values()].sort(compareBytes),
  }
}
