import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import {
  ACCOUNT_RECORD,
  type Account,
  decodeAccount,
  isContract,
} from '../../../evm/state/account.ts'
import { OverlayState } from '../../../evm/state/overlay-state.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { StateTrie } from './state-trie.ts'
import type { TrieNodes } from './trie-node.ts'

/** A stored state of an imported chain with uncommitted changes on top, and its state root. */
export class TrieState extends OverlayState {
  /** The tries of the changed state. */
  readonly trie: StateTrie

  /** @param root - Root of the state `base`. */
  constructor(base: StateView, nodes: TrieNodes, keccak256: Keccak256, root: Uint8Array) {
    super(base)
    this.trie = new StateTrie(nodes, keccak256, root)
  }

  /**
   * Returns the record. It has a 73rd byte of 1 if there is storage and nothing else prevents code from being
   * deployed there (EIP-7610).
   */
  override account(address: Uint8Array): Uint8Array | undefined {
    const record = super.account(address)
    if (record === undefined) return undefined
    const known = decodeAccount(record)
    if (known.nonce !== 0n || isContract(known) || !this.trie.hasStorage(address)) return record
    const marked = new Uint8Array(ACCOUNT_RECORD + 1)
    marked.set(record)
    marked[ACCOUNT_RECORD] = 1
    return marked
  }

  override writeAccount(address: Uint8Array, account: Account | undefined): void {
    super.writeAccount(address, account)
    this.trie.write(address, account)
  }

  override apply(diff: StateDiff): void {
    super.apply(diff)
    this.trie.apply(diff)
  }

  override root(): Uint8Array {
    return this.trie.root()
  }
}
