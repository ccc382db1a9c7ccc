import { Engine } from '../../host/evm/engine/engine.ts'
import { FAULT_TEXTS } from '../../host/evm/engine/generated/fault.ts'
import {
  type EngineExports,
  openEngineModule,
  type RegionExports,
} from '../../host/evm/engine/module.ts'
import type { Need, Run } from '../../host/evm/engine/need.ts'
import type { EngineSettings, TransactOptions } from '../../host/evm/engine/options.ts'
import type { TraceEvent } from '../../host/evm/engine/trace-event.ts'

/** How a region ends, by the lowest bits of what its function returns (assembly/compile/exit.ts). */
const ENDS = ['before an opcode', 'at a jump', 'with a signal'] as const
const NEEDS: readonly Need['kind'][] = ['account', 'storage', 'code', 'blockHash', 'host', 'yield']

/**
 * A module with a function that calls an imported one of the same type, passes the result to `n`, and returns it. The
 * function table takes no functions of JavaScript.
 */
const COUNTED_CALL = new WebAssembly.Module(
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // Types: (i32 i32 i64 i32) -> i32, and (i32) -> ()
    ...[1, 13, 2, 0x60, 4, 0x7f, 0x7f, 0x7e, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0],
    // Imports e.f and e.n
    ...[2, 13, 2, 1, 0x65, 1, 0x66, 0, 0, 1, 0x65, 1, 0x6e, 0, 1],
    ...[3, 2, 1, 0],
    // The third function, as f
    ...[7, 5, 1, 1, 0x66, 0, 2],
    ...[10, 22, 1, 20, 1, 1, 0x7f],
    ...[0x20, 0, 0x20, 1, 0x20, 2, 0x20, 3, 0x10, 0, 0x22, 4, 0x10, 1, 0x20, 4, 0x0b],
  ),
)

/**
 * Counts how compiled regions end, and what follows: the needs and yields of slices that ran a region, and the faults
 * of frames in messages that did.
 */
export class RegionExits {
  readonly #counts = new Map<string, number>()
  /** Regions that ended in the running slice, and in the running message. */
  #inSlice = 0
  #inMessage = 0

  constructor() {
    for (const end of ENDS) this.#counts.set(`region ended ${end}`, 0)
    for (const need of NEEDS) this.#counts.set(`need: ${need}`, 0)
    for (const text of FAULT_TEXTS.slice(1)) this.#counts.set(`fault: ${text}`, 0)
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }

  /** Names of what was never reached. */
  get missing(): readonly string[] {
    return [...this.#counts].filter(([, count]) => count === 0).map(([name]) => name)
  }

  /** Opens an engine whose regions are counted. */
  async open(module: WebAssembly.Module, settings: EngineSettings): Promise<CountedEngine> {
    const { exports } = await openEngineModule(module)
    const { table } = exports as EngineExports & RegionExports
    const counted = {
      grow: (count: number) => table.grow(count),
      set: (index: number, run: unknown) => table.set(index, run === null ? null : this.#wrap(run)),
    }
    return new CountedEngine(this, { ...exports, table: counted } as EngineExports, settings)
  }

  beginMessage(): void {
    this.#inMessage = 0
    this.#inSlice = 0
  }

  /** Counts what ended a slice. */
  onNeed(need: Need['kind']): void {
    if (this.#inSlice > 0) this.#add(`need: ${need}`)
    this.#inSlice = 0
  }

  onEvent(event: TraceEvent): void {
    if (event.kind !== 'exit' || event.error === undefined || this.#inMessage === 0) return
    const text = FAULT_TEXTS.slice(1)
      .filter((one) => event.error?.startsWith(one))
      .sort((a, b) => b.length - a.length)[0]
    // Other texts are the reasons of failed precompiles
    this.#add(`fault: ${text ?? FAULT_TEXTS.at(-1)}`)
  }

  #add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  #onEnd(end: number): void {
    this.#inSlice++
    this.#inMessage++
    this.#add(`region ended ${ENDS[end & 3]}`)
  }

  #wrap(run: unknown): WebAssembly.ExportValue {
    const imports = { f: run as () => number, n: (end: number) => this.#onEnd(end) }
    return new WebAssembly.Instance(COUNTED_CALL, { e: imports }).exports.f as () => number
  }
}

/** An engine that counts the ends of its regions. */
class CountedEngine extends Engine {
  readonly #exits: RegionExits

  constructor(exits: RegionExits, exports: EngineExports, settings: EngineSettings) {
    super(exports, settings)
    this.#exits = exits
  }

  override *transact(
    input: Parameters<Engine['transact']>[0],
    options: TransactOptions = {},
  ): ReturnType<Engine['transact']> {
    const exits = this.#exits
    const { trace } = options
    const onEvent = (event: TraceEvent) => {
      exits.onEvent(event)
      trace?.onEvent(event)
    }
    exits.beginMessage()
    const run = super.transact(input, { ...options, trace: { ...trace, onEvent } })
    return yield* countNeeds(run, exits)
  }
}

function* countNeeds<Result>(run: Run<Result>, exits: RegionExits): Run<Result> {
  let step = run.next(undefined)
  try {
    while (!step.done) {
      exits.onNeed(step.value.kind)
      step = run.next(yield step.value)
    }
    return step.value
  } finally {
    if (!step.done) run.return(undefined as Result)
  }
}
