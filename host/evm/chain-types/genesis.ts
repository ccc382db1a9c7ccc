import type { UpgradePlan } from '../../base/upgrade-plan.ts'
import type { Revision } from './revision.ts'

/** State of one account at genesis. Slots and values are 32 bytes. */
export interface GenesisAccount {
  readonly address: Uint8Array
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[]
}

/** Rules that derive the base fee from the gas used. Fees are in wei per gas, shares in units of 10^-18. */
export interface FeeMarket {
  readonly initialBaseFee: bigint
  readonly minBaseFee: bigint
  readonly maxBaseFee: bigint
  readonly targetGas: bigint
  readonly maxUpward: bigint
  readonly maxDownward: bigint
}

/** Parameters that never change after genesis. */
export interface ChainParams {
  /** EVM chain id: 1329, 1328, ... */
  readonly chainId: bigint
  readonly revision: Revision
  /** Gas limit of a block and of a transaction. */
  readonly maxGas: bigint
  readonly feeMarket: FeeMarket
  /** Coinbase address of every block, 20 bytes. */
  readonly feeCollector: Uint8Array
  /** True on a development chain, whose blocks may contain impersonated transactions (`impersonation.ts`). */
  readonly isDevelopment?: boolean
}

export interface GenesisValidator {
  /** ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: number
  readonly name: string
  /** EVM account, 20 bytes, that delegated the validator's whole power and may edit it. */
  readonly operator?: Uint8Array
}

/** When validators that miss blocks are jailed: parameters of `slashing` in Cosmos SDK. */
export interface GenesisDowntime {
  /** Blocks of the sliding window. */
  readonly window: number
  /** Share of the window that a validator must sign, in units of 10^-18. */
  readonly minSigned: bigint
  /** Seconds after which a jailed validator may return. */
  readonly jailSeconds: number
}

/** An account's amount of a denomination. */
export interface GenesisHolding {
  readonly address: Uint8Array
  readonly amount: bigint
}

/** A denomination other than the native one. */
export interface GenesisDenomination {
  readonly denomination: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** Contract that may transfer it: an ERC-20 over the `bank` precompile. */
  readonly pointer: Uint8Array | undefined
  readonly balances: readonly GenesisHolding[]
}

/** A chain continued under this engine: another engine produced the blocks before `initialHeight`. */
export interface ContinuedGenesis {
  /** App hash after the block before `initialHeight`, 32 bytes. */
  readonly appHash: Uint8Array
  /** Hash of block 0, which comes from another document. */
  readonly genesisBlock: Uint8Array
}

/** The decoded genesis.json: CometBFT's genesis document with our state in `app_state.evm`. */
export interface Genesis {
  /** Consensus chain id, at most 50 characters. Presets use the decimal EVM chain id. */
  readonly consensusChainId: string
  /** Unix time in nanoseconds. */
  readonly time: bigint
  /** 1, or the height at which a chain continues under another engine. */
  readonly initialHeight: number
  /** Present if `initialHeight` is above 1. The genesis then holds no state: the chain keeps its own. */
  readonly continued?: ContinuedGenesis
  readonly maxBlockBytes: number
  readonly validators: readonly GenesisValidator[]
  readonly params: ChainParams
  /** Unbonding time in seconds; 21 days if undefined. */
  readonly unbondingSeconds?: number
  /** Absent if no validator is jailed for downtime. */
  readonly downtime?: GenesisDowntime
  /** In order of height; absent if there are none. */
  readonly upgrades?: readonly UpgradePlan[]
  readonly accounts: readonly GenesisAccount[]
  /** Sorted by name; absent if there are none. */
  readonly denominations?: readonly GenesisDenomination[]
}
