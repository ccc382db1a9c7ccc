import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { CommitResponse } from '../application.ts'
import type { ChainEvent } from '../events/chain-event.ts'
import type { QueryResponse } from '../state-machine/state-query.ts'
import type { InitChainResult } from './abci-application.ts'
import {
  BIG_INTEGER,
  BOOLEAN,
  BYTES,
  type FieldType,
  INTEGER,
  MessageType,
  optionalMessage,
  repeated,
  STRING,
  UNSIGNED_INTEGER,
} from './message-type.ts'
import type { CheckTxResponse, ExecBlockResult, ExecTxResult, InfoResponse } from './messages.ts'
import { SNAPSHOT, VALIDATOR_UPDATE } from './request-codec.ts'
import type { AbciSnapshot, ApplyResult, OfferResult } from './snapshot-port.ts'

// Encoders of `Response` of tendermint.abci, CometBFT 0.38, with its length prefix.

/**
 * Returns the encoder of a response.
 * @param field number of the method in `Response`
 */
function response<Value, Message>(
  field: number,
  type: FieldType<Message>,
  messageOf: (value: Value) => Message,
): (value: Value) => Uint8Array {
  return (value) => {
    const writer = new BinaryWriter()
    writer.fork()
    type.write(writer, field, messageOf(value))
    return writer.join().finish()
  }
}

function encodeEmpty(field: number): Uint8Array {
  return response(field, new MessageType({}), () => ({}))(undefined)
}

/** Results by their numbers; 0 is unknown. */
const OFFER_RESULTS: readonly (OfferResult | undefined)[] = [
  undefined,
  'accept',
  'abort',
  'reject',
  'reject-format',
  'reject-sender',
]
const APPLY_RESULTS: readonly (ApplyResult['result'] | undefined)[] = [
  undefined,
  'accept',
  'abort',
  'retry',
  'retry-snapshot',
  'reject-snapshot',
]
const ACCEPT = 1
const REJECT = 2

const TEXT = new MessageType({ text: [1, STRING] })
const RESULT = new MessageType({ result: [1, UNSIGNED_INTEGER] })

const INFO = new MessageType<InfoResponse>({
  data: [1, STRING],
  version: [2, STRING],
  appVersion: [3, UNSIGNED_INTEGER],
  lastBlockHeight: [4, INTEGER],
  lastBlockAppHash: [5, BYTES],
})

const INIT_CHAIN = new MessageType<InitChainResult>({
  validators: [2, repeated(VALIDATOR_UPDATE)],
  appHash: [3, BYTES],
})

const PROOF_OP = new MessageType({ type: [1, STRING], key: [2, BYTES], data: [3, BYTES] })

const QUERY = new MessageType({
  code: [1, UNSIGNED_INTEGER],
  log: [3, STRING],
  key: [6, BYTES],
  value: [7, BYTES],
  proofOps: [8, optionalMessage(new MessageType({ ops: [1, repeated(PROOF_OP)] }))],
  height: [9, INTEGER],
  codespace: [10, STRING],
})

const CHECK_TX = new MessageType<CheckTxResponse>({
  code: [1, UNSIGNED_INTEGER],
  log: [3, STRING],
  gasWanted: [5, BIG_INTEGER],
  codespace: [8, STRING],
})

/** Numbers in one field. */
const PACKED: FieldType<readonly number[]> = {
  ...repeated(UNSIGNED_INTEGER),
  write: (writer, field, values) => {
    writer.tag(field, WireType.LengthDelimited).fork()
    for (const value of values) writer.uint32(value)
    writer.join()
  },
}

const APPLY = new MessageType({
  result: [1, UNSIGNED_INTEGER],
  refetchChunks: [2, PACKED],
  rejectSenders: [3, repeated(STRING)],
})

const EVENT = new MessageType<ChainEvent>({
  type: [1, STRING],
  attributes: [
    2,
    repeated(new MessageType({ key: [1, STRING], value: [2, STRING], index: [3, BOOLEAN] })),
  ],
})

const TX_RESULT = new MessageType<ExecTxResult>({
  code: [1, UNSIGNED_INTEGER],
  data: [2, BYTES],
  log: [3, STRING],
  gasWanted: [5, BIG_INTEGER],
  gasUsed: [6, BIG_INTEGER],
  events: [7, repeated(EVENT)],
  codespace: [8, STRING],
})

const FINALIZE_BLOCK = new MessageType<ExecBlockResult>({
  events: [1, repeated(EVENT)],
  txResults: [2, repeated(TX_RESULT)],
  validatorUpdates: [3, repeated(VALIDATOR_UPDATE)],
  appHash: [5, BYTES],
})

export const encodeException = response(1, TEXT, (text: string) => ({ text }))

export const encodeEcho = response(2, TEXT, (text: string) => ({ text }))

export const encodeFlush = (): Uint8Array => encodeEmpty(3)

export const encodeInfo = response(4, INFO, (info: InfoResponse) => info)

export const encodeInitChain = response(6, INIT_CHAIN, (result: InitChainResult) => result)

export const encodeQuery = response(7, QUERY, ({ proofOps: ops, ...answer }: QueryResponse) => ({
  ...answer,
  proofOps: ops.length > 0 ? { ops } : undefined,
}))

export const encodeCheckTx = response(9, CHECK_TX, (result: CheckTxResponse) => result)

export const encodeCommitResponse = response(
  12,
  new MessageType<CommitResponse>({ retainHeight: [3, INTEGER] }),
  (result: CommitResponse) => result,
)

export const encodeListSnapshots = response(
  13,
  new MessageType({ snapshots: [1, repeated(SNAPSHOT)] }),
  (snapshots: readonly AbciSnapshot[]) => ({ snapshots }),
)

export const encodeOffer = response(14, RESULT, (result: OfferResult) => ({
  result: OFFER_RESULTS.indexOf(result),
}))

export const encodeLoad = response(
  15,
  new MessageType({ chunk: [1, BYTES] }),
  (chunk: Uint8Array) => ({ chunk }),
)

export const encodeApply = response(16, APPLY, ({ result, ...answer }: ApplyResult) => ({
  ...answer,
  result: APPLY_RESULTS.indexOf(result),
}))

export const encodePrepare = response(
  17,
  new MessageType({ transactions: [1, repeated(BYTES)] }),
  (transactions: readonly Uint8Array[]) => ({ transactions }),
)

export const encodeProcess = response(18, RESULT, (isAccepted: boolean) => ({
  result: isAccepted ? ACCEPT : REJECT,
}))

export const encodeExtendVote = (): Uint8Array => encodeEmpty(19)

export const encodeVerifyVoteExtension = response(20, RESULT, (isAccepted: boolean) => ({
  result: isAccepted ? ACCEPT : REJECT,
}))

export const encodeFinalizeBlock = response(21, FINALIZE_BLOCK, (result: ExecBlockResult) => result)
