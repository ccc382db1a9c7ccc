import type { Hex } from '../../../../base/hex.ts'
import type { AccountDifference, Both, Comparison } from '../../../browser/compare/comparison.ts'
import type { CallNode, LogNode, RunSummary } from '../../../browser/step/stepper.ts'
import { countText, weiText } from '../../decode/format/amount.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import type { VariableChange } from '../../decode/storage/variable-changes.ts'
import { shortSlot } from '../../state/debug/breakpoint.ts'

/** A value of two runs, side by side. */
export interface OutcomeRow {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly isSame: boolean
}

export interface RunOutcome {
  readonly summary: RunSummary
  readonly calls: readonly CallNode[]
  /** The outcome, in words. */
  readonly headline: string
}

/** Returns rows for the outcomes of two runs. */
export function outcomeRows(one: RunOutcome, other: RunOutcome): readonly OutcomeRow[] {
  const row = (what: string, textOf: (outcome: RunOutcome) => string): OutcomeRow => {
    const [before, after] = [textOf(one), textOf(other)]
    return { what, before, after, isSame: before === after }
  }
  return [
    row('Outcome', ({ headline }) => headline),
    row('Gas used', ({ summary }) => countText(summary.gasUsed)),
    row('Steps', ({ summary }) => countText(summary.steps)),
    row('Calls', ({ calls }) => countText(calls.length)),
    row('Logs', ({ calls }) => countText(keptLogs(calls).length)),
    row('Output', ({ summary }) => cut(summary.output)),
  ]
}

function keptLogs(calls: readonly CallNode[]): readonly LogNode[] {
  return calls.flatMap(({ logs }) => logs.filter(({ isReverted }) => !isReverted))
}

/** Returns the logs that only one of two runs has, in order. */
export function logRows(
  [before, after]: Comparison['logs'],
  textOf: (log: LogNode) => string,
): readonly OutcomeRow[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const [left, right] = [before[at], after[at]]
    return {
      what: `Log ${at}`,
      before: left === undefined ? 'none' : textOf(left),
      after: right === undefined ? 'none' : textOf(right),
      isSame: false,
    }
  })
}

function cut(data: Hex): string {
  return data.length <= 74 ? data : `${middleCut(data, 74)} (${(data.length - 2) / 2} bytes)`
}

/** Returns rows for the differences between the final states of two runs. */
export function stateDifferenceRows(
  accounts: readonly AccountDifference[],
  namesOf: (account: AccountDifference) => readonly VariableChange[],
): readonly OutcomeRow[] {
  return accounts.flatMap((account) => {
    const { address, balance, nonce, codeHash } = account
    const row = (what: string, [before, after]: Both<string>): OutcomeRow => {
      return { what: `${what} of ${address}`, before, after, isSame: false }
    }
    return [
      ...(balance === undefined ? [] : [row('balance', textsOf(balance, weiText))]),
      ...(nonce === undefined ? [] : [row('nonce', textsOf(nonce, String))]),
      ...(codeHash === undefined ? [] : [row('code hash', codeHash)]),
      ...namesOf(account).map(({ path, slots, before, after }) => {
        const shown = path === undefined ? (text: string) => shortSlot(text as Hex) : cutText
        const what = path === undefined ? `slot ${shortSlot(slots[0] as Hex)}` : safeText(path)
        return row(what, textsOf([before, after], shown))
      }),
    ]
  })
}

/** Longest value of a variable. */
const LONGEST = 200

function cutText(text: string): string {
  return middleCut(text, LONGEST)
}

function textsOf<Value>([one, other]: Both<Value>, textOf: (value: Value) => string): Both<string> {
  return [textOf(one), textOf(other)]
}
