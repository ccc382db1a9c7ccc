import { keccak_256 } from '@noble/hashes/sha3.js'
import type { RpcCall } from '../call/method.ts'

/** Bytes hashed between two questions for a turn: some half of a millisecond. */
const CHUNK = 16_384

/**
 * Keccak-256 of bytes whose number only the request's size bounds: in pieces, because the engine takes no
 * more than its buffer holds, and because 2 MiB at once keep the chain's thread for long.
 */
export async function hashInTurns(call: RpcCall, bytes: Uint8Array): Promise<Uint8Array> {
  const hash = keccak_256.create()
  for (let at = 0; at < bytes.length; at += CHUNK) {
    hash.update(bytes.subarray(at, at + CHUNK))
    const turn = call.turn()
    if (turn !== undefined) await turn
  }
  return hash.digest()
}
