import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import {
  EMPTY_LIST_ROOT,
  type EthereumHeader,
  NO_OMMERS_HASH,
  NO_REQUESTS_HASH,
} from '../../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'

/** This chain has no beacon chain. */
const NO_BEACON_ROOT = new Uint8Array(32)

/**
 * Returns a header of this node's own chain in Ethereum's form: the fields returned by the RPC, as its revision has
 * them. Its hash is not the block's, which is that of the consensus header.
 */
export function lockstepHeader(header: BlockHeader, revision: Revision): EthereumHeader {
  const since = <Value>(fork: Revision, value: Value): Value | undefined =>
    atLeast(revision, fork) ? value : undefined
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
    withdrawalsRoot: since('Shanghai', EMPTY_LIST_ROOT),
    blobGasUsed: since('Cancun', 0n),
    excessBlobGas: since('Cancun', 0n),
    parentBeaconBlockRoot: since('Cancun', NO_BEACON_ROOT),
    requestsHash: since('Prague', NO_REQUESTS_HASH),
  }
}
