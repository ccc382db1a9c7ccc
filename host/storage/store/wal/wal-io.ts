import { fdatasync, ftruncateSync, writevSync } from 'node:fs'

/** The system calls with which the log writes, so that tests can replace them with those of a full or failing disk. */
export interface WalIo {
  /** Appends as much of the parts as possible, in order. @returns the number of bytes. */
  append(file: number, parts: readonly Uint8Array[]): number
  /** Resolves when everything written is on disk; it does not block the thread. */
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
