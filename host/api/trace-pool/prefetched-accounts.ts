import { bytesKey } from '../../base/bytes.ts'
import { MissingState } from '../../evm/state/missing-state.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { TracedCall, TraceJob, TraceTarget } from '../../evm/trace/job/trace-job.ts'

/** An account that a job will read, with its record, or undefined if the account does not exist. */
export interface PrefetchedAccount {
  readonly address: Uint8Array
  readonly record: Uint8Array | undefined
}

/** Yields accounts that a job certainly reads, possibly with duplicates. */
export function* expectedAddresses({ plan, target }: TraceJob): Generator<Uint8Array> {
  for (const { input, env, stateOverrides } of callsOf(target)) {
    yield env.coinbase
    yield* sides(input)
    for (const { address } of stateOverrides) yield address
  }
  if (plan === undefined) return
  yield plan.env.coinbase
  for (const { transaction } of plan.transactions) yield* sides(transaction)
}

function callsOf(target: TraceTarget): readonly TracedCall[] {
  switch (target.kind) {
    case 'call':
      return [target.call]
    case 'calls':
      return target.calls
    case 'bundles':
      return target.bundles.flat()
    default:
      return []
  }
}

function* sides({ from, to }: { readonly from: Uint8Array; readonly to: Uint8Array | undefined }) {
  yield from
  if (to !== undefined) yield to
}

/**
 * Returns the first `limit` accounts that a job reads, to send with it: fetching one later stalls its engine for a
 * round trip to this thread. Ignores errors of the view, which recur when the account is read.
 */
export function prefetchedAccounts(
  view: StateView,
  job: TraceJob,
  limit: number,
): PrefetchedAccount[] {
  const known: PrefetchedAccount[] = []
  const seen = new Set<string>()
  for (const address of expectedAddresses(job)) {
    const key = bytesKey(address)
    if (seen.has(key)) continue
    if (seen.size === limit) break
    seen.add(key)
    try {
      // Copied: a record is only borrowed, and the message would otherwise include its whole buffer.
      known.push({ address: address.slice(), record: view.account(address)?.slice() })
    } catch (thrown) {
      if (!(thrown instanceof MissingState)) break
    }
  }
  return known
}
