import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { DEV_ACCOUNTS, DEV_BALANCE } from '../../base/dev-accounts.ts'
import { parseFixedData } from '../../base/hex.ts'
import { create2DeployerAccount } from './create2-deployer.ts'
import type {
  ChainParams,
  FeeMarket,
  Genesis,
  GenesisAccount,
  GenesisValidator,
} from './genesis.ts'
import { multicall3Account } from './multicall3.ts'
import { paymentTokenAccount } from './payment-token.ts'
import type { Revision } from './revision.ts'

const GWEI = 10n ** 9n

/** First 20 bytes of SHA-256("fee_collector"): the module account that Cosmos chains pay fees to. */
const FEE_COLLECTOR = '0xf1829676db577682e944fc3493d451b67ff3e29f'

/** Parameters of the live network: up to +0.75 % and -0.39 % a block, around a target of 850,000 gas. */
const LIVE_FEE_MARKET: FeeMarket = {
  initialBaseFee: 50n * GWEI,
  minBaseFee: 50n * GWEI,
  maxBaseFee: 1000n * GWEI,
  targetGas: 850_000n,
  maxUpward: 7_500_000_000_000_000n,
  maxDownward: 3_900_000_000_000_000n,
}

/** Starts at the customary 1 gwei and rises only while blocks are more than half full. */
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
  /** True if the first account operates the first validator, unless the validator has an operator. */
  readonly isOperated?: true
}

const noAccounts = () => []

const DEVELOPERS: readonly Fund[] = DEV_ACCOUNTS.map(({ address }) => ({
  address: parseFixedData(address, 20),
  balance: DEV_BALANCE,
}))

const withoutCode = (fund: Fund) => ({ ...fund, nonce: 0n, code: EMPTY_BYTES, storage: [] })

function devAccounts(chainId: bigint, developers: readonly Fund[]): GenesisAccount[] {
  return [
    ...developers.map(withoutCode),
    paymentTokenAccount(chainId),
    multicall3Account(),
    create2DeployerAccount(),
  ]
}

/** Chains for which `init` can write a genesis, by name. */
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

/** Maximum transaction bytes of a block in the network presets: CometBFT's default of 21 MB. */
const MAX_BLOCK_BYTES = 22_020_096

/** What a development chain begins with in place of what its preset has. */
export interface DevelopmentChoices {
  /** Undefined for Prague. */
  readonly revision: Revision | undefined
  /** Base fee of the first block in wei per gas, also below the market's minimum, which it then lowers. */
  readonly baseFee: bigint | undefined
  /** Fee recipient of the blocks; undefined for that of the preset. */
  readonly coinbase: Uint8Array | undefined
  /** Added to the preset's accounts, or in place of them. */
  readonly accounts: readonly GenesisAccount[]
  readonly hasCreate2Deployer: boolean
}

export interface PresetOptions {
  readonly choices?: DevelopmentChoices
  /** Unix time in nanoseconds. */
  readonly time: bigint
  readonly validators: readonly GenesisValidator[]
  /** Development chain: accepts unsigned (impersonated) transactions. Validators must not share it. */
  readonly isDevelopment?: boolean
  /** Overrides the preset's EVM chain id. */
  readonly chainId?: bigint
  /** Added to the preset's accounts, or replaces the balance of one of them. */
  readonly funds?: readonly Fund[]
  /** Accounts for the dev preset, instead of the publicly known ones. The first operates the validator. */
  readonly developers?: readonly Fund[]
}

/** An account and its balance at genesis. */
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

/** Returns the fee market that begins at a base fee, with its bounds widened to contain it. */
function marketFrom(market: FeeMarket, baseFee: bigint | undefined): FeeMarket {
  if (baseFee === undefined) return market
  const { minBaseFee, maxBaseFee } = market
  return {
    ...market,
    initialBaseFee: baseFee,
    minBaseFee: baseFee < minBaseFee ? baseFee : minBaseFee,
    maxBaseFee: baseFee > maxBaseFee ? baseFee : maxBaseFee,
  }
}

/** Returns the accounts of a preset as chosen. */
function chosenAccounts(
  preset: readonly GenesisAccount[],
  choices: DevelopmentChoices | undefined,
): GenesisAccount[] {
  if (choices === undefined) return [...preset]
  const { accounts, hasCreate2Deployer } = choices
  const deployer = create2DeployerAccount().address
  const isOther = ({ address }: GenesisAccount) =>
    !accounts.some((account) => equalBytes(account.address, address)) &&
    (hasCreate2Deployer || !equalBytes(address, deployer))
  return [...preset.filter(isOther), ...accounts]
}

function withOperator(
  validator: GenesisValidator,
  index: number,
  operator: Uint8Array | undefined,
): GenesisValidator {
  if (index > 0 || operator === undefined) return validator
  return { operator, ...validator }
}

/** Returns the genesis of a preset. Its revision is Prague unless another is chosen. */
export function presetGenesis(name: PresetName, options: PresetOptions): Genesis {
  const preset: Preset = PRESETS[name]
  const { developers = DEVELOPERS, choices } = options
  const operator = preset.isOperated && developers[0]?.address
  const params: ChainParams = {
    chainId: options.chainId ?? preset.chainId,
    revision: choices?.revision ?? 'Prague',
    maxGas: preset.maxGas,
    feeMarket: marketFrom(preset.feeMarket, choices?.baseFee),
    feeCollector: choices?.coinbase ?? parseFixedData(FEE_COLLECTOR, 20),
    ...(options.isDevelopment && { isDevelopment: true }),
  }
  return {
    consensusChainId: params.chainId.toString(),
    time: options.time,
    initialHeight: 1,
    maxBlockBytes: MAX_BLOCK_BYTES,
    validators: options.validators.map((validator, i) => withOperator(validator, i, operator)),
    params,
    accounts: allocate(
      chosenAccounts(preset.accounts(params.chainId, developers), choices),
      options.funds ?? [],
    ),
  }
}
