// POSIX.1-1988 (ustar) archives, which every tar reads: 512-byte blocks, with a header before each file.

export const TAR_BLOCK = 512
const NAME_LENGTH = 100

/** A file of an archive. */
export interface ArchivedFile {
  /** ASCII, at most 100 characters. */
  readonly name: string
  readonly content: Uint8Array
}

/** Returns the block before a file of this many bytes. @param seconds Unix time of the file */
export function tarHeader(name: string, size: number, seconds: number): Buffer {
  if (name.length > NAME_LENGTH) throw new RangeError(`${name} is too long for an archive`)
  const block = Buffer.alloc(TAR_BLOCK)
  /** Octal, zero-padded and NUL-terminated. */
  const number = (at: number, length: number, value: number): void => {
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'ascii')
  }
  block.write(name, 0, 'ascii')
  number(100, 8, 0o600)
  number(108, 8, 0)
  number(116, 8, 0)
  number(124, 12, size)
  number(136, 12, seconds)
  block.write('0', 156, 'ascii')
  block.write('ustar\x0000', 257, 'ascii')
  // Header checksum, computed with spaces in its own field.
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}

/**
 * Returns name and size of the file after a header; undefined if the block is no header of a plain file, or its
 * checksum is wrong.
 */
export function readTarHeader(
  block: Uint8Array,
): { readonly name: string; readonly size: number } | undefined {
  const bytes = Buffer.from(block.buffer, block.byteOffset, TAR_BLOCK)
  const text = (at: number, length: number): string =>
    bytes.toString('latin1', at, at + length).split('\0', 1)[0] ?? ''
  const name = text(0, NAME_LENGTH)
  const size = /^ *([0-7]+) *$/.exec(text(124, 12))?.[1]
  const stated = /^ *([0-7]+) *$/.exec(text(148, 8))?.[1]
  if (size === undefined || stated === undefined || !/^0?$/.test(text(156, 1))) return undefined
  const summed = Buffer.from(bytes).fill(' ', 148, 156)
  const sum = summed.reduce((total, byte) => total + byte, 0)
  return sum === Number.parseInt(stated, 8) ? { name, size: Number.parseInt(size, 8) } : undefined
}

/** Returns the number of zeros that fill the last block of a file. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK
}

/** Ends an archive. */
export const TAR_END: Uint8Array = new Uint8Array(2 * TAR_BLOCK)

/** Returns an archive of files that all have the same time. */
export function tarArchive(files: readonly ArchivedFile[], time: Date): Buffer {
  const seconds = Math.floor(time.getTime() / 1000)
  const parts = files.flatMap(({ name, content }) => [
    tarHeader(name, content.length, seconds),
    content,
    Buffer.alloc(tarPadding(content.length)),
  ])
  return Buffer.concat([...parts, TAR_END])
}
