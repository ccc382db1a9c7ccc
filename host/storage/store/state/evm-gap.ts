import type { StateDatabase } from './state-backend.ts'

/** Marker of the general member: the latest height whose EVM data it also holds. */
export const EVM_MARKER = 'evm_latest'

/**
 * Markers of the general member if the split was on for a while: the first height whose EVM data it lacks, and the
 * height from which on it has EVM data again.
 */
export const EVM_GAP_MARKER = 'evm_gap'
export const EVM_SINCE_MARKER = 'evm_since'

/** Heights whose EVM data only the EVM member has; without an end until it is restored. */
export interface EvmGap {
  readonly from: number
  /** First height after it. */
  readonly end: number | undefined
}

/** Returns the gap that the markers of the general member describe. */
export function readGap(general: StateDatabase): EvmGap | undefined {
  const held = general.marker(EVM_MARKER)
  const since = general.marker(EVM_SINCE_MARKER)
  // Two gaps count as one, including the heights between them, because one marker holds the start.
  const from = since < 0 ? held + 1 : general.marker(EVM_GAP_MARKER)
  if (held < general.latest) return { from, end: undefined }
  return since < 0 ? undefined : { from, end: since }
}

/** The heights of a state store. */
interface Heights {
  readonly earliest: number
  readonly latest: number
}

/** Returns the lowest height from which on every height up to the latest has EVM data. */
export function wholeFrom({ earliest, latest }: Heights, gap: EvmGap | undefined): number {
  return gap === undefined ? earliest : Math.max(earliest, gap.end ?? latest + 1)
}

/** Returns the lowest height that has EVM data: the lowest retained one, unless it lies in the gap. */
export function firstWithEvm(heights: Heights, gap: EvmGap | undefined): number {
  const isInGap = gap !== undefined && heights.earliest >= gap.from
  return isInGap ? wholeFrom(heights, gap) : heights.earliest
}

/**
 * Returns the markers of the general member after all rows above `height` are removed: the first height whose EVM
 * data it lacks moves down, and a gap whose end is removed has none.
 */
export function markersAt(general: StateDatabase, height: number): [string, number][] {
  const gap = readGap(general)
  const held = general.marker(EVM_MARKER)
  if (gap?.end === undefined || height >= gap.end) {
    return held > height ? [[EVM_MARKER, height]] : []
  }
  return [
    [EVM_MARKER, Math.min(height, gap.from - 1)],
    [EVM_GAP_MARKER, -1],
    [EVM_SINCE_MARKER, -1],
  ]
}
