import type { TraceRunner } from '../../api/trace-pool/trace-runner.ts'
import { traceText } from '../../api/trace-pool/trace-text.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { HeadFeed } from '../../chain/consensus/head-feed.ts'
import { ConsoleCalled, silentView } from '../../chain/dev/console-watch.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { Executed } from '../../evm/engine/outcome.ts'
import type { TraceSink } from '../../evm/engine/trace-event.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'
import type { History } from '../../evm/execute/history.ts'
import { planReplay } from '../../evm/execute/replay/replay-plan.ts'
import type { GasEstimate } from '../../evm/execute/simulate/gas-search.ts'
import type { CallSimulation, Simulator } from '../../evm/execute/simulate/simulator.ts'
import type { TracerLimits } from '../../evm/trace/tracer.ts'
import { consoleCall, consoleText } from '../../evm/trace/tracers/console-call.ts'
import { ConsoleTable } from '../../evm/trace/tracers/console-table.ts'
import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'

/** What `ConsoleOutput` reads console.sol logs from. */
export interface ConsoleSource {
  readonly heads: HeadFeed
  readonly history: History
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly traces: TraceRunner
  readonly limits: TracerLimits
  readonly traceTimeoutMs: number
  /** While false, output is not logged. */
  readonly isLogging: () => boolean
  /** Called once per new block; false if no contract can have logged in it. */
  readonly mayHaveLogged: () => boolean
}

/** Maximum log lines of one transaction or call. */
const MAX_LINES = 1000

/** Characters that would move a terminal's cursor or end a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

interface ConsoleLine {
  readonly contract: string
  readonly text: string
}

type Simulators = Pick<Simulator, 'call' | 'estimateGas' | 'createAccessList'>

/**
 * Writes `console.log` output of contracts to the log of a development node: of each transaction of a new block,
 * traced after the block, of calls, and of failing estimates, as Hardhat does.
 */
export class ConsoleOutput {
  readonly #source: ConsoleSource
  readonly #logger: Logger
  readonly #table: ConsoleTable
  /** The block being traced, and those queued after it. */
  #last: Promise<void> = Promise.resolve()
  /** Abort controllers of these blocks, by height. */
  readonly #stops = new Map<number, AbortController>()
  readonly #unsubscribe: () => void

  constructor(source: ConsoleSource, logger: Logger) {
    this.#source = source
    this.#logger = logger
    this.#table = new ConsoleTable(source.keccak256)
    const stopBlocks = source.heads.onBlock((executed) => this.#follow(executed))
    const stopRemovals = source.heads.onRemoval((kept) => this.#cut(kept))
    this.#unsubscribe = () => {
      stopBlocks()
      stopRemovals()
    }
  }

  /** Returns simulators whose calls also log console output. A call that logs nothing takes no longer than before. */
  watch(simulator: Simulators): Simulators {
    return {
      call: (simulation) =>
        this.#silent(
          simulation,
          (asked) => simulator.call(asked),
          () => this.#call(simulator, simulation),
        ),
      estimateGas: (simulation) =>
        this.#silent(
          simulation,
          (asked) => simulator.estimateGas(asked),
          () => this.#estimateGas(simulator, simulation),
        ),
      createAccessList: (simulation) => simulator.createAccessList(simulation),
    }
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    for (const stop of this.#stops.values()) stop.abort()
    await this.#last
  }

  /**
   * Runs without watching, and switches to `watched` at the first console call: watching costs as much as a short
   * call.
   */
  #silent<Result>(
    simulation: CallSimulation,
    run: (simulation: CallSimulation) => Result | Promise<Result>,
    watched: () => Promise<Result>,
  ): Result | Promise<Result> {
    if (!this.#source.isLogging()) return run(simulation)
    const fail = (thrown: unknown): Promise<Result> => {
      if (thrown instanceof ConsoleCalled) return watched()
      throw thrown
    }
    try {
      const result = run({ ...simulation, over: silentView })
      return result instanceof Promise ? result.catch(fail) : result
    } catch (thrown) {
      return fail(thrown)
    }
  }

  async #call(simulator: Simulators, simulation: CallSimulation): Promise<Executed> {
    const lines: ConsoleLine[] = []
    try {
      return await simulator.call(this.#watched(simulation, lines))
    } finally {
      this.#write(lines, { call: 'eth_call' })
    }
  }

  async #estimateGas(simulator: Simulators, simulation: CallSimulation): Promise<GasEstimate> {
    const lines: ConsoleLine[] = []
    const estimate = await simulator.estimateGas(this.#watched(simulation, lines))
    if (estimate.kind === 'failed') this.#write(lines, { call: 'eth_estimateGas' })
    return estimate
  }

  #watched(simulation: CallSimulation, lines: ConsoleLine[]): CallSimulation {
    const trace: TraceSink = {
      ignoresLogs: true,
      onEvent: (event) => {
        if (event.kind !== 'enter') return
        // A run that had to fetch values restarts
        if (event.depth === 0) lines.length = 0
        const call = consoleCall(event, this.#table)
        if (call === undefined || lines.length > MAX_LINES) return
        lines.push({ contract: formatData(call.contract), text: consoleText(call) })
      },
    }
    return { ...simulation, trace }
  }

  #follow({ block }: ExecutedBlock): void {
    const { isLogging, mayHaveLogged } = this.#source
    if (!mayHaveLogged() || !isLogging()) return
    const height = block.header.number
    const stop = new AbortController()
    this.#stops.set(height, stop)
    this.#last = this.#last
      .then(() => this.#trace(height, stop.signal))
      .catch((thrown) => {
        if (stop.signal.aborted) return
        // The pool is busy, or the time is up: console lines are optional
        this.#logger.debug('console.log was not read', { height, reason: messageOf(thrown) })
      })
      .finally(() => {
        if (this.#stops.get(height) === stop) this.#stops.delete(height)
      })
  }

  /** Aborts tracing of blocks that leave the chain. */
  #cut(kept: number): undefined {
    for (const [height, stop] of this.#stops) if (height > kept) stop.abort()
  }

  async #trace(height: number, signal: AbortSignal): Promise<void> {
    const { history, traces, limits, traceTimeoutMs } = this.#source
    if (signal.aborted) return
    const output = await traces.start({
      job: {
        plan: planReplay(this.#source, height),
        target: { kind: 'block' },
        tracer: 'consoleTracer',
        config: {},
        limits,
      },
      view: history.before(height),
      client: this,
      waitMs: traceTimeoutMs,
      timeoutMs: traceTimeoutMs,
      expired: () => new LockstepError('LIMIT_EXCEEDED', 'trace timed out'),
      signal,
    })
    for (const { txHash, result } of JSON.parse(await traceText(output)) as TracedConsole[]) {
      this.#write(result ?? [], { transaction: txHash })
    }
  }

  #write(lines: readonly ConsoleLine[], where: Readonly<Record<string, string>>): void {
    for (const { contract, text } of lines.slice(0, MAX_LINES)) {
      for (const line of text.split('\n')) {
        this.#logger.info(`console.log: ${line.replace(CONTROLS, escaped)}`, { ...where, contract })
      }
    }
    if (lines.length > MAX_LINES) {
      this.#logger.info('console.log: not all lines are shown', { ...where, shown: MAX_LINES })
    }
  }
}

interface TracedConsole {
  readonly txHash: string
  readonly result?: readonly ConsoleLine[]
}

function escaped(character: string): string {
  return character === '\t'
    ? character
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
