import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type {
  CommitmentProof,
  ExistenceProof,
  InnerOp,
} from '../../../storage/commit/proof/commitment-proof.ts'
import { putBytes, putInteger, putMessage } from './proto.ts'

/** `HashOp.SHA256` and `LengthOp.VAR_PROTO`; 0 stands for no operation in both enums. */
const SHA256 = 1
const VAR_PROTO = 1

function encodeLeafOp(prefix: Uint8Array): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, SHA256)
  // Field 2, the hash of the key, is omitted: keys are not hashed.
  putInteger(writer, 3, SHA256)
  putInteger(writer, 4, VAR_PROTO)
  putBytes(writer, 5, prefix)
  return writer.finish()
}

function encodeInnerOp({ prefix, suffix }: InnerOp): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, SHA256)
  putBytes(writer, 2, prefix)
  putBytes(writer, 3, suffix)
  return writer.finish()
}

function encodeExistence({ key, value, leafPrefix, path }: ExistenceProof): Uint8Array {
  const writer = new BinaryWriter()
  putBytes(writer, 1, key)
  putBytes(writer, 2, value)
  putMessage(writer, 3, encodeLeafOp(leafPrefix))
  for (const op of path) putMessage(writer, 4, encodeInnerOp(op))
  return writer.finish()
}

/** Encodes `cosmos.ics23.v1.CommitmentProof`, the data of a query's proof operations. */
export function encodeCommitmentProof(proof: CommitmentProof): Uint8Array {
  const writer = new BinaryWriter()
  if (proof.kind === 'exist') {
    putMessage(writer, 1, encodeExistence(proof))
    return writer.finish()
  }
  const { key, left, right } = proof
  const absence = new BinaryWriter()
  putBytes(absence, 1, key)
  if (left !== undefined) putMessage(absence, 2, encodeExistence(left))
  if (right !== undefined) putMessage(absence, 3, encodeExistence(right))
  putMessage(writer, 2, absence.finish())
  return writer.finish()
}
