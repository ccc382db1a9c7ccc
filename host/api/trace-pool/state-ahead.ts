import { bytesKey } from '../../base/bytes.ts'
import { AbsentPart } from '../../evm/state/absent-part.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'

/** An account that a job will read, with its record or undefined where there is none. */
export interface KnownAccount {
  readonly address: Uint8Array
  readonly record: Uint8Array | undefined
}

/** Accounts that a job surely reads, some more than once. */
export function* addressesOf({ plan, target }: TraceJob): Generator<Uint8Array> {
  const calls = target.kind === 'call' ? [target.call] : target.kind === 'calls' ? target.calls : []
  for (const { input, env, stateOverrides } of calls) {
    yield env.coinbase
    yield* sides(input)
    for (const { address } of stateOverrides) yield address
  }
  if (plan === undefined) return
  yield plan.env.coinbase
  for (const { transaction } of plan.transactions) yield* sides(transaction)
}

function* sides({ from, to }: { readonly from: Uint8Array; readonly to: Uint8Array | undefined }) {
  yield from
  if (to !== undefined) yield to
}

/**
 * The first `limit` accounts that a job reads, to be sent along with it: each that is asked for later holds
 * its engine up for a hop to this thread and back. A view that fails will say so when it is asked again.
 */
export function readAhead(view: StateView, job: TraceJob, limit: number): KnownAccount[] {
  const known: KnownAccount[] = []
  const seen = new Set<string>()
  for (const address of addressesOf(job)) {
    const key = bytesKey(address)
    if (seen.has(key)) continue
    if (seen.size === limit) break
    seen.add(key)
    try {
      // Copied: a record is only borrowed, and a message would carry all of the memory that it is a part of.
      known.push({ address: address.slice(), record: view.account(address)?.slice() })
    } catch (thrown) {
      if (!(thrown instanceof AbsentPart)) break
    }
  }
  return known
}
