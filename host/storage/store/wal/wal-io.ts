import { fdatasync, ftruncateSync, writevSync } from 'node:fs'

/** The calls by which the log writes: what a full or failing disk answers differently. */
export interface WalIo {
  /** Appends what it can of all parts, in their order. @returns how many bytes. */
  append(file: number, parts: readonly Uint8Array[]): number
  /** Resolves when all that was written is on disk; the thread goes on meanwhile. */
  sync(file: number): Promise<void>
  truncate(file: number, length: number): void
}

export const DISK: WalIo = {
  append: writevSync,
  sync: (file) =>
    new Promise((resolve, reject) => {
      fdatasync(file, (thrown) => {
        if (thrown === null) resolve()
        else reject(thrown)
      })
    }),
  truncate: ftruncateSync,
}
