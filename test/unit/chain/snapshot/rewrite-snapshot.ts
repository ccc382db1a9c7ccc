import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chunkName, readChunk } from '../../../../host/chain/snapshot/chunk-file.ts'
import { readItems, type SnapshotItem } from '../../../../host/chain/snapshot/item-codec.ts'
import {
  encodeMetadata,
  type SnapshotMetadata,
  sealMetadata,
} from '../../../../host/chain/snapshot/metadata.ts'
import { readMetadata } from '../../../../host/chain/snapshot/snapshot-dir.ts'
import { SnapshotWriter } from '../../../../host/chain/snapshot/snapshot-writer.ts'

export function copySnapshot(from: string, to: string): string {
  cpSync(from, to, { recursive: true })
  return to
}

export function metadataPath(dir: string): string {
  return join(dir, 'metadata.json')
}

export function chunkPath(dir: string, index: number): string {
  return join(dir, chunkName(index))
}

/** Changes the metadata of a snapshot and recomputes its hash. */
export function restate(dir: string, change: (metadata: SnapshotMetadata) => object): void {
  const metadata = readMetadata(dir)
  const changed = { ...metadata, ...change(metadata) }
  // Not with the encoder, which refuses what no reader accepts.
  writeFileSync(metadataPath(dir), `${JSON.stringify(sealMetadata(changed), null, 2)}\n`)
}

/** Replaces a chunk by other bytes and updates the metadata accordingly. */
export function replaceChunk(dir: string, index: number, bytes: Uint8Array): void {
  writeFileSync(chunkPath(dir, index), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  restate(dir, ({ chunks }) => ({
    chunks: chunks.map((chunk, i) =>
      i === index ? { ...chunk, sha256, size: bytes.length } : chunk,
    ),
  }))
}

export function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(path, bytes)
}

/** Writes a snapshot again with other items and valid checksums, as an attacker could. */
export async function rewrite(
  from: string,
  to: string,
  change: (items: readonly SnapshotItem[]) => readonly SnapshotItem[],
): Promise<string> {
  const metadata = readMetadata(from)
  const items: SnapshotItem[] = []
  for (const [index, chunk] of metadata.chunks.entries()) {
    items.push(...readItems(await readChunk(from, index, chunk)))
  }
  mkdirSync(to)
  const writer = new SnapshotWriter(to, 16 * 1024)
  for (const item of change(items)) {
    writer.add(item)
    await writer.flush()
  }
  const chunks = await writer.finish()
  writeFileSync(metadataPath(to), encodeMetadata(sealMetadata({ ...metadata, chunks })))
  return to
}
