import { readSync, writeSync } from 'node:fs'

/** One system call transfers less than 2 GiB. */
const LONGEST_CALL = 1 << 30

/**
 * Reads into `bytes` from `position` of the file until `length` bytes or the end of the file. Returns the number of
 * bytes read.
 */
export function readFully(
  file: number,
  bytes: Uint8Array,
  length: number,
  position: number,
): number {
  let done = 0
  while (done < length) {
    const wanted = Math.min(length - done, LONGEST_CALL)
    const count = readSync(file, bytes, done, wanted, position + done)
    if (count === 0) break
    done += count
  }
  return done
}

/** Appends the bytes from `start` to `end`, in as many calls as that takes: a full disk takes a part. */
export function writeFully(file: number, bytes: Uint8Array, start = 0, end = bytes.length): void {
  let at = start
  while (at < end) at += writeSync(file, bytes, at, Math.min(end - at, LONGEST_CALL))
}
