import { formatAmount, formatRate, formatSeconds } from './amount-text.ts'

/** A separately counted part of a long task. */
export interface Stage {
  /** The work, as in `Importing`. */
  readonly label: string
  /** The unit counted, in the plural; `bytes` are written in kB, MB, ... */
  readonly unit: string
  /** The total, if known. */
  readonly total?: number | undefined
}

/** The progress of a stage. */
export interface StageState extends Stage {
  readonly done: number
  readonly perSecond: number | undefined
}

const BAR_CELLS = 24

/** Returns the share done, from 0 to 1; undefined if the total is unknown. */
function shareOf({ done, total }: StageState): number | undefined {
  return total === undefined || total <= 0 ? undefined : Math.min(done / total, 1)
}

/** Formats `12 of 40 blocks`, without a total if it is unknown. */
export function describeDone({ done, total, unit }: StageState): string {
  if (total === undefined) return formatAmount(done, unit)
  return `${unit === 'bytes' ? formatAmount(done, unit) : done} of ${formatAmount(total, unit)}`
}

function rateParts(state: StageState): string[] {
  const { done, total, perSecond, unit } = state
  if (perSecond === undefined) return []
  const rate = formatRate(perSecond, unit)
  if (total === undefined || perSecond <= 0 || done >= total) return [rate]
  return [rate, `${formatSeconds((total - done) / perSecond)} left`]
}

/** Returns the progress of a stage as a log line: `Importing: 12 of 40 blocks (30%), 4.0 blocks/s, 7s left`. */
export function renderPlain(state: StageState): string {
  const share = shareOf(state)
  const percent = share === undefined ? '' : ` (${Math.floor(share * 100)}%)`
  return `${state.label}: ${[describeDone(state) + percent, ...rateParts(state)].join(', ')}`
}

/** Returns the progress as a line for a terminal of `columns` columns, with a bar if there is room. */
export function renderBar(state: StageState, columns: number): string {
  const share = shareOf(state)
  const facts = [describeDone(state), ...rateParts(state)].join('  ')
  // The last column stays free: some terminals wrap after it.
  const room = Math.max(columns - 1, 1)
  if (share === undefined) return `${state.label}  ${facts}`.slice(0, room)
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%`
  const cells = Math.floor(share * BAR_CELLS)
  const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`
  const whole = `${state.label} ${bar} ${percent}  ${facts}`
  if (whole.length <= room) return whole
  return `${state.label} ${percent}  ${facts}`.slice(0, room)
}
