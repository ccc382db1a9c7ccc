import type { Revision } from './revision.ts'

/** State of one account at genesis. Slots and values are 32 bytes. */
export interface GenesisAccount {
  readonly address: Uint8Array
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[]
}

/** Rule by which the base fee follows the gas used (wei per unit of gas; shares are parts of 10^18). */
export interface FeeMarket {
  readonly initialBaseFee: bigint
  readonly minBaseFee: bigint
  readonly maxBaseFee: bigint
  readonly targetGas: bigint
  readonly maxUpward: bigint
  readonly maxDownward: bigint
}

/** The parameters that never change after genesis. */
export interface ChainParams {
  /** EVM chain id: 1329, 1328, ... */
  readonly chainId: bigint
  readonly revision: Revision
  /** Gas limit of a block, and of any one transaction. */
  readonly maxGas: bigint
  readonly feeMarket: FeeMarket
  /** The one coinbase address of every block, 20 bytes. */
  readonly feeCollector: Uint8Array
  /** A development chain: its blocks may hold impersonated transactions (`impersonation.ts`). */
  readonly isDevelopment?: boolean
}

export interface GenesisValidator {
  /** ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: number
  readonly name: string
  /** EVM account, 20 bytes, that has delegated to it what its power is worth, and may edit it. */
  readonly operator?: Uint8Array
}

/** How much of a denomination an account has. */
export interface GenesisHolding {
  readonly address: Uint8Array
  readonly amount: bigint
}

/** A denomination beside the native one. */
export interface GenesisDenomination {
  readonly denomination: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** The contract that may send it: an ERC-20 over the precompile `bank`. */
  readonly pointer: Uint8Array | undefined
  readonly balances: readonly GenesisHolding[]
}

/** What a chain was before the document: others made its blocks up to the one before `initialHeight`. */
export interface ContinuedGenesis {
  /** App hash after the block before `initialHeight`, 32 bytes. */
  readonly appHash: Uint8Array
  /** Hash of block 0, which another document has given. */
  readonly genesisBlock: Uint8Array
}

/** genesis.json, decoded. The file is CometBFT's genesis document with our state in `app_state.evm`. */
export interface Genesis {
  /** Name of the chain for consensus, at most 50 characters; for a preset the decimal EVM chain id. */
  readonly consensusChainId: string
  /** Nanoseconds since 1970. */
  readonly time: bigint
  /** 1, or the height with which a chain goes on under another engine. */
  readonly initialHeight: number
  /** Present where `initialHeight` is above 1: the state is that of the chain, and none is here. */
  readonly continued?: ContinuedGenesis
  readonly maxBlockBytes: number
  readonly validators: readonly GenesisValidator[]
  readonly params: ChainParams
  /** How long an unbonding takes; undefined for 21 days. */
  readonly unbondingSeconds?: number
  readonly accounts: readonly GenesisAccount[]
  /** By ascending name; none where absent. */
  readonly denominations?: readonly GenesisDenomination[]
}
