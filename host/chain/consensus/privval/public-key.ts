import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { putBytes, readProtoMessage } from '../comet/proto.ts'

/** Encodes an ed25519 key as `tendermint.crypto.PublicKey`. */
export function encodePublicKey(key: Uint8Array): Uint8Array {
  const writer = new BinaryWriter()
  putBytes(writer, 1, key)
  return writer.finish()
}

/** Decodes `tendermint.crypto.PublicKey`; undefined if it holds no ed25519 key. */
export function decodePublicKey(encoded: Uint8Array): Uint8Array | undefined {
  let key: Uint8Array | undefined
  readProtoMessage(encoded, {
    1: (reader) => {
      key = Uint8Array.from(reader.bytes())
    },
  })
  return key
}
