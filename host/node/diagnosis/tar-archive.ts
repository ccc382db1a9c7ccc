// Writes POSIX.1-1988 (ustar) archives, which every tar reads: 512-byte blocks, with a header before each file.

const BLOCK = 512
const NAME_LENGTH = 100

/** A file of an archive. */
export interface ArchivedFile {
  /** ASCII, at most 100 characters. */
  readonly name: string
  readonly content: Uint8Array
}

function header({ name, content }: ArchivedFile, seconds: number): Buffer {
  if (name.length > NAME_LENGTH) throw new RangeError(`${name} is too long for an archive`)
  const block = Buffer.alloc(BLOCK)
  /** Octal, zero-padded and NUL-terminated. */
  const number = (at: number, length: number, value: number): void => {
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'ascii')
  }
  block.write(name, 0, 'ascii')
  number(100, 8, 0o600)
  number(108, 8, 0)
  number(116, 8, 0)
  number(124, 12, content.length)
  number(136, 12, seconds)
  block.write('0', 156, 'ascii')
  block.write('ustar\x0000', 257, 'ascii')
  // Header checksum, computed with spaces in its own field.
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}

/** Returns an archive of files that all have the same time. */
export function tarArchive(files: readonly ArchivedFile[], time: Date): Buffer {
  const seconds = Math.floor(time.getTime() / 1000)
  const parts = files.flatMap((file) => {
    const rest = (BLOCK - (file.content.length % BLOCK)) % BLOCK
    return [header(file, seconds), file.content, Buffer.alloc(rest)]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}
