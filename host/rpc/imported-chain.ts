import type { AccountProof } from '../commit/state-trie.ts'
import type { EthereumGenesis } from '../execute/ethereum/genesis.ts'
import type { NetworkRules } from '../execute/ethereum/network-rules.ts'

/** What an imported chain has that this node's own has not. */
export interface ImportedChain {
  readonly rules: NetworkRules
  readonly genesis: EthereumGenesis
  /** Proves an account and slots of it against the state root of a block. */
  prove(height: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}
