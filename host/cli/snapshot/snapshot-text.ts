import type { SnapshotMetadata } from '../../chain/snapshot/metadata.ts'
import { formatSize } from '../progress/amount-text.ts'

/** Describes a snapshot in one line. */
export function describeSnapshot({ height, chainId, chunks, appHash }: SnapshotMetadata): string {
  const size = formatSize(chunks.reduce((sum, chunk) => sum + chunk.size, 0))
  const count = chunks.length === 1 ? '1 chunk' : `${chunks.length} chunks`
  return `height ${height} of chain ${chainId}, ${count}, ${size}, app hash ${appHash}`
}

/** Returns a snapshot as `--json` prints it; sizes in bytes. */
export function snapshotJson(dir: string, metadata: SnapshotMetadata): object {
  const { height, chainId, chunks, appHash, hash, format } = metadata
  const bytes = chunks.reduce((sum, { size }) => sum + size, 0)
  return { dir, height, chainId, format, chunks: chunks.length, bytes, appHash, hash }
}
