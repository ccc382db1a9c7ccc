import type { SnapshotMetadata } from '../../snapshot/metadata.ts'

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

function formatSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** A snapshot in one line. */
export function describeSnapshot({ height, chainId, chunks, appHash }: SnapshotMetadata): string {
  const size = formatSize(chunks.reduce((sum, chunk) => sum + chunk.size, 0))
  const count = chunks.length === 1 ? '1 chunk' : `${chunks.length} chunks`
  return `height ${height} of chain ${chainId}, ${count}, ${size}, app hash ${appHash}`
}
