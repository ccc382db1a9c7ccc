import { formatAmount, formatRate, formatSeconds } from './amount-text.ts'

/** A part of a long piece of work that is counted by itself. */
export interface Stage {
  /** What is done, as in `Importing`. */
  readonly label: string
  /** What is counted, in the plural; `bytes` are written in kB, MB, ... */
  readonly unit: string
  /** How much there is to do, where it is known. */
  readonly total?: number | undefined
}

/** How far a stage is. */
export interface StageState extends Stage {
  readonly done: number
  readonly perSecond: number | undefined
}

const BAR_CELLS = 24

/** The share that is done, from 0 to 1; undefined where the whole is not known. */
function shareOf({ done, total }: StageState): number | undefined {
  return total === undefined || total <= 0 ? undefined : Math.min(done / total, 1)
}

/** `12 of 40 blocks`, as far as it is known. */
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

/** How far a stage is, as a line of a log: `Importing: 12 of 40 blocks (30%), 4.0 blocks/s, 7s left`. */
export function renderPlain(state: StageState): string {
  const share = shareOf(state)
  const percent = share === undefined ? '' : ` (${Math.floor(share * 100)}%)`
  return `${state.label}: ${[describeDone(state) + percent, ...rateParts(state)].join(', ')}`
}

/** The same as a line of a terminal of so many columns, with a bar where there is room. */
export function renderBar(state: StageState, columns: number): string {
  const share = shareOf(state)
  const facts = [describeDone(state), ...rateParts(state)].join('  ')
  // The last column stays free: a terminal may begin a new line behind it.
  const room = Math.max(columns - 1, 1)
  if (share === undefined) return `${state.label}  ${facts}`.slice(0, room)
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%`
  const cells = Math.floor(share * BAR_CELLS)
  const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`
  const whole = `${state.label} ${bar} ${percent}  ${facts}`
  if (whole.length <= room) return whole
  return `${state.label} ${percent}  ${facts}`.slice(0, room)
}
