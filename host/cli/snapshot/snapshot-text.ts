import type { SnapshotMetadata } from '../../snapshot/metadata.ts'
import { formatSize } from '../progress/amount-text.ts'

/** A snapshot in one line. */
export function describeSnapshot({ height, chainId, chunks, appHash }: SnapshotMetadata): string {
  const size = formatSize(chunks.reduce((sum, chunk) => sum + chunk.size, 0))
  const count = chunks.length === 1 ? '1 chunk' : `${chunks.length} chunks`
  return `height ${height} of chain ${chainId}, ${count}, ${size}, app hash ${appHash}`
}
