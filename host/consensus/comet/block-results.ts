import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { TxResult } from '../application.ts'
import { merkleRoot } from './merkle.ts'
import { putBytes, putInteger, putMessage, readMessage } from './proto.ts'

/** `ExecTxResult` reduced to what every node computes alike: code, data and gas. */
function encodeTxResult(result: TxResult): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, result.code)
  putBytes(writer, 2, result.data)
  putInteger(writer, 5, result.gasWanted)
  putInteger(writer, 6, result.gasUsed)
  return writer.finish()
}

function decodeTxResult(encoded: Uint8Array): TxResult {
  let code = 0
  let data: Uint8Array = EMPTY_BYTES
  let gasWanted = 0n
  let gasUsed = 0n
  readMessage(encoded, {
    1: (reader) => {
      code = reader.uint32()
    },
    2: (reader) => {
      data = reader.bytes()
    },
    5: (reader) => {
      gasWanted = BigInt(reader.int64())
    },
    6: (reader) => {
      gasUsed = BigInt(reader.int64())
    },
  })
  return { code, data, gasWanted, gasUsed }
}

/**
 * ABCI's `ResponseFinalizeBlock` without events and app hash, which the next header states: the form in
 * which results are stored.
 */
export function encodeBlockResults(txResults: readonly TxResult[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const result of txResults) putMessage(writer, 2, encodeTxResult(result))
  return writer.finish()
}

export function decodeBlockResults(encoded: Uint8Array): readonly TxResult[] {
  const txResults: TxResult[] = []
  readMessage(encoded, {
    2: (reader) => {
      txResults.push(decodeTxResult(reader.bytes()))
    },
  })
  return txResults
}

/** `last_results_hash` of the next header: the Merkle root over the transactions' results. */
export function hashResults(txResults: readonly TxResult[]): Uint8Array {
  return merkleRoot(txResults.map(encodeTxResult))
}
