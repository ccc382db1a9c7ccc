import type { RpcAnswer } from '../../support/node/json-rpc.ts'
import type { HelperScenario, HelperStep } from './helper-scenario.ts'
import { allDifferences } from './value-differences.ts'

/** A difference between the responses of the two nodes to a step. */
export interface HelperDifference {
  readonly scenario: HelperScenario
  readonly step: HelperStep
  /** All requests up to this step, in this scenario and the previous ones. */
  readonly asked: readonly HelperStep[]
  /** Path in the response, such as `.result.hash`. */
  readonly path: string
  readonly anvil: unknown
  readonly lockstep: unknown
  /** The unchanged responses. */
  readonly answers: readonly [anvil: RpcAnswer, lockstep: RpcAnswer]
  /** Seconds that the nodes took for the scenario. */
  readonly seconds: number
}

/** An intended difference, a row of tools/reference/anvil-differences.ts. */
export interface MeantDifference<Row extends string> {
  readonly row: Row
  /** Returns true if a difference is this one. */
  is(difference: HelperDifference): boolean
  /**
   * True if the value is a name that a node chooses. From then on, one node's name must occur wherever the other's
   * does.
   */
  readonly isName?: boolean
}

export interface Comparison<Row extends string> {
  /** The rows that occurred, with their number of occurrences. */
  readonly met: ReadonlyMap<Row, number>
  readonly unmeant: readonly HelperDifference[]
}

/** The responses of anvil and Lockstep to one scenario. */
export interface AnsweredScenario {
  readonly scenario: HelperScenario
  readonly anvil: readonly RpcAnswer[]
  readonly lockstep: readonly RpcAnswer[]
  /** Duration from the first request to the last response of either node, on a clock that no helper sets. */
  readonly seconds: number
}

/** Returns an answer without its error message, which differs between the nodes. Code and data remain. */
function withoutText({ result, error }: RpcAnswer): object {
  if (error === undefined) return { result }
  const { message: _, ...rest } = error
  return { error: rest }
}

/** A second may begin between the two nodes, and another during their requests. */
const CLOCK_SECONDS = 2

/**
 * Returns true if two times differ by no more than the nodes' reads of the clock may. The nodes run side by side, so
 * one may read it at the start and the other at the end.
 */
export function isClockApart(
  { scenario, seconds }: Pick<HelperDifference, 'scenario' | 'seconds'>,
  theirs: bigint,
  ours: bigint,
): boolean {
  if (!scenario.clock) return false
  const apart = theirs > ours ? theirs - ours : ours - theirs
  return apart <= BigInt(CLOCK_SECONDS + Math.floor(seconds))
}

/** Returns true if both values are times, time offsets or words with a time that differ only by the clock. */
function areClockApart(difference: HelperDifference): boolean {
  const { scenario, anvil, lockstep } = difference
  if (!scenario.clock) return false
  const parts = (value: unknown): bigint[] => {
    if (Number.isSafeInteger(value)) return [BigInt(value as number)]
    if (typeof value !== 'string' || !/^0x[0-9a-f]+$/.test(value)) return []
    if (value.length <= 18) return [BigInt(value)]
    return (value.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  }
  const [theirs, ours] = [parts(anvil), parts(lockstep)]
  return (
    theirs.length > 0 &&
    theirs.length === ours.length &&
    theirs.every((one, i) => isClockApart(difference, one, ours[i] ?? one))
  )
}

/** Splits all differences into those that match a row and the others. */
export function compareScenarios<Row extends string>(
  answered: readonly AnsweredScenario[],
  meant: readonly MeantDifference<Row>[],
): Comparison<Row> {
  const met = new Map<Row, number>()
  const unmeant: HelperDifference[] = []
  const asked: HelperStep[] = []
  for (const { scenario, anvil, lockstep, seconds } of answered) {
    const names = new Map<unknown, unknown>()
    for (const [i, step] of scenario.steps.entries()) {
      asked.push(step)
      const answers = [anvil[i], lockstep[i]] as [RpcAnswer, RpcAnswer]
      const found = allDifferences(withoutText(answers[0]), withoutText(answers[1]))
      for (const part of found) {
        if (names.has(part.theirs) && names.get(part.theirs) === part.ours) continue
        const { path, theirs, ours } = part
        const parted = { path, anvil: theirs, lockstep: ours, answers }
        const difference = { scenario, step, asked, ...parted, seconds }
        if (areClockApart(difference)) continue
        const row = names.has(theirs) ? undefined : meant.find((one) => one.is(difference))
        if (row === undefined) {
          unmeant.push(difference)
          continue
        }
        met.set(row.row, (met.get(row.row) ?? 0) + 1)
        if (row.isName === true) names.set(theirs, ours)
      }
    }
  }
  return { met, unmeant }
}

/** Formats a difference as one line to read. */
export function describeDifference({
  scenario,
  step,
  path,
  anvil,
  lockstep,
  answers,
}: HelperDifference): string {
  const [theirs, ours] = [anvil, lockstep].map((value) => JSON.stringify(value) ?? 'absent') as [
    string,
    string,
  ]
  const shared = [...theirs].findIndex((digit, i) => digit !== ours[i])
  // The differing ABI word has 64 digits, so it begins at most 64 before the first difference.
  const from = Math.max(0, shared - 64)
  const show = (text: string) => (from > 0 ? `...${text.slice(from)}` : text).slice(0, 200)
  const error = answers[1].error?.message ?? answers[0].error?.message
  const request = `${step.method}(${JSON.stringify(step.params).slice(1, -1).slice(0, 160)})`
  const text = error === undefined ? '' : ` [${error.slice(0, 200)}]`
  return `${scenario.family}, seed ${scenario.seed}: ${request}${path}: anvil ${show(theirs)}, Lockstep ${show(ours)}${text}`
}
