import { formatData, formatQuantity } from '../../base/hex.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import type { EthereumBody, Withdrawal } from '../../chain-types/ethereum-body.ts'
import { type EthereumHeader, encodeHeader } from '../../chain-types/ethereum-header.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'

type Json = Record<string, unknown>

/** Keccak-256 of the RLP of no uncles: this node's own chain has none. */
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/** What an imported block says beyond others; a field is there from the fork on that brought it. */
function ethereumFields(header: EthereumHeader): Json {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas } = header
  const { parentBeaconBlockRoot, requestsHash } = header
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
  }
}

/** The same fields of a block of this node's own chain, which has nothing to put there. */
function ownFields(header: BlockHeader): Json {
  return {
    nonce: '0x0000000000000000',
    sha3Uncles: NO_UNCLES,
    difficulty: '0x0',
    extraData: '0x',
    baseFeePerGas: formatQuantity(header.baseFeePerGas),
  }
}

/** A header as the newHeads subscription shows it. */
export function headerRecord(header: BlockHeader): Json {
  const { ethereum } = header
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
    timestamp: formatQuantity(header.timestamp),
    ...(ethereum === undefined ? ownFields(header) : ethereumFields(ethereum.header)),
  }
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
    uncles: ommers.map((ommer) => formatData(keccak256(encodeHeader(ommer)))),
    ...(withdrawals !== undefined && { withdrawals: withdrawals.map(withdrawalRecord) }),
  }
}

/**
 * A block; `transactions` are hashes or transaction records, `body` what else an imported one holds.
 */
export function blockRecord(
  header: BlockHeader,
  transactions: readonly unknown[],
  body: EthereumBody | undefined,
  keccak256: Keccak256,
): Json {
  return {
    ...headerRecord(header),
    size: formatQuantity(header.size),
    transactions,
    ...(body === undefined ? { totalDifficulty: '0x0', uncles: [] } : bodyRecord(body, keccak256)),
  }
}
