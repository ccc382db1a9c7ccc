import { createHash } from 'node:crypto'
import type { Changeset } from '../../../host/evm/state/changeset.ts'
import type { Committer } from '../../../host/storage/commit/committer.ts'

/** The data of a committer on disk. */
export interface CommitDisk {
  version: number
  appHash: Uint8Array
}

export function emptyCommitDisk(): CommitDisk {
  return { version: -1, appHash: new Uint8Array(32) }
}

/**
 * A state commit whose app hash chains the changesets. It writes to its disk only every `interval` heights. Another
 * committer over the same disk acts as the next process.
 */
export class MemoryCommitter implements Committer {
  readonly #disk: CommitDisk
  readonly #interval: number
  #version: number
  #appHash: Uint8Array
  #staged: CommitDisk | undefined
  readonly busyNs = 0

  constructor(disk: CommitDisk = emptyCommitDisk(), interval = 1) {
    this.#disk = disk
    this.#interval = interval
    this.#version = disk.version
    this.#appHash = disk.appHash
  }

  get version(): number {
    return this.#version
  }

  get appHash(): Uint8Array {
    return this.#appHash
  }

  async stage(changeset: Changeset): Promise<Uint8Array> {
    if (changeset.height !== this.#version + 1) throw new Error('heights have no gaps')
    const { evm, legacy, modules } = changeset
    const hash = createHash('sha256').update(this.#appHash)
    hash.update(evm.accounts).update(evm.cleared).update(evm.storage)
    for (const { code } of evm.codes) hash.update(code)
    for (const { key, value } of [...legacy, ...modules.flatMap(({ writes }) => writes)]) {
      hash.update(key).update(value ?? 'deleted')
    }
    const appHash = new Uint8Array(hash.digest())
    this.#staged = { version: changeset.height, appHash }
    return appHash
  }

  async commit(): Promise<void> {
    if (this.#staged === undefined) throw new Error('nothing is staged')
    this.#version = this.#staged.version
    this.#appHash = this.#staged.appHash
    this.#staged = undefined
    if (this.#version % this.#interval === 0) {
      this.#disk.version = this.#version
      this.#disk.appHash = this.#appHash
    }
  }

  async close(): Promise<void> {}
}
