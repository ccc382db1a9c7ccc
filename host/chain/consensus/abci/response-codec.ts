import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { CommitResponse, ValidatorUpdate } from '../application.ts'
import { putBytes, putInteger, putMessage, putString } from '../comet/proto.ts'
import type { ChainEvent } from '../events/chain-event.ts'
import type { QueryResponse } from '../state-machine/state-query.ts'
import type { InitChainResult } from './abci-application.ts'
import type { CheckTxResponse, ExecBlockResult, ExecTxResult, InfoResponse } from './messages.ts'
import type { AbciSnapshot, ApplyResult, OfferResult } from './snapshot-port.ts'

// Encodes `Response` of tendermint.abci, CometBFT 0.38, with its length prefix.

/** Enum values of the results in numeric order; 0 is unknown. */
const OFFER_RESULTS: readonly OfferResult[] = [
  'accept',
  'abort',
  'reject',
  'reject-format',
  'reject-sender',
]
const APPLY_RESULTS: readonly ApplyResult['result'][] = [
  'accept',
  'abort',
  'retry',
  'retry-snapshot',
  'reject-snapshot',
]
const ACCEPT = 1
const REJECT = 2

type Put = (writer: BinaryWriter) => void

function putNested(writer: BinaryWriter, field: number, put: Put): void {
  writer.tag(field, WireType.LengthDelimited).fork()
  put(writer)
  writer.join()
}

/** @param field number of the method in `Response` */
function response(field: number, put: Put): Uint8Array {
  const writer = new BinaryWriter()
  writer.fork()
  putNested(writer, field, put)
  return writer.join().finish()
}

const nothing: Put = () => undefined

export function encodeException(error: string): Uint8Array {
  return response(1, (writer) => putString(writer, 1, error))
}

export function encodeEcho(message: string): Uint8Array {
  return response(2, (writer) => putString(writer, 1, message))
}

export function encodeFlush(): Uint8Array {
  return response(3, nothing)
}

export function encodeInfo(info: InfoResponse): Uint8Array {
  return response(4, (writer) => {
    putString(writer, 1, info.data)
    putString(writer, 2, info.version)
    putInteger(writer, 3, info.appVersion)
    putInteger(writer, 4, info.lastBlockHeight)
    putBytes(writer, 5, info.lastBlockAppHash)
  })
}

function putValidatorUpdate(writer: BinaryWriter, { publicKey, power }: ValidatorUpdate): void {
  putNested(writer, 1, () => putBytes(writer, 1, publicKey))
  putInteger(writer, 2, power)
}

export function encodeInitChain({ appHash, validators }: InitChainResult): Uint8Array {
  return response(6, (writer) => {
    for (const update of validators) {
      putNested(writer, 2, () => putValidatorUpdate(writer, update))
    }
    putBytes(writer, 3, appHash)
  })
}

export function encodeQuery(answer: QueryResponse): Uint8Array {
  return response(7, (writer) => {
    putInteger(writer, 1, answer.code)
    putString(writer, 3, answer.log)
    putBytes(writer, 6, answer.key)
    putBytes(writer, 7, answer.value)
    if (answer.proofOps.length > 0) {
      putNested(writer, 8, () => {
        for (const { type, key, data } of answer.proofOps) {
          putNested(writer, 1, () => {
            putString(writer, 1, type)
            putBytes(writer, 2, key)
            putBytes(writer, 3, data)
          })
        }
      })
    }
    putInteger(writer, 9, answer.height)
    putString(writer, 10, answer.codespace)
  })
}

export function encodeCheckTx({ code, log, gasWanted, codespace }: CheckTxResponse): Uint8Array {
  return response(9, (writer) => {
    putInteger(writer, 1, code)
    putString(writer, 3, log)
    putInteger(writer, 5, gasWanted)
    putString(writer, 8, codespace)
  })
}

export function encodeCommitResponse({ retainHeight }: CommitResponse): Uint8Array {
  return response(12, (writer) => putInteger(writer, 3, retainHeight))
}

function putSnapshot(writer: BinaryWriter, snapshot: AbciSnapshot): void {
  putInteger(writer, 1, snapshot.height)
  putInteger(writer, 2, snapshot.format)
  putInteger(writer, 3, snapshot.chunks)
  putBytes(writer, 4, snapshot.hash)
  putBytes(writer, 5, snapshot.metadata)
}

export function encodeListSnapshots(snapshots: readonly AbciSnapshot[]): Uint8Array {
  return response(13, (writer) => {
    for (const snapshot of snapshots) putNested(writer, 1, () => putSnapshot(writer, snapshot))
  })
}

export function encodeOffer(result: OfferResult): Uint8Array {
  return response(14, (writer) => putInteger(writer, 1, OFFER_RESULTS.indexOf(result) + 1))
}

export function encodeLoad(chunk: Uint8Array): Uint8Array {
  return response(15, (writer) => putBytes(writer, 1, chunk))
}

export function encodeApply(answer: ApplyResult): Uint8Array {
  return response(16, (writer) => {
    putInteger(writer, 1, APPLY_RESULTS.indexOf(answer.result) + 1)
    if (answer.refetchChunks.length > 0) {
      putNested(writer, 2, () => {
        for (const index of answer.refetchChunks) writer.uint32(index)
      })
    }
    for (const sender of answer.rejectSenders) {
      writer.tag(3, WireType.LengthDelimited).string(sender)
    }
  })
}

export function encodePrepare(transactions: readonly Uint8Array[]): Uint8Array {
  return response(17, (writer) => {
    for (const transaction of transactions) putMessage(writer, 1, transaction)
  })
}

export function encodeProcess(isAccepted: boolean): Uint8Array {
  return response(18, (writer) => putInteger(writer, 1, isAccepted ? ACCEPT : REJECT))
}

export function encodeExtendVote(): Uint8Array {
  return response(19, nothing)
}

export function encodeVerifyVoteExtension(isAccepted: boolean): Uint8Array {
  return response(20, (writer) => putInteger(writer, 1, isAccepted ? ACCEPT : REJECT))
}

function putEvent(writer: BinaryWriter, { type, attributes }: ChainEvent): void {
  putString(writer, 1, type)
  for (const { key, value, index } of attributes) {
    putNested(writer, 2, () => {
      putString(writer, 1, key)
      putString(writer, 2, value)
      putInteger(writer, 3, index ? 1 : 0)
    })
  }
}

function putEvents(writer: BinaryWriter, field: number, events: readonly ChainEvent[]): void {
  for (const event of events) putNested(writer, field, () => putEvent(writer, event))
}

function putTxResult(writer: BinaryWriter, result: ExecTxResult): void {
  putInteger(writer, 1, result.code)
  putBytes(writer, 2, result.data)
  putString(writer, 3, result.log)
  putInteger(writer, 5, result.gasWanted)
  putInteger(writer, 6, result.gasUsed)
  putEvents(writer, 7, result.events)
  putString(writer, 8, result.codespace)
}

export function encodeFinalizeBlock(result: ExecBlockResult): Uint8Array {
  return response(21, (writer) => {
    putEvents(writer, 1, result.events)
    for (const each of result.txResults) putNested(writer, 2, () => putTxResult(writer, each))
    for (const update of result.validatorUpdates) {
      putNested(writer, 3, () => putValidatorUpdate(writer, update))
    }
    putBytes(writer, 5, result.appHash)
  })
}
