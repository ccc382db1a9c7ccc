import type { StateDatabase } from './state-backend.ts'

/** Marker of the general member: the newest height whose EVM data it holds as well. */
export const EVM_MARKER = 'evm_latest'

/**
 * Markers of the general member where the split was on for a while: the first height whose EVM data it
 * lacks, and the height from which on it has EVM data again.
 */
export const EVM_GAP_MARKER = 'evm_gap'
export const EVM_SINCE_MARKER = 'evm_since'

/** Heights whose EVM data went to the EVM member alone; without an end until it is restored. */
export interface EvmGap {
  readonly from: number
  /** First height behind it. */
  readonly end: number | undefined
}

/** The gap that the markers of the general member tell. */
export function readGap(general: StateDatabase): EvmGap | undefined {
  const held = general.marker(EVM_MARKER)
  const since = general.marker(EVM_SINCE_MARKER)
  // Two gaps are told as one, with the heights between them: one marker says where it begins.
  const from = since < 0 ? held + 1 : general.marker(EVM_GAP_MARKER)
  if (held < general.latest) return { from, end: undefined }
  return since < 0 ? undefined : { from, end: since }
}

/** The heights of a state store. */
interface Heights {
  readonly earliest: number
  readonly latest: number
}

/** Lowest height from which on every one up to the newest has EVM data. */
export function wholeFrom({ earliest, latest }: Heights, gap: EvmGap | undefined): number {
  return gap === undefined ? earliest : Math.max(earliest, gap.end ?? latest + 1)
}

/** Lowest height that has EVM data: that kept, unless it lies in the gap. */
export function firstWithEvm(heights: Heights, gap: EvmGap | undefined): number {
  const isInGap = gap !== undefined && heights.earliest >= gap.from
  return isInGap ? wholeFrom(heights, gap) : heights.earliest
}

/**
 * The markers of the general member once all rows above `height` are gone: the first height whose EVM data it lacks
 * moves down, and a gap whose end is gone has none.
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
