import { Engine } from '../../host/evm/engine/engine.ts'
import type { BlockEnv, TransactionInput } from '../../host/evm/engine/message.ts'
import { openEngineModule } from '../../host/evm/engine/module.ts'
import type { Run } from '../../host/evm/engine/need.ts'
import type { EngineSettings, TransactOptions } from '../../host/evm/engine/options.ts'
import type { Outcome } from '../../host/evm/engine/outcome.ts'

/**
 * Runs each transaction of a block in a second engine, on the state before the block, and applies the result if it
 * would be the same here. Blocks run this way with `evm.parallel_execution`.
 */
export class AheadEngine extends Engine {
  #other: Engine
  #env: BlockEnv | undefined
  /** Transactions whose speculative result was applied, and those executed again. */
  readonly counts = { adopted: 0, repeated: 0 }

  static async load(source: BufferSource, options: EngineSettings): Promise<AheadEngine> {
    const [{ exports, again }, other] = await Promise.all([
      openEngineModule(source),
      openEngineModule(source),
    ])
    const engine = new AheadEngine(exports, options, again)
    engine.#other = new Engine(other.exports, options, other.again)
    return engine
  }

  private constructor(...parts: ConstructorParameters<typeof Engine>) {
    super(...parts)
    this.#other = this
  }

  override beginBlock(env: BlockEnv): void {
    super.beginBlock(env)
    this.#env = env
  }

  override *transact(input: TransactionInput, options: TransactOptions = {}): Run<Outcome> {
    const { trace, discard, recordAccess } = options
    const isOfBlock = trace === undefined && discard !== true && recordAccess !== true
    if (isOfBlock && this.#env !== undefined) {
      this.#other.beginBlock(this.#env)
      const outcome = yield* this.#other.transact(input, options)
      const footprint = outcome.kind === 'executed' ? this.#other.readWriteSet() : undefined
      const adopted = footprint && this.applySet(footprint)
      if (adopted !== undefined && outcome.kind === 'executed') {
        this.counts.adopted++
        return { ...adopted, output: outcome.output }
      }
      this.counts.repeated++
    }
    return yield* super.transact(input, options)
  }
}
