import { CommitHasher } from '../storage/commit/hash/commit-hasher.ts'
import { readModule } from './wasm.ts'

/** The hashing of commit.wasm, in an instance of its own. Throws as `readModule`. */
export async function openHasher(): Promise<CommitHasher> {
  return new CommitHasher(await WebAssembly.compile(await readModule('commit')))
}
