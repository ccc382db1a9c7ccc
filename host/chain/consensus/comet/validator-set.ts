import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { compareBytes } from '../../../base/bytes.ts'
import { merkleRoot } from './merkle.ts'
import { putBytes, putInteger, putMessage } from './proto.ts'
import { sha256 } from './sha256.ts'

const ADDRESS_LENGTH = 20

export interface CometValidator {
  /** ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** First 20 bytes of the key's SHA-256. */
  readonly address: Uint8Array
  readonly power: number
}

/** Returns the 20-byte address of an ed25519 public key. */
export function cometAddress(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, ADDRESS_LENGTH)
}

/** Returns the set in CometBFT's order: by descending power, then by address. */
export function validatorSet(
  members: readonly { readonly publicKey: Uint8Array; readonly power: number }[],
): readonly CometValidator[] {
  return members
    .map(({ publicKey, power }) => ({ publicKey, power, address: cometAddress(publicKey) }))
    .sort((a, b) => b.power - a.power || compareBytes(a.address, b.address))
}

function encodeSimpleValidator(validator: CometValidator): Uint8Array {
  const publicKey = new BinaryWriter()
  putBytes(publicKey, 1, validator.publicKey)
  const writer = new BinaryWriter()
  putMessage(writer, 1, publicKey.finish())
  putInteger(writer, 2, validator.power)
  return writer.finish()
}

/** Returns `validators_hash`: the Merkle root over public keys and powers. */
export function hashValidators(validators: readonly CometValidator[]): Uint8Array {
  return merkleRoot(validators.map(encodeSimpleValidator))
}
