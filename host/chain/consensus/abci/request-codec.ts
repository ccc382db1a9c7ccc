import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { CommitVote, InitChainRequest, Misbehavior, ValidatorUpdate } from '../application.ts'
import { BLOCK_ID_FLAG } from '../comet/commit.ts'
import { PUBLIC_KEY_LENGTH } from '../comet/ed25519.ts'
import type { QueryRequest } from '../state-machine/state-query.ts'
import {
  BOOLEAN,
  BYTES,
  INTEGER,
  invalidAbci,
  MessageType,
  mapped,
  repeated,
  STRING,
  TIME,
  UNSIGNED_INTEGER,
} from './message-type.ts'
import type {
  CheckTxRequest,
  HashedBlock,
  InfoRequest,
  PrepareProposalRequest,
} from './messages.ts'
import type { AbciRequest, ChunkRequest } from './request.ts'
import type { AbciSnapshot, SnapshotChunk, SnapshotOffer } from './snapshot-port.ts'

// `Request` of tendermint.abci, CometBFT 0.38. As in protobuf, unused fields are skipped and absent fields have their
// defaults.

/** The key is tendermint.crypto.PublicKey, in which ed25519 is field 1. */
export const VALIDATOR_UPDATE = mapped(
  new MessageType<{ readonly key: { readonly ed25519: Uint8Array }; readonly power: number }>({
    key: [1, new MessageType({ ed25519: [1, BYTES] })],
    power: [2, INTEGER],
  }),
  ({ key: { ed25519: publicKey }, power }): ValidatorUpdate => {
    if (publicKey.length === PUBLIC_KEY_LENGTH) return { publicKey, power }
    throw invalidAbci(`a validator has no ed25519 key of ${PUBLIC_KEY_LENGTH} bytes`)
  },
  ({ publicKey, power }) => ({ key: { ed25519: publicKey }, power }),
)

export const SNAPSHOT = new MessageType<AbciSnapshot>({
  height: [1, UNSIGNED_INTEGER],
  format: [2, UNSIGNED_INTEGER],
  chunks: [3, UNSIGNED_INTEGER],
  hash: [4, BYTES],
  metadata: [5, BYTES],
})

const OFFENCES: readonly Misbehavior['kind'][] = ['duplicate-vote', 'light-client-attack']

const MISBEHAVIOR = mapped(
  new MessageType({
    type: [1, UNSIGNED_INTEGER],
    validator: [2, new MessageType({ address: [1, BYTES], power: [3, INTEGER] })],
    height: [3, INTEGER],
    time: [4, TIME],
  }),
  ({ type, validator, height, time }): Misbehavior => {
    const kind = OFFENCES[type - 1]
    if (kind === undefined) throw invalidAbci(`unknown type of misbehavior: ${type}`)
    return { kind, validatorAddress: validator.address, power: validator.power, height, time }
  },
  ({ kind, validatorAddress: address, power, height, time }) => ({
    type: OFFENCES.indexOf(kind) + 1,
    validator: { address, power },
    height,
    time,
  }),
)

const VOTE = mapped(
  new MessageType({
    validator: [1, new MessageType({ address: [1, BYTES] })],
    blockIdFlag: [3, UNSIGNED_INTEGER],
  }),
  ({ validator, blockIdFlag }): CommitVote => ({
    validatorAddress: validator.address,
    isAbsent: blockIdFlag === BLOCK_ID_FLAG.ABSENT,
  }),
  ({ validatorAddress: address, isAbsent }) => ({
    validator: { address },
    blockIdFlag: isAbsent ? BLOCK_ID_FLAG.ABSENT : BLOCK_ID_FLAG.COMMIT,
  }),
)

/** `CommitInfo`. */
const VOTES = mapped(
  new MessageType({ votes: [2, repeated(VOTE)] }),
  ({ votes }): readonly CommitVote[] => votes,
  (votes) => ({ votes }),
)

const ECHO = new MessageType({ message: [1, STRING] })

const INFO = new MessageType<InfoRequest>({
  version: [1, STRING],
  blockVersion: [2, UNSIGNED_INTEGER],
  p2pVersion: [3, UNSIGNED_INTEGER],
  abciVersion: [4, STRING],
})

const INIT_CHAIN = new MessageType<InitChainRequest>({
  time: [1, TIME],
  chainId: [2, STRING],
  validators: [4, repeated(VALIDATOR_UPDATE)],
  initialHeight: [6, INTEGER],
})

const QUERY = new MessageType<QueryRequest>({
  data: [1, BYTES],
  path: [2, STRING],
  height: [3, INTEGER],
  prove: [4, BOOLEAN],
})

const CHECK_TX = new MessageType({ transaction: [1, BYTES], type: [2, UNSIGNED_INTEGER] })

const OFFER = new MessageType<SnapshotOffer>({ snapshot: [1, SNAPSHOT], appHash: [2, BYTES] })

const LOAD = new MessageType<ChunkRequest>({
  height: [1, UNSIGNED_INTEGER],
  format: [2, UNSIGNED_INTEGER],
  index: [3, UNSIGNED_INTEGER],
})

const APPLY = new MessageType<SnapshotChunk>({
  index: [1, UNSIGNED_INTEGER],
  chunk: [2, BYTES],
  sender: [3, STRING],
})

const PREPARE = new MessageType<PrepareProposalRequest>({
  maxTxBytes: [1, INTEGER],
  transactions: [2, repeated(BYTES)],
  misbehavior: [4, repeated(MISBEHAVIOR)],
  height: [5, INTEGER],
  time: [6, TIME],
  proposerAddress: [8, BYTES],
})

/** `RequestProcessProposal` and `RequestFinalizeBlock` have the same fields. */
const BLOCK = new MessageType<HashedBlock>({
  transactions: [1, repeated(BYTES)],
  votes: [2, VOTES],
  misbehavior: [3, repeated(MISBEHAVIOR)],
  hash: [4, BYTES],
  height: [5, INTEGER],
  time: [6, TIME],
  proposerAddress: [8, BYTES],
})

const VERIFY = new MessageType({ extension: [4, BYTES] })

function decodeCheckTx(encoded: Uint8Array): CheckTxRequest {
  const { transaction, type } = CHECK_TX.decode(encoded)
  // Copy: the mempool may retain it, and a view would retain the whole chunk.
  return { transaction: transaction.slice(), isRecheck: type === 1 }
}

/** Decoders by the field number of the method in `Request`. */
const METHODS: Readonly<Record<number, (encoded: Uint8Array) => AbciRequest>> = {
  1: (encoded) => ({ method: 'echo', ...ECHO.decode(encoded) }),
  2: () => ({ method: 'flush' }),
  3: (encoded) => ({ method: 'info', request: INFO.decode(encoded) }),
  5: (encoded) => ({ method: 'init_chain', request: INIT_CHAIN.decode(encoded) }),
  6: (encoded) => ({ method: 'query', request: QUERY.decode(encoded) }),
  8: (encoded) => ({ method: 'check_tx', request: decodeCheckTx(encoded) }),
  11: () => ({ method: 'commit' }),
  12: () => ({ method: 'list_snapshots' }),
  13: (encoded) => ({ method: 'offer_snapshot', request: OFFER.decode(encoded) }),
  14: (encoded) => ({ method: 'load_snapshot_chunk', request: LOAD.decode(encoded) }),
  15: (encoded) => ({ method: 'apply_snapshot_chunk', request: APPLY.decode(encoded) }),
  16: (encoded) => ({ method: 'prepare_proposal', request: PREPARE.decode(encoded) }),
  17: (encoded) => ({ method: 'process_proposal', request: BLOCK.decode(encoded) }),
  18: () => ({ method: 'extend_vote' }),
  19: (encoded) => ({ method: 'verify_vote_extension', ...VERIFY.decode(encoded) }),
  20: (encoded) => ({ method: 'finalize_block', request: BLOCK.decode(encoded) }),
}

/**
 * Decodes a request. Its byte fields are views of `message`.
 * @throws PEER_INVALID
 */
export function decodeRequest(message: Uint8Array): AbciRequest {
  try {
    const reader = new BinaryReader(message)
    let request: AbciRequest | undefined
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag()
      const decode = METHODS[field]
      if (decode === undefined || wireType !== WireType.LengthDelimited)
        reader.skip(wireType, field)
      else request = decode(reader.bytes())
    }
    if (request !== undefined) return request
  } catch (cause) {
    if (cause instanceof LockstepError) throw cause
    throw new LockstepError('PEER_INVALID', `ABCI: a message cannot be read: ${messageOf(cause)}`)
  }
  throw invalidAbci('a message has an unknown method')
}
