import type { Hex } from '../../../base/hex.ts'
import type { AccountChange, CallNode, LogNode, RunSummary } from '../../../browser/stepper.ts'
import { countText, weiText } from '../../decode/format/amount.ts'

/** Something of two runs, beside each other. */
export interface OutcomeRow {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly isSame: boolean
}

export interface Outcome {
  readonly summary: RunSummary
  readonly calls: readonly CallNode[]
  /** How it ended, in words. */
  readonly headline: string
}

/** How two runs ended. */
export function outcomeRows(one: Outcome, other: Outcome): readonly OutcomeRow[] {
  const row = (what: string, textOf: (outcome: Outcome) => string): OutcomeRow => {
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
  const kept = calls.flatMap(({ logs }) => logs.filter(({ isReverted }) => !isReverted))
  return kept.sort((a, b) => (a.step ?? 0) - (b.step ?? 0))
}

/** The logs of two runs, in their order. */
export function logRows(
  one: Outcome,
  other: Outcome,
  textOf: (log: LogNode) => string,
): readonly OutcomeRow[] {
  const [before, after] = [keptLogs(one.calls).map(textOf), keptLogs(other.calls).map(textOf)]
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const [left = 'none', right = 'none'] = [before[at], after[at]]
    return { what: `Log ${at}`, before: left, after: right, isSame: left === right }
  })
}

function cut(data: Hex): string {
  return data.length <= 74 ? data : `${data.slice(0, 74)}… (${(data.length - 2) / 2} bytes)`
}

/** What two runs leave in the state otherwise than each other. */
export function stateRows(one: RunSummary, other: RunSummary): readonly OutcomeRow[] {
  const before = endsOf(one.changes)
  const after = endsOf(other.changes)
  const rows: OutcomeRow[] = []
  for (const [what, end] of new Map([...before, ...after])) {
    const left = before.get(what)?.end ?? end.start
    const right = after.get(what)?.end ?? end.start
    if (left !== right) rows.push({ what, before: left, after: right, isSame: false })
  }
  return rows
}

/** Values that a run began and ended with, by what they are of. */
function endsOf(changes: readonly AccountChange[]): Map<string, { start: string; end: string }> {
  const ends = new Map<string, { start: string; end: string }>()
  for (const { address, balance, nonce, codeHash, slots } of changes) {
    const add = (what: string, start: string, end: string) => {
      if (start !== end) ends.set(`${what} of ${address}`, { start, end })
    }
    add('balance', weiText(balance[0]), weiText(balance[1]))
    add('nonce', `${nonce[0]}`, `${nonce[1]}`)
    add('hash of the code', codeHash[0], codeHash[1])
    for (const { slot, before, after } of slots) {
      add(`slot ${shortWord(slot)}`, shortWord(before), shortWord(after))
    }
  }
  return ends
}

function shortWord(word: Hex): string {
  return `0x${BigInt(word).toString(16)}`
}
