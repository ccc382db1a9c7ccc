import type { EthereumHeader } from './ethereum-header.ts'

/** Ether credited by the consensus layer (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Uint8Array
  /** In gwei. */
  readonly amount: bigint
}

/** What a block of Ethereum holds beside its transactions. */
export interface EthereumBody {
  readonly ommers: readonly EthereumHeader[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}
