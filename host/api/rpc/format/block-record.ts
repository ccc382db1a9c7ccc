import { formatData, formatQuantity } from '../../../base/hex.ts'
import {
  type BlockHeader,
  type EthereumBody,
  timestampOf,
  type Withdrawal,
} from '../../../evm/chain-types/block.ts'
import { type EthereumHeader, encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { ChainRules } from '../../../evm/execute/chain-rules.ts'

type Json = Record<string, unknown>

/** Converts a header to Ethereum's form. */
type HeaderForm = Pick<ChainRules, 'ethereumHeader'>

/** A block of a native chain has no withdrawals. */
const NO_ROWS = { withdrawals: [] }

/** Fields of an Ethereum header that a native one lacks; each exists since the fork that introduced it. */
function ethereumFields(header: EthereumHeader): Json {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas } = header
  const { parentBeaconBlockRoot, requestsHash, blockAccessListHash, slotNumber } = header
  return {
    nonce: formatData(header.nonce),
    sha3Uncles: formatData(header.ommersHash),
    difficulty: formatQuantity(header.difficulty),
    extraData: formatData(header.extraData),
    ...(baseFeePerGas !== undefined && { baseFeePerGas: formatQuantity(baseFeePerGas) }),
    ...(withdrawalsRoot !== undefined && { withdrawalsRoot: formatData(withdrawalsRoot) }),
    ...(blobGasUsed !== undefined && { blobGasUsed: formatQuantity(blobGasUsed) }),
    ...(excessBlobGas !== undefined && { excessBlobGas: formatQuantity(excessBlobGas) }),
    ...(parentBeaconBlockRoot !== undefined && {
      parentBeaconBlockRoot: formatData(parentBeaconBlockRoot),
    }),
    ...(requestsHash !== undefined && { requestsHash: formatData(requestsHash) }),
    ...(blockAccessListHash !== undefined && {
      blockAccessListHash: formatData(blockAccessListHash),
    }),
    ...(slotNumber !== undefined && { slotNumber: formatQuantity(slotNumber) }),
  }
}

/** Returns a header in the format of newHeads. */
export function headerRecord(header: BlockHeader, rules: HeaderForm): Json {
  return {
    number: formatQuantity(header.number),
    hash: formatData(header.hash),
    parentHash: formatData(header.parentHash),
    mixHash: formatData(header.prevRandao),
    logsBloom: formatData(header.logsBloom),
    stateRoot: formatData(header.stateRoot),
    transactionsRoot: formatData(header.transactionsRoot),
    receiptsRoot: formatData(header.receiptsRoot),
    miner: formatData(header.miner),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(timestampOf(header)),
    ...ethereumFields(rules.ethereumHeader(header)),
  }
}

/** Returns the record of the pending block: it is unsealed, so hash, nonce and miner are null. */
export function unsealedRecord(record: Json): Json {
  return { ...record, hash: null, nonce: null, miner: null }
}

function withdrawalRecord({ index, validatorIndex, address, amount }: Withdrawal): Json {
  return {
    index: formatQuantity(index),
    validatorIndex: formatQuantity(validatorIndex),
    address: formatData(address),
    amount: formatQuantity(amount),
  }
}

function bodyRecord({ ommers, withdrawals }: EthereumBody, keccak256: Keccak256): Json {
  return {
    uncles: ommers.map((ommer) => formatData(keccak256(encodeRlpHeader(ommer)))),
    ...(withdrawals !== undefined && { withdrawals: withdrawals.map(withdrawalRecord) }),
  }
}

/**
 * Returns a block. `transactions` are hashes or transaction records; `body` are further fields of an imported block.
 */
export function blockRecord(
  header: BlockHeader,
  transactions: readonly unknown[],
  body: EthereumBody | undefined,
  rules: HeaderForm,
  keccak256: Keccak256,
): Json {
  const record = headerRecord(header, rules)
  const own = { totalDifficulty: '0x0', uncles: [], ...('withdrawalsRoot' in record && NO_ROWS) }
  return {
    ...record,
    size: formatQuantity(header.size),
    transactions,
    ...(body === undefined ? own : bodyRecord(body, keccak256)),
  }
}
