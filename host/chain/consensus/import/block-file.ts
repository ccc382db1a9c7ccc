import { closeSync, openSync, readSync } from 'node:fs'
import { LockstepError, messageOf } from '../../../base/error.ts'

/** Most bytes of a list header in RLP: a prefix and eight bytes of length. */
const LONGEST_HEADER = 9

/** Returns the length of the list whose encoding begins with `header`; undefined if no list does. */
function listLength(header: Uint8Array): number | undefined {
  const prefix = header[0] as number
  if (prefix < 0xc0) return undefined
  if (prefix < 0xf8) return 1 + prefix - 0xc0
  const bytes = prefix - 0xf7
  let length = 0
  for (let i = 1; i <= bytes; i++) length = length * 256 + (header[i] ?? 0)
  return 1 + bytes + length
}

/**
 * Reads the blocks of a file of concatenated RLP lists, as written by `geth export`, one at a time.
 * @throws BLOCK_INVALID if an item is no list or the file ends within one; INVALID_ARGUMENT if it cannot be read
 */
export function* readBlocks(path: string): Generator<Uint8Array, void> {
  const file = openForReading(path)
  try {
    const header = new Uint8Array(LONGEST_HEADER)
    for (let offset = 0; ; ) {
      const read = readSync(file, header, 0, LONGEST_HEADER, offset)
      if (read === 0) return
      const length = listLength(header.subarray(0, read))
      if (length === undefined) throw malformed(path, offset, 'no list begins there')
      // Allocates no more than the file holds, whatever length the item claims.
      const block = new Uint8Array(length <= MAX_BLOCK ? length : 0)
      if (block.length === 0 || readSync(file, block, 0, length, offset) < length) {
        throw malformed(path, offset, `it ends within the ${length} bytes that begin there`)
      }
      yield block
      offset += length
    }
  } finally {
    closeSync(file)
  }
}

/** Size limit of an item in bytes, far above any block of Ethereum. */
const MAX_BLOCK = 256 * 1024 * 1024

function openForReading(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `cannot read ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function malformed(path: string, offset: number, what: string): LockstepError {
  return new LockstepError(
    'BLOCK_INVALID',
    `${path} is not a file of blocks at byte ${offset}: ${what}`,
  )
}
