import type { Hex } from '../../../base/hex.ts'
import type { AccountChange, CallNode, LogNode, RunSummary } from '../step/stepper.ts'
import type { AccountDifference, Both, OutcomeDifference } from './comparison.ts'

/** Returns the differences between the ends of the runs. */
export function compareOutcomes(a: RunSummary, b: RunSummary): OutcomeDifference {
  const [fault, other] = [a.fault, b.fault]
  const isOther = fault?.error !== other?.error || fault?.output !== other?.output
  return {
    ...(a.success !== b.success && { success: [a.success, b.success] as const }),
    ...(a.gasUsed !== b.gasUsed && { gasUsed: [a.gasUsed, b.gasUsed] as const }),
    ...(a.output !== b.output && { output: [a.output, b.output] as const }),
    ...(isOther && { fault: [fault, other] as const }),
  }
}

/**
 * Returns the differences between the final states. An account that one run left unchanged is taken to have the other
 * run's initial value: both runs start from the same state, except for edits.
 */
export function compareAccounts(a: RunSummary, b: RunSummary): AccountDifference[] {
  const [first, second] = [changesOf(a), changesOf(b)]
  return Array.from(new Set([...first.keys(), ...second.keys()]))
    .map((address) => compareAccount(address, first.get(address), second.get(address)))
    .filter(
      ({ address: _, slots, ...fields }) => slots.length > 0 || Object.keys(fields).length > 0,
    )
}

function changesOf({ changes }: RunSummary): ReadonlyMap<Hex, AccountChange> {
  return new Map(changes.map((change) => [change.address, change]))
}

type Field = 'balance' | 'nonce' | 'codeHash'

function compareAccount(
  address: Hex,
  a: AccountChange | undefined,
  b: AccountChange | undefined,
): AccountDifference {
  const ends = (field: Field) => {
    const before = (a ?? b)?.[field][0]
    const values = [a?.[field][1] ?? before, b?.[field][1] ?? before] as const
    return values[0] === values[1] ? {} : { [field]: values }
  }
  return {
    address,
    ...ends('balance'),
    ...ends('nonce'),
    ...ends('codeHash'),
    slots: compareSlots(a?.slots ?? [], b?.slots ?? []),
  }
}

function compareSlots(a: AccountChange['slots'], b: AccountChange['slots']) {
  const first = new Map(a.map((change) => [change.slot, change]))
  const second = new Map(b.map((change) => [change.slot, change]))
  return Array.from(new Set([...first.keys(), ...second.keys()]))
    .map((slot) => {
      const [one, other] = [first.get(slot), second.get(slot)]
      const before = (one ?? other)?.before as Hex
      return { slot, values: [one?.after ?? before, other?.after ?? before] as const }
    })
    .filter(({ values }) => values[0] !== values[1])
}

/** Returns the logs of only one run: those between the common first and last ones. */
export function compareLogs(
  a: readonly CallNode[],
  b: readonly CallNode[],
): Both<readonly LogNode[]> {
  const first = keptLogs(a)
  const second = keptLogs(b)
  const shared = Math.min(first.length, second.length)
  let start = 0
  while (start < shared && isSame(first[start], second[start])) start++
  let end = 0
  while (end < shared - start && isSame(first.at(-1 - end), second.at(-1 - end))) end++
  return [first.slice(start, first.length - end), second.slice(start, second.length - end)]
}

/** Returns the logs that were not reverted, in order of emission. */
function keptLogs(calls: readonly CallNode[]): LogNode[] {
  return calls
    .flatMap(({ logs, firstStep }) => logs.map((log) => ({ log, at: log.step ?? firstStep - 1 })))
    .filter(({ log }) => !log.isReverted)
    .toSorted((one, other) => one.at - other.at)
    .map(({ log }) => log)
}

function isSame(a: LogNode | undefined, b: LogNode | undefined): boolean {
  return a?.address === b?.address && a?.data === b?.data && a?.topics.join() === b?.topics.join()
}
