import type { RpcAnswer } from '../../support/node/json-rpc.ts'
import type { HelperScenario, HelperStep } from './helper-scenario.ts'
import { allDifferences } from './value-differences.ts'

/** One place where the answers of the two nodes to a step part. */
export interface HelperDifference {
  readonly scenario: HelperScenario
  readonly step: HelperStep
  /** All that was asked until then, in this scenario and those before it, with this step as the last. */
  readonly asked: readonly HelperStep[]
  /** Members from the answer on: `.result.hash`. */
  readonly path: string
  readonly anvil: unknown
  readonly lockstep: unknown
  /** The answers as they came. */
  readonly answers: readonly [anvil: RpcAnswer, lockstep: RpcAnswer]
  /** Seconds that the nodes took for the scenario. */
  readonly seconds: number
}

/** A difference that is meant, by its row in host/api/rpc/anvil-differences.ts. */
export interface MeantDifference<Row extends string> {
  readonly row: Row
  /** Whether it is this one. */
  is(difference: HelperDifference): boolean
  /** True for names that a node gives: the other's name has to stand wherever this one does from there on. */
  readonly isName?: boolean
}

export interface Comparison<Row extends string> {
  /** The rows that were met, and how often. */
  readonly met: ReadonlyMap<Row, number>
  readonly unmeant: readonly HelperDifference[]
}

/** What anvil and Lockstep answered to one scenario. */
export interface AnsweredScenario {
  readonly scenario: HelperScenario
  readonly anvil: readonly RpcAnswer[]
  readonly lockstep: readonly RpcAnswer[]
  /** From before the first step until both nodes had answered the last, on a clock that nobody sets. */
  readonly seconds: number
}

/** Errors by code and data: the texts are each node's own. */
function withoutText({ result, error }: RpcAnswer): object {
  if (error === undefined) return { result }
  const { message: _, ...rest } = error
  return { error: rest }
}

/** A second may begin between the two nodes, and another while they are asked. */
const CLOCK_SECONDS = 2

/**
 * Whether two times lie apart by no more than the nodes may have read their clock apart: they answer side by side, so
 * that one may read it first and the other last.
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

/** Whether both are times, offsets of time or words of an answer, that the clock alone has apart. */
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

/** Sorts every difference into those that the rows name and the others. */
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

/** One line for a person. */
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
  // The ABI word that differs has 64 digits: it begins at most 64 before the first difference.
  const from = Math.max(0, shared - 64)
  const show = (text: string) => (from > 0 ? `...${text.slice(from)}` : text).slice(0, 200)
  const error = answers[1].error?.message ?? answers[0].error?.message
  const request = `${step.method}(${JSON.stringify(step.params).slice(1, -1).slice(0, 160)})`
  const text = error === undefined ? '' : ` [${error.slice(0, 200)}]`
  return `${scenario.family}, seed ${scenario.seed}: ${request}${path}: anvil ${show(theirs)}, Lockstep ${show(ours)}${text}`
}
