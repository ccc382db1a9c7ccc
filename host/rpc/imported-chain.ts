import type { AccountProof } from '../commit/state-trie.ts'
import type { EthereumRules } from '../execute/ethereum/ethereum-rules.ts'
import type { EthereumGenesis } from '../execute/ethereum/genesis.ts'

/** What an imported chain has that this node's own has not. */
export interface ImportedChain {
  readonly rules: EthereumRules
  readonly genesis: EthereumGenesis
  /** Proves an account and slots of it against the state root of a block. */
  prove(height: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}
