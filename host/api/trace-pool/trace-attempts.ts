import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { ReplayPlan } from '../../evm/execute/replay/replay-plan.ts'
import { runTrace } from '../../evm/trace/job/run-trace.ts'
import type { TracedCall, TraceJob } from '../../evm/trace/job/trace-job.ts'
import { JsonWriter } from '../../evm/trace/json-writer.ts'
import { isByCall } from '../../evm/trace/tracers/tracer-table.ts'
import type { TraceRequest } from './trace-runner.ts'

/**
 * Milliseconds from the beginning of an attempt until it is given up, at the end of a slice of about one
 * millisecond.
 */
const ATTEMPT_MS = 20

/** Bytes of the longest result, and of what a tracer keeps until it writes that. */
const RESULT_BYTES = 64 * 1024
const KEPT_BYTES = 4 * RESULT_BYTES

/** Gas that the transactions of a replay used: so much runs within a few milliseconds. */
const REPLAY_GAS = 1_000_000n

/** Kinds of calls that are remembered as too much, at most. */
const MAX_REMEMBERED = 1024

/**
 * Tries short traces on the thread of the chain, one at a time: a hop to another thread and back takes as
 * long as many a message runs. What an attempt may cost is bounded, as eth_call is: its time from slice to
 * slice, its result, and what its tracer keeps. Tracers that hear of each step, and scripts, run on threads.
 */
export class TraceAttempts {
  readonly #modules: EngineModules
  readonly #milliseconds: number
  /** Kinds of calls that were given up last: the next call of such a kind goes to a thread at once. */
  readonly #tooMuch = new Set<string>()
  #engine: Engine | undefined
  #isBusy = false

  /** `milliseconds` is the time of an attempt. */
  constructor(modules: EngineModules, milliseconds: number = ATTEMPT_MS) {
    this.#modules = modules
    this.#milliseconds = milliseconds
  }

  /** True when a job may be tried on this thread now. */
  takes({ target, plan, tracer, config }: TraceJob): boolean {
    if (this.#isBusy || !isByCall(tracer, config)) return false
    switch (target.kind) {
      case 'call':
        return plan === undefined && !this.#tooMuch.has(kindOf(target.call))
      case 'transaction':
        return target.profile === undefined && isShort(plan)
      // A block writes its tracers' failures into its result, and an attempt's limits are not the caller's.
      case 'block':
      case 'lines':
      case 'stateAccess':
        return false
      case 'list':
        return isShort(plan)
      case 'replays':
        return isShort(plan)
      case 'calls':
        return false
    }
  }

  /**
   * The result of a job that `takes` allows; undefined where the job is too much, or fails: a thread fails
   * the same way, and says why. It ends too once `isWanted` denies.
   * @throws TRACE_DIFFERS: a thread must not hide it.
   */
  async run(request: TraceRequest, isWanted: () => boolean): Promise<Uint8Array | undefined> {
    const { target } = request.job
    this.#isBusy = true
    try {
      return await this.#trace(request, isWanted)
    } catch (thrown) {
      if (thrown instanceof LockstepError && thrown.code === 'TRACE_DIFFERS') throw thrown
      if (target.kind === 'call' && isWanted()) this.#remember(kindOf(target.call))
      return undefined
    } finally {
      this.#isBusy = false
      if (this.#engine?.isUsable === false) this.#engine = undefined
    }
  }

  async #trace({ job, view, signal }: TraceRequest, isWanted: () => boolean): Promise<Uint8Array> {
    const { engine: source, ...modules } = this.#modules
    this.#engine ??= await loadEngine(source, modules)
    const lastMs = performance.now() + this.#milliseconds
    const writer = new JsonWriter(giveUp, RESULT_BYTES)
    const keptBytes = Math.min(job.limits.keptBytes ?? KEPT_BYTES, KEPT_BYTES)
    await runTrace(
      { ...job, limits: { ...job.limits, keptBytes } },
      {
        engine: this.#engine,
        view,
        writer,
        signal,
        scripts: async () => giveUp(),
        pause: () => (isWanted() && performance.now() < lastMs ? undefined : giveUp()),
        onReplayed: () => {},
      },
    )
    return writer.buffer.subarray(0, writer.at)
  }

  #remember(kind: string): void {
    this.#tooMuch.add(kind)
    if (this.#tooMuch.size <= MAX_REMEMBERED) return
    for (const oldest of this.#tooMuch) {
      this.#tooMuch.delete(oldest)
      break
    }
  }
}

function isShort(plan: ReplayPlan | undefined): boolean {
  let gas = 0n
  for (const { gasUsed } of plan?.transactions ?? []) gas += gasUsed
  return gas <= REPLAY_GAS
}

/** Calls of the same kind are likely to take as long: contract, length of an overriding code, function. */
function kindOf({ input, stateOverrides }: TracedCall): string {
  const to = input.to === undefined ? '' : bytesKey(input.to)
  const given = stateOverrides.find(({ address }) => bytesKey(address) === to)?.code
  return `${to} ${given?.length ?? ''} ${bytesKey(input.data.subarray(0, 4))}`
}

function giveUp(): never {
  throw new LockstepError('LIMIT_EXCEEDED', 'the trace is too long for the thread of the chain')
}
