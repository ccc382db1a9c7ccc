import { EMPTY_BYTES } from '../base/bytes.ts'
import { parseFixedData } from '../base/hex.ts'
import type { BlockHeader } from '../chain-types/block.ts'
import type { EthereumHeader } from '../chain-types/ethereum-header.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'
import { NO_OMMERS_HASH } from './ethereum/header-rules.ts'

/** Root of the trie of no withdrawals: Keccak-256 of the RLP of an empty string. */
const NO_WITHDRAWALS_ROOT = parseFixedData(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  32,
)
/** SHA-256 of nothing (EIP-7685). */
const NO_REQUESTS_HASH = parseFixedData(
  '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  32,
)
/** There is no beacon chain. */
const NO_BEACON_ROOT = new Uint8Array(32)

/**
 * A header of this node's own chain in the form of Ethereum's, field by field what its record shows, as
 * its revision has them. Its hash is not the block's: that is the hash of the consensus header.
 */
export function ownHeader(header: BlockHeader, revision: Revision): EthereumHeader {
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
    withdrawalsRoot: since('Shanghai', NO_WITHDRAWALS_ROOT),
    blobGasUsed: since('Cancun', 0n),
    excessBlobGas: since('Cancun', 0n),
    parentBeaconBlockRoot: since('Cancun', NO_BEACON_ROOT),
    requestsHash: since('Prague', NO_REQUESTS_HASH),
  }
}
