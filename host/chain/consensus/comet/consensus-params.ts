import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { putInteger } from './proto.ts'
import { sha256 } from './sha256.ts'

export interface BlockParams {
  readonly maxBytes: number
  /** -1 for no limit. */
  readonly maxGas: bigint
}

/** Returns `consensus_hash`: CometBFT hashes only these two parameters (`HashedParams`). */
export function hashConsensusParams(params: BlockParams): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, params.maxBytes)
  putInteger(writer, 2, params.maxGas)
  return sha256(writer.finish())
}
