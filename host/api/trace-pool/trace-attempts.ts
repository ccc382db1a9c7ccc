import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { ReplayPlan } from '../../evm/execute/replay/replay-plan.ts'
import { runTraceJob } from '../../evm/trace/job/run-trace.ts'
import type { TracedCall, TraceJob } from '../../evm/trace/job/trace-job.ts'
import { ChunkedJsonWriter } from '../../evm/trace/json-writer.ts'
import { isByCall } from '../../evm/trace/tracers/tracer-table.ts'
import type { TraceRequest } from './trace-runner.ts'

/** Milliseconds after which an attempt is abandoned, at the end of a slice of about one millisecond. */
const ATTEMPT_MS = 20

/** Maximum bytes of the result, and of what a tracer retains until it writes the result. */
const RESULT_BYTES = 64 * 1024
const KEPT_BYTES = 4 * RESULT_BYTES

/** Maximum gas used by the transactions of a replay: runs within a few milliseconds. */
const REPLAY_GAS = 1_000_000n

/** Maximum kinds of calls remembered as too expensive. */
const MAX_REMEMBERED = 1024

/**
 * Attempts short traces on the main thread, one at a time, because a round trip to a worker takes as long as many
 * calls run. Limits time, checked after each slice as for eth_call, result size and retained bytes. Tracers of single
 * steps and scripts always run on workers.
 */
export class TraceAttempts {
  readonly #modules: EngineModules
  readonly #milliseconds: number
  /** Kinds of recently abandoned calls; the next call of such a kind goes directly to a worker. */
  readonly #tooMuch = new RecentCache<string, true>(MAX_REMEMBERED)
  #engine: Engine | undefined
  #isBusy = false

  /** @param milliseconds time limit of an attempt */
  constructor(modules: EngineModules, milliseconds: number = ATTEMPT_MS) {
    this.#modules = modules
    this.#milliseconds = milliseconds
  }

  /** Returns true if a job may be attempted on this thread now. */
  takes({ target, plan, tracer, config }: TraceJob): boolean {
    if (this.#isBusy || !isByCall(tracer, config)) return false
    switch (target.kind) {
      case 'call':
        return plan === undefined && this.#tooMuch.get(kindOf(target.call)) === undefined
      case 'transaction':
        return target.profile === undefined && isShort(plan)
      // The result of a block would contain its tracers' failures, including those caused by an attempt's limits.
      case 'block':
      case 'lines':
      case 'stateAccess':
        return false
      case 'list':
        return isShort(plan)
      case 'replays':
        return isShort(plan)
      case 'calls':
      case 'bundles':
        return false
    }
  }

  /**
   * Returns the result of a job that `takes` accepts, or undefined if it exceeds the limits or fails: a worker then
   * repeats the failure and reports it. Stops when `isWanted` returns false.
   * @throws TRACE_DIFFERS, because a retry on a worker must not hide it.
   */
  async run(request: TraceRequest, isWanted: () => boolean): Promise<Uint8Array | undefined> {
    const { target } = request.job
    this.#isBusy = true
    try {
      return await this.#trace(request, isWanted)
    } catch (thrown) {
      if (thrown instanceof LockstepError && thrown.code === 'TRACE_DIFFERS') throw thrown
      if (target.kind === 'call' && isWanted()) this.#tooMuch.set(kindOf(target.call), true)
      return undefined
    } finally {
      this.#isBusy = false
      if (this.#engine?.isUsable === false) this.#engine = undefined
    }
  }

  async #trace({ job, view, signal }: TraceRequest, isWanted: () => boolean): Promise<Uint8Array> {
    // An attempt is short, and this thread must not compile: it interprets all code
    const { engine: source, pairing, chainModules } = this.#modules
    this.#engine ??= await loadEngine(source, { pairing, chainModules })
    const lastMs = performance.now() + this.#milliseconds
    const writer = new ChunkedJsonWriter(giveUp, RESULT_BYTES)
    const keptBytes = Math.min(job.limits.keptBytes ?? KEPT_BYTES, KEPT_BYTES)
    await runTraceJob(
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
}

function isShort(plan: ReplayPlan | undefined): boolean {
  let gas = 0n
  for (const { gasUsed } of plan?.transactions ?? []) gas += gasUsed
  return gas <= REPLAY_GAS
}

/** Calls of the same kind probably take equally long: contract, length of overriding code, function. */
function kindOf({ input, stateOverrides }: TracedCall): string {
  const to = input.to === undefined ? '' : bytesKey(input.to)
  const given = stateOverrides.find(({ address }) => bytesKey(address) === to)?.code
  return `${to} ${given?.length ?? ''} ${bytesKey(input.data.subarray(0, 4))}`
}

function giveUp(): never {
  throw new LockstepError('LIMIT_EXCEEDED', 'the trace is too long for the main thread')
}
