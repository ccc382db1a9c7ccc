import { CommitHasher } from '../storage/commit/hash/commit-hasher.ts'
import { readModule } from './wasm.ts'

/** Returns the hashing of commit.wasm in its own instance. Throws as `readModule`. */
export async function openHasher(): Promise<CommitHasher> {
  return new CommitHasher(await WebAssembly.compile(await readModule('commit')))
}
