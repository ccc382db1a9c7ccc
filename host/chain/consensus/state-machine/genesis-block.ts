import { keccak_256 } from '@noble/hashes/sha3.js'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { Block } from '../../../evm/chain-types/block.ts'
import { BLOOM_BYTES } from '../../../evm/chain-types/bloom.ts'
import type { Genesis, GenesisAccount } from '../../../evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../../evm/chain-types/genesis-codec.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import {
  BASE_FEE_KEY,
  encodeBaseFee,
  initialBaseFee,
  wholeWei,
} from '../../../evm/execute/lockstep/base-fee.ts'
import { envHeader } from '../../../evm/execute/lockstep/block-env.ts'
import { withPrecompileAccounts } from '../../../evm/execute/lockstep/precompile-accounts.ts'
import { bankWrites } from '../../../evm/modules/bank-rows.ts'
import { stakingAccount } from '../../../evm/modules/staking-genesis.ts'
import { allocationDiff } from '../../../evm/state/allocation.ts'
import type { Changeset, ModuleWrites } from '../../../evm/state/changeset.ts'
import { mergeModules, routeModuleRows } from '../../../evm/state/module-rows.ts'

const encoder = new TextEncoder()

/** Returns the genesis parameters under their names in genesis.json. */
function paramsWrites(genesis: Genesis): ModuleWrites {
  const { params } = genesis
  const rows: [string, string][] = [
    ['block/max_bytes', genesis.maxBlockBytes.toString()],
    ['block/max_gas', params.maxGas.toString()],
    ['evm/chain_id', params.chainId.toString()],
    ['evm/revision', params.revision],
    // So that validators with other plans have another app hash from the first block on.
    ...(genesis.upgrades ?? []).map(({ name, height }): [string, string] => [
      `upgrade/${name}`,
      height.toString(),
    ]),
  ]
  return {
    module: 'params',
    writes: rows.map(([key, value]) => ({
      key: encoder.encode(key),
      value: encoder.encode(value),
    })),
  }
}

/**
 * Returns the accounts with the staking account, which keeps a balance given in genesis on top of the bonded amount.
 */
function withStaking(genesis: Genesis): GenesisAccount[] {
  const staking = stakingAccount(genesis)
  const isStaking = ({ address }: GenesisAccount) => equalBytes(address, staking.address)
  const given = genesis.accounts.find(isStaking)?.balance ?? 0n
  const others = genesis.accounts.filter((account) => !isStaking(account))
  return [...others, { ...staking, balance: staking.balance + given }]
}

/** Returns the genesis state as the changeset of height 0. */
export function genesisChangeset(genesis: Genesis, keccak256: Keccak256): Changeset {
  const baseFee = initialBaseFee(genesis.params.feeMarket)
  const allocated = withStaking(genesis)
  const accounts = withPrecompileAccounts(allocated)
  const { evm, modules } = routeModuleRows(allocationDiff(accounts, keccak256))
  return {
    height: 0,
    evm,
    legacy: [{ key: BASE_FEE_KEY, value: encodeBaseFee(baseFee) }],
    modules: mergeModules(
      [bankWrites({ ...genesis, accounts: allocated }), paramsWrites(genesis)],
      modules,
    ),
  }
}

/** The engine hashes at most 2 MB. A longer genesis is hashed in JavaScript, at 1/20 of the rate. */
const MOST_HASHED = 1 << 20

function genesisHash(genesis: Genesis, keccak256: Keccak256): Uint8Array {
  const text = encoder.encode(encodeGenesis(genesis))
  return text.length > MOST_HASHED ? keccak_256(text) : keccak256(text)
}

/**
 * Returns block 0, which consensus does not have. Its hash is the Keccak-256 of the genesis.json text written by
 * `encodeGenesis`; hashes that do not exist are zeros.
 */
export function genesisBlock(genesis: Genesis, appHash: Uint8Array, keccak256: Keccak256): Block {
  const { params } = genesis
  const baseFee = wholeWei(initialBaseFee(params.feeMarket))
  const none = new Uint8Array(32)
  return {
    header: {
      ...envHeader(params, 0, genesis.time, baseFee, keccak256),
      hash: genesisHash(genesis, keccak256),
      parentHash: none,
      stateRoot: appHash,
      transactionsRoot: none,
      receiptsRoot: none,
      logsBloom: new Uint8Array(BLOOM_BYTES),
      gasUsed: 0n,
      size: 0,
    },
    transactions: [],
  }
}

/** @throws GENESIS_INVALID if the chain began with another document, so that this one lacks its state */
export function refuseContinued({ initialHeight, continued }: Genesis): void {
  if (continued === undefined) return
  const height = initialHeight - 1
  throw new LockstepError(
    'GENESIS_INVALID',
    `genesis.json continues a chain after height ${height}, but this home has none of its state`,
    {
      hint:
        `import a snapshot of height ${height} with \`lockstep snapshot import\`, or fetch the state of a node ` +
        'with enable = true in [statesync]',
    },
  )
}
