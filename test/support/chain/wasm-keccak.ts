import { keccak_256 } from '@noble/hashes/sha3.js'
import { readModule } from '../../../host/node/wasm.ts'
import { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'

const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))

/** Maximum number of bytes passed to commit.wasm. */
const MOST = 1 << 16

/** Computes Keccak-256 with commit.wasm, 15 µs faster than noble, for tests that hash very often. */
export function wasmKeccak256(bytes: Uint8Array): Uint8Array {
  return bytes.length > MOST ? keccak_256(bytes) : hasher.keccak256(bytes)
}
