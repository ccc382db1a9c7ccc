import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { requireCount } from '../../../base/writable.ts'
import { ByteWriter } from '../../../storage/store/codec/byte-writer.ts'
import type { TxResult } from '../application.ts'
import { merkleRoot } from './merkle.ts'
import { readProtoMessage, writeBytes, writeInteger, writeProtoMessage } from './proto.ts'

/** Typical size of an encoded result. */
const RESULT_BYTES = 48

/** Encodes a result as `ExecTxResult`, reduced to the deterministic fields: code, data and gas. */
function encodeTxResult({ code, data, gasWanted, gasUsed }: TxResult): Uint8Array {
  const writer = new ByteWriter(RESULT_BYTES)
  requireCount(code, 'a result code', 2 ** 32 - 1)
  writeInteger(writer, 1, code)
  writeBytes(writer, 2, data)
  writeInteger(writer, 5, gasWanted)
  writeInteger(writer, 6, gasUsed)
  return writer.finish()
}

function decodeTxResult(encoded: Uint8Array): TxResult {
  let code = 0
  let data: Uint8Array = EMPTY_BYTES
  let gasWanted = 0n
  let gasUsed = 0n
  readProtoMessage(encoded, {
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

/** Returns the encoding of each result of `encodeBlockResults`, as views. */
function resultsIn(encoded: Uint8Array): readonly Uint8Array[] {
  const results: Uint8Array[] = []
  readProtoMessage(encoded, {
    2: (reader) => {
      results.push(reader.bytes())
    },
  })
  return results
}

/**
 * Encodes results for storage: ABCI's `ResponseFinalizeBlock` without events, and without the app hash, which the
 * next header states.
 */
export function encodeBlockResults(txResults: readonly TxResult[]): Uint8Array {
  const writer = new ByteWriter((2 + RESULT_BYTES) * txResults.length)
  for (const result of txResults) writeProtoMessage(writer, 2, encodeTxResult(result))
  return writer.finish()
}

export function decodeBlockResults(encoded: Uint8Array): readonly TxResult[] {
  return resultsIn(encoded).map(decodeTxResult)
}

/** Returns `last_results_hash` of the next header: the Merkle root over the transactions' results. */
export function hashResults(txResults: readonly TxResult[]): Uint8Array {
  return hashEncodedResults(encodeBlockResults(txResults))
}

/** Like `hashResults`, for the results that `encodeBlockResults` has encoded. */
export function hashEncodedResults(encoded: Uint8Array): Uint8Array {
  return merkleRoot(resultsIn(encoded))
}
