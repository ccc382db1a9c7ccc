import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { DEV_ACCOUNTS, DEV_BALANCE } from '../../base/dev-accounts.ts'
import { parseFixedData } from '../../base/hex.ts'
import type {
  ChainParams,
  FeeMarket,
  Genesis,
  GenesisAccount,
  GenesisValidator,
} from './genesis.ts'
import { multicall3Account } from './multicall3.ts'
import { paymentTokenAccount } from './payment-token.ts'

const GWEI = 10n ** 9n

/** First 20 bytes of SHA-256("fee_collector"): the module account that Cosmos chains pay fees to. */
const FEE_COLLECTOR = '0xf1829676db577682e944fc3493d451b67ff3e29f'

/** Parameters that the live network runs with: +0.75 % and -0.39 % a block around 850,000 gas. */
const LIVE_FEE_MARKET: FeeMarket = {
  initialBaseFee: 50n * GWEI,
  minBaseFee: 50n * GWEI,
  maxBaseFee: 1000n * GWEI,
  targetGas: 850_000n,
  maxUpward: 7_500_000_000_000_000n,
  maxDownward: 3_900_000_000_000_000n,
}

/** Starts at the customary 1 gwei and rises only while blocks stay more than half full. */
const DEV_FEE_MARKET: FeeMarket = {
  initialBaseFee: GWEI,
  minBaseFee: GWEI,
  maxBaseFee: 1000n * GWEI,
  targetGas: 50_000_000n,
  maxUpward: 18_900_000_000_000_000n,
  maxDownward: 3_900_000_000_000_000n,
}

interface Preset {
  readonly chainId: bigint
  readonly maxGas: bigint
  readonly feeMarket: FeeMarket
  readonly accounts: (chainId: bigint, developers: readonly Fund[]) => readonly GenesisAccount[]
  /** True: the first of its accounts operates the first validator, where nobody is named. */
  readonly isOperated?: true
}

const noAccounts = () => []

const DEVELOPERS: readonly Fund[] = DEV_ACCOUNTS.map(({ address }) => ({
  address: parseFixedData(address, 20),
  balance: DEV_BALANCE,
}))

const withoutCode = (fund: Fund) => ({ ...fund, nonce: 0n, code: EMPTY_BYTES, storage: [] })

function devAccounts(chainId: bigint, developers: readonly Fund[]): GenesisAccount[] {
  return [...developers.map(withoutCode), paymentTokenAccount(chainId), multicall3Account()]
}

/** The chains that `init` can write a genesis for, by name. */
export const PRESETS = {
  dev: {
    chainId: 31337n,
    maxGas: 100_000_000n,
    feeMarket: DEV_FEE_MARKET,
    accounts: devAccounts,
    isOperated: true,
  },
  '1328': {
    chainId: 1328n,
    maxGas: 12_500_000n,
    feeMarket: LIVE_FEE_MARKET,
    accounts: noAccounts,
  },
  '1329': {
    chainId: 1329n,
    maxGas: 12_500_000n,
    feeMarket: LIVE_FEE_MARKET,
    accounts: noAccounts,
  },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS

/** Bytes of a block's transactions that the network presets admit: CometBFT's default of 21 MB. */
const MAX_BLOCK_BYTES = 22_020_096

export interface PresetOptions {
  /** Nanoseconds since 1970. */
  readonly time: bigint
  readonly validators: readonly GenesisValidator[]
  /** The node's own chain, which takes what nobody has signed: nothing that validators share. */
  readonly isDevelopment?: boolean
  /** EVM chain id in place of the preset's own. */
  readonly chainId?: bigint
  /** Beside the balances of the preset's own accounts, or in place of one of them. */
  readonly funds?: readonly Fund[]
  /** Accounts of the preset dev, in place of those that everyone knows; the first operates the validator. */
  readonly developers?: readonly Fund[]
}

/** An account with its balance at genesis. */
export interface Fund {
  readonly address: Uint8Array
  /** In wei. */
  readonly balance: bigint
}

function allocate(own: readonly GenesisAccount[], funds: readonly Fund[]): GenesisAccount[] {
  const isAt = (address: Uint8Array) => (account: GenesisAccount | Fund) =>
    equalBytes(account.address, address)
  const kept = own.map((account) => ({ ...account, ...funds.find(isAt(account.address)) }))
  const added = funds.filter(({ address }) => !own.some(isAt(address))).map(withoutCode)
  return [...kept, ...added]
}

function withOperator(
  validator: GenesisValidator,
  index: number,
  operator: Uint8Array | undefined,
): GenesisValidator {
  if (index > 0 || operator === undefined) return validator
  return { operator, ...validator }
}

/** Genesis of a preset: Prague from the first block. */
export function presetGenesis(name: PresetName, options: PresetOptions): Genesis {
  const preset: Preset = PRESETS[name]
  const { developers = DEVELOPERS } = options
  const operator = preset.isOperated && developers[0]?.address
  const params: ChainParams = {
    chainId: options.chainId ?? preset.chainId,
    revision: 'Prague',
    maxGas: preset.maxGas,
    feeMarket: preset.feeMarket,
    feeCollector: parseFixedData(FEE_COLLECTOR, 20),
    ...(options.isDevelopment && { isDevelopment: true }),
  }
  return {
    consensusChainId: params.chainId.toString(),
    time: options.time,
    initialHeight: 1,
    maxBlockBytes: MAX_BLOCK_BYTES,
    validators: options.validators.map((validator, i) => withOperator(validator, i, operator)),
    params,
    accounts: allocate(preset.accounts(params.chainId, developers), options.funds ?? []),
  }
}
