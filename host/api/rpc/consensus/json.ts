import { hexDigits } from '../../../base/hex.ts'
import { formatTime } from '../../../base/time.ts'
import type { CometBlock } from '../../../chain/consensus/comet/block.ts'
import type { BlockId } from '../../../chain/consensus/comet/block-id.ts'
import type { Commit } from '../../../chain/consensus/comet/commit.ts'
import type { CometHeader } from '../../../chain/consensus/comet/header.ts'
import type { CometValidator } from '../../../chain/consensus/comet/validator-set.ts'
import { PUBLIC_KEY_TYPE } from '../../../chain/consensus/validator/key-file.ts'

// CometBFT's JSON: 64-bit integers are decimal strings, hashes and addresses upper-case hex, other bytes base64,
// times RFC 3339 with as many fractional digits as needed.

export function formatHash(bytes: Uint8Array): string {
  return hexDigits(bytes).toUpperCase()
}

export function formatBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

export function publicKeyJson(publicKey: Uint8Array): object {
  return { type: PUBLIC_KEY_TYPE, value: formatBytes(publicKey) }
}

export function cometValidatorJson({ address, publicKey, power }: CometValidator): object {
  return {
    address: formatHash(address),
    pub_key: publicKeyJson(publicKey),
    voting_power: String(power),
    proposer_priority: '0',
  }
}

export function blockIdJson(id: BlockId): object {
  return {
    hash: formatHash(id.hash),
    parts: { total: id.parts.total, hash: formatHash(id.parts.hash) },
  }
}

export function headerJson(header: CometHeader): object {
  return {
    version: { block: String(header.version.block), app: String(header.version.app) },
    chain_id: header.chainId,
    height: String(header.height),
    time: formatTime(header.time),
    last_block_id: blockIdJson(header.lastBlockId),
    last_commit_hash: formatHash(header.lastCommitHash),
    data_hash: formatHash(header.dataHash),
    validators_hash: formatHash(header.validatorsHash),
    next_validators_hash: formatHash(header.nextValidatorsHash),
    consensus_hash: formatHash(header.consensusHash),
    app_hash: formatHash(header.appHash),
    last_results_hash: formatHash(header.lastResultsHash),
    evidence_hash: formatHash(header.evidenceHash),
    proposer_address: formatHash(header.proposerAddress),
  }
}

export function commitJson(commit: Commit): object {
  return {
    height: String(commit.height),
    round: commit.round,
    block_id: blockIdJson(commit.blockId),
    signatures: commit.signatures.map((vote) => ({
      block_id_flag: vote.blockIdFlag,
      validator_address: formatHash(vote.validatorAddress),
      timestamp: formatTime(vote.timestamp),
      signature: vote.signature.length === 0 ? null : formatBytes(vote.signature),
    })),
  }
}

export function blockJson(block: CometBlock): object {
  return {
    header: headerJson(block.header),
    data: { txs: block.transactions.map(formatBytes) },
    evidence: { evidence: [] },
    last_commit: commitJson(block.lastCommit),
  }
}
