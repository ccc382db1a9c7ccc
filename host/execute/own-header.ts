import { EMPTY_BYTES } from '../base/bytes.ts'
import type { BlockHeader } from '../chain-types/block.ts'
import type { EthereumHeader } from '../chain-types/ethereum-header.ts'
import { NO_OMMERS_HASH } from './ethereum/header-rules.ts'

/**
 * A header of this node's own chain in the form of Ethereum's, field by field what its record shows. Its
 * hash is not the block's: that is the hash of the consensus header.
 */
export function ownHeader(header: BlockHeader): EthereumHeader {
  return {
    parentHash: header.parentHash,
    ommersHash: NO_OMMERS_HASH,
    coinbase: header.miner,
    stateRoot: header.stateRoot,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    difficulty: 0n,
    number: BigInt(header.number),
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    timestamp: BigInt(header.timestamp),
    extraData: EMPTY_BYTES,
    mixHash: header.prevRandao,
    nonce: new Uint8Array(8),
    baseFeePerGas: header.baseFeePerGas,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  }
}
