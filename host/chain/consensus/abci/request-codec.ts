import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import type { InitChainRequest, Misbehavior, ValidatorUpdate } from '../application.ts'
import { PUBLIC_KEY_LENGTH } from '../comet/ed25519.ts'
import { readProtoMessage } from '../comet/proto.ts'
import { ZERO_TIME } from '../comet/timestamp.ts'
import type { QueryRequest } from '../state-machine/state-query.ts'
import {
  booleanField,
  bytesField,
  integerField,
  invalidAbci,
  stringField,
  timeField,
  unsignedField,
} from './field-readers.ts'
import type {
  CheckTxRequest,
  HashedBlock,
  InfoRequest,
  PrepareProposalRequest,
} from './messages.ts'
import type { AbciRequest, ChunkRequest } from './request.ts'
import type { AbciSnapshot, SnapshotChunk, SnapshotOffer } from './snapshot-port.ts'

// Decodes `Request` of tendermint.abci, CometBFT 0.38. As in protobuf, unused fields are skipped and absent fields
// have their defaults.

function decodeEcho(encoded: Uint8Array): AbciRequest {
  let message = ''
  readProtoMessage(encoded, {
    1: stringField((value) => {
      message = value
    }),
  })
  return { method: 'echo', message }
}

function decodeInfo(encoded: Uint8Array): InfoRequest {
  const request = { version: '', blockVersion: 0, p2pVersion: 0, abciVersion: '' }
  readProtoMessage(encoded, {
    1: stringField((value) => {
      request.version = value
    }),
    2: unsignedField((value) => {
      request.blockVersion = value
    }),
    3: unsignedField((value) => {
      request.p2pVersion = value
    }),
    4: stringField((value) => {
      request.abciVersion = value
    }),
  })
  return request
}

/** Decodes tendermint.crypto.PublicKey, in which ed25519 is field 1. */
function decodePublicKey(encoded: Uint8Array): Uint8Array {
  let publicKey = EMPTY_BYTES
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      publicKey = value
    }),
  })
  if (publicKey.length === PUBLIC_KEY_LENGTH) return publicKey
  throw invalidAbci(`a validator has no ed25519 key of ${PUBLIC_KEY_LENGTH} bytes`)
}

function decodeValidatorUpdate(encoded: Uint8Array): ValidatorUpdate {
  let key = EMPTY_BYTES
  let power = 0
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      key = value
    }),
    2: integerField((value) => {
      power = value
    }),
  })
  return { publicKey: decodePublicKey(key), power }
}

function decodeInitChain(encoded: Uint8Array): InitChainRequest {
  let chainId = ''
  let time = ZERO_TIME
  let initialHeight = 0
  const validators: ValidatorUpdate[] = []
  readProtoMessage(encoded, {
    1: timeField((value) => {
      time = value
    }),
    2: stringField((value) => {
      chainId = value
    }),
    4: bytesField((value) => {
      validators.push(decodeValidatorUpdate(value))
    }),
    6: integerField((value) => {
      initialHeight = value
    }),
  })
  return { chainId, time, initialHeight, validators }
}

function decodeQuery(encoded: Uint8Array): QueryRequest {
  const request = { data: EMPTY_BYTES, path: '', height: 0, prove: false }
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      request.data = value
    }),
    2: stringField((value) => {
      request.path = value
    }),
    3: integerField((value) => {
      request.height = value
    }),
    4: booleanField((value) => {
      request.prove = value
    }),
  })
  return request
}

function decodeCheckTx(encoded: Uint8Array): CheckTxRequest {
  let transaction = EMPTY_BYTES
  let isRecheck = false
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      // Copy: the mempool may retain it, and a view would retain the whole chunk.
      transaction = value.slice()
    }),
    2: unsignedField((value) => {
      isRecheck = value === 1
    }),
  })
  return { transaction, isRecheck }
}

function decodeSnapshot(encoded: Uint8Array): AbciSnapshot {
  const snapshot = { height: 0, format: 0, chunks: 0, hash: EMPTY_BYTES, metadata: EMPTY_BYTES }
  readProtoMessage(encoded, {
    1: unsignedField((value) => {
      snapshot.height = value
    }),
    2: unsignedField((value) => {
      snapshot.format = value
    }),
    3: unsignedField((value) => {
      snapshot.chunks = value
    }),
    4: bytesField((value) => {
      snapshot.hash = value
    }),
    5: bytesField((value) => {
      snapshot.metadata = value
    }),
  })
  return snapshot
}

function decodeOffer(encoded: Uint8Array): SnapshotOffer {
  let snapshot = EMPTY_BYTES
  let appHash = EMPTY_BYTES
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      snapshot = value
    }),
    2: bytesField((value) => {
      appHash = value
    }),
  })
  return { snapshot: decodeSnapshot(snapshot), appHash }
}

function decodeLoad(encoded: Uint8Array): ChunkRequest {
  const request = { height: 0, format: 0, index: 0 }
  readProtoMessage(encoded, {
    1: unsignedField((value) => {
      request.height = value
    }),
    2: unsignedField((value) => {
      request.format = value
    }),
    3: unsignedField((value) => {
      request.index = value
    }),
  })
  return request
}

function decodeApply(encoded: Uint8Array): SnapshotChunk {
  const request = { index: 0, chunk: EMPTY_BYTES, sender: '' }
  readProtoMessage(encoded, {
    1: unsignedField((value) => {
      request.index = value
    }),
    2: bytesField((value) => {
      request.chunk = value
    }),
    3: stringField((value) => {
      request.sender = value
    }),
  })
  return request
}

const OFFENCES: readonly Misbehavior['kind'][] = ['duplicate-vote', 'light-client-attack']

function decodeMisbehavior(encoded: Uint8Array): Misbehavior {
  let type = 0
  let validatorAddress = EMPTY_BYTES
  let power = 0
  let height = 0
  let time = ZERO_TIME
  readProtoMessage(encoded, {
    1: unsignedField((value) => {
      type = value
    }),
    2: bytesField((validator) => {
      readProtoMessage(validator, {
        1: bytesField((value) => {
          validatorAddress = value
        }),
        3: integerField((value) => {
          power = value
        }),
      })
    }),
    3: integerField((value) => {
      height = value
    }),
    4: timeField((value) => {
      time = value
    }),
  })
  const kind = OFFENCES[type - 1]
  if (kind === undefined) throw invalidAbci(`unknown type of misbehavior: ${type}`)
  return { kind, validatorAddress, power, height, time }
}

/** `RequestProcessProposal` and `RequestFinalizeBlock` have the same fields. */
function decodeBlock(encoded: Uint8Array): HashedBlock {
  const transactions: Uint8Array[] = []
  const misbehavior: Misbehavior[] = []
  const block = { hash: EMPTY_BYTES, height: 0, time: ZERO_TIME, proposerAddress: EMPTY_BYTES }
  readProtoMessage(encoded, {
    1: bytesField((value) => {
      transactions.push(value)
    }),
    3: bytesField((value) => {
      misbehavior.push(decodeMisbehavior(value))
    }),
    4: bytesField((value) => {
      block.hash = value
    }),
    5: integerField((value) => {
      block.height = value
    }),
    6: timeField((value) => {
      block.time = value
    }),
    8: bytesField((value) => {
      block.proposerAddress = value
    }),
  })
  return { ...block, transactions, misbehavior }
}

function decodePrepare(encoded: Uint8Array): PrepareProposalRequest {
  const transactions: Uint8Array[] = []
  const misbehavior: Misbehavior[] = []
  const request = { maxTxBytes: 0, height: 0, time: ZERO_TIME, proposerAddress: EMPTY_BYTES }
  readProtoMessage(encoded, {
    1: integerField((value) => {
      request.maxTxBytes = value
    }),
    2: bytesField((value) => {
      transactions.push(value)
    }),
    4: bytesField((value) => {
      misbehavior.push(decodeMisbehavior(value))
    }),
    5: integerField((value) => {
      request.height = value
    }),
    6: timeField((value) => {
      request.time = value
    }),
    8: bytesField((value) => {
      request.proposerAddress = value
    }),
  })
  return { ...request, transactions, misbehavior }
}

function decodeVerify(encoded: Uint8Array): AbciRequest {
  let extension = EMPTY_BYTES
  readProtoMessage(encoded, {
    4: bytesField((value) => {
      extension = value
    }),
  })
  return { method: 'verify_vote_extension', extension }
}

/** Decoders by the field number of the method in `Request`. */
const METHODS: Readonly<Record<number, (encoded: Uint8Array) => AbciRequest>> = {
  1: decodeEcho,
  2: () => ({ method: 'flush' }),
  3: (encoded) => ({ method: 'info', request: decodeInfo(encoded) }),
  5: (encoded) => ({ method: 'init_chain', request: decodeInitChain(encoded) }),
  6: (encoded) => ({ method: 'query', request: decodeQuery(encoded) }),
  8: (encoded) => ({ method: 'check_tx', request: decodeCheckTx(encoded) }),
  11: () => ({ method: 'commit' }),
  12: () => ({ method: 'list_snapshots' }),
  13: (encoded) => ({ method: 'offer_snapshot', request: decodeOffer(encoded) }),
  14: (encoded) => ({ method: 'load_snapshot_chunk', request: decodeLoad(encoded) }),
  15: (encoded) => ({ method: 'apply_snapshot_chunk', request: decodeApply(encoded) }),
  16: (encoded) => ({ method: 'prepare_proposal', request: decodePrepare(encoded) }),
  17: (encoded) => ({ method: 'process_proposal', request: decodeBlock(encoded) }),
  18: () => ({ method: 'extend_vote' }),
  19: decodeVerify,
  20: (encoded) => ({ method: 'finalize_block', request: decodeBlock(encoded) }),
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
