import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, compareBytes, concatBytes } from '../../base/bytes.ts'
import type { Block } from '../../chain-types/block.ts'
import { BLOOM_BYTES } from '../../chain-types/bloom.ts'
import type { Genesis } from '../../chain-types/genesis.ts'
import { encodeGenesis } from '../../chain-types/genesis-codec.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import { bankWrites } from '../../execute/lockstep/bank-rows.ts'
import {
  BASE_FEE_KEY,
  encodeBaseFee,
  initialBaseFee,
  wholeWei,
} from '../../execute/lockstep/base-fee.ts'
import { envHeader } from '../../execute/lockstep/block-env.ts'
import { withPrecompileAccounts } from '../../execute/lockstep/precompile-accounts.ts'
import { allocationDiff } from '../../state/allocation.ts'
import type { Changeset, KeyWrite, ModuleWrites } from '../../state/changeset.ts'
import { mergeModules, routeModuleRows } from '../../state/module-rows.ts'

const encoder = new TextEncoder()

/** First byte of the keys of validators in the `staking` store; the consensus address follows. */
const VALIDATOR_PREFIX = 0x21

/** Public key (32) and power (8, big-endian) of each validator, by consensus address. */
function stakingWrites(genesis: Genesis): ModuleWrites {
  const writes: KeyWrite[] = genesis.validators.map(({ publicKey, power }) => ({
    key: concatBytes([Uint8Array.of(VALIDATOR_PREFIX), sha256(publicKey).subarray(0, 20)]),
    value: concatBytes([publicKey, bigintToBytes(BigInt(power), 8)]),
  }))
  return { module: 'staking', writes: writes.sort((a, b) => compareBytes(a.key, b.key)) }
}

/** The parameters decided at genesis, under the names of genesis.json. */
function paramsWrites(genesis: Genesis): ModuleWrites {
  const { params } = genesis
  const rows: [string, string][] = [
    ['block/max_bytes', genesis.maxBlockBytes.toString()],
    ['block/max_gas', params.maxGas.toString()],
    ['evm/chain_id', params.chainId.toString()],
    ['evm/revision', params.revision],
  ]
  return {
    module: 'params',
    writes: rows.map(([key, value]) => ({
      key: encoder.encode(key),
      value: encoder.encode(value),
    })),
  }
}

/** The whole genesis state, as the changeset of height 0. */
export function genesisChangeset(genesis: Genesis, keccak256: Keccak256): Changeset {
  const baseFee = initialBaseFee(genesis.params.feeMarket)
  const accounts = withPrecompileAccounts(genesis.accounts)
  const { evm, modules } = routeModuleRows(allocationDiff(accounts, keccak256))
  return {
    height: 0,
    evm,
    legacy: [{ key: BASE_FEE_KEY, value: encodeBaseFee(baseFee) }],
    modules: mergeModules(
      [bankWrites(genesis), paramsWrites(genesis), stakingWrites(genesis)],
      modules,
    ),
  }
}

/**
 * Block 0. Consensus has none, so its hash is the Keccak-256 hash of the text of genesis.json as
 * `encodeGenesis` writes it, and the hashes that it does not have are zeros.
 */
export function genesisBlock(genesis: Genesis, appHash: Uint8Array, keccak256: Keccak256): Block {
  const { params } = genesis
  const baseFee = wholeWei(initialBaseFee(params.feeMarket))
  const none = new Uint8Array(32)
  return {
    header: {
      ...envHeader(params, 0, genesis.time, baseFee, keccak256),
      hash: keccak256(encoder.encode(encodeGenesis(genesis))),
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
