import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { messageOf } from '../../base/error.ts'
import { storeError } from '../../storage/table/store-error.ts'
import type { ChunkMetadata } from './metadata.ts'
import { invalidSnapshot } from './snapshot-format.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const DIGITS = 6

export function chunkName(index: number): string {
  return `chunk-${String(index).padStart(DIGITS, '0')}`
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Writes and syncs chunk `index`.
 * @throws STORE_FULL, STORE_CORRUPTED
 */
export async function writeChunk(
  dir: string,
  index: number,
  content: Uint8Array,
): Promise<ChunkMetadata> {
  const bytes = await compress(content)
  try {
    const file = await open(join(dir, chunkName(index)), 'w')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw storeError(dir, thrown)
  }
  return { sha256: sha256(bytes), size: bytes.length, contentSize: content.length }
}

/**
 * Returns the content of chunk `index` after verifying its file against the metadata. Takes no more memory than the
 * metadata states.
 * @throws SNAPSHOT_INVALID
 */
export async function readChunk(
  dir: string,
  index: number,
  expected: ChunkMetadata,
): Promise<Uint8Array> {
  const path = join(dir, chunkName(index))
  const bytes = await readWhole(path, expected.size)
  const digest = sha256(bytes)
  if (digest !== expected.sha256) {
    throw invalidSnapshot(
      `${path} is damaged: its SHA-256 is ${digest}, but metadata.json has ${expected.sha256}`,
    )
  }
  const { contentSize } = expected
  let content: Buffer
  try {
    content = await decompress(bytes, { maxOutputLength: Math.max(contentSize, 1) })
  } catch (cause) {
    const rule =
      (cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
        ? `decompresses to more than the ${contentSize} bytes that metadata.json states`
        : `does not decompress: ${messageOf(cause)}`
    throw invalidSnapshot(`${path} ${rule}`, { cause })
  }
  if (content.length !== contentSize) {
    throw invalidSnapshot(
      `${path} decompresses to ${content.length} bytes, but metadata.json has ${contentSize}`,
    )
  }
  return content
}

async function readWhole(path: string, size: number): Promise<Buffer> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path, 'r')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw storeError(path, cause)
    throw invalidSnapshot(`${path} is missing`, { cause })
  }
  try {
    const stat = await file.stat()
    if (stat.size !== size) {
      throw invalidSnapshot(`${path} has ${stat.size} bytes, but metadata.json has ${size}`)
    }
    return await readFile(file)
  } finally {
    await file.close()
  }
}
