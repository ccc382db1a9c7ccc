import { LockstepError, messageOf } from '../../base/error.ts'
import { CodeCompiler } from './code-compiler.ts'
import type { CompiledCodeCounts } from './compiled-code.ts'
import { STATUS } from './generated/status.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'
import type { EngineSettings } from './options.ts'

export type EngineStatus = (typeof STATUS)[keyof typeof STATUS]

const DEFAULT_FUEL = 1 << 17

/** Runs the message of an engine in slices, and compiles between them what has become hot. */
export class EngineSlices {
  #exports: EngineExports
  readonly #memory: EngineMemory
  readonly #fuel: number
  /** Undefined if all code is interpreted. */
  readonly #codeCompiler: CodeCompiler | undefined
  #trapped = false

  constructor(
    exports: EngineExports,
    memory: EngineMemory,
    { fuel = DEFAULT_FUEL, compiledCode }: EngineSettings,
  ) {
    this.#exports = exports
    this.#memory = memory
    this.#fuel = fuel
    this.#codeCompiler = compiledCode && new CodeCompiler(compiledCode, exports, memory)
  }

  /** True after a trap, which leaves the engine's memory inconsistent: the instance must not be used again. */
  get trapped(): boolean {
    return this.#trapped
  }

  get compiledCode(): CompiledCodeCounts | undefined {
    return this.#codeCompiler?.counts
  }

  /** Continues with another instance of the engine. */
  follow(exports: EngineExports): void {
    this.#exports = exports
    this.#codeCompiler?.follow(exports, this.#memory)
  }

  /** Continues the message until its fuel is used up or it stops. A slice that ended early for hot code goes on. */
  run(revision: number): EngineStatus {
    for (;;) {
      const status = this.#runSlice()
      const isEarly = this.#codeCompiler?.endSlice(revision) === true
      if (!isEarly || status !== STATUS.yield) return status
    }
  }

  refuseTrapped(): void {
    if (!this.#trapped) return
    throw new LockstepError('ENGINE_FAULT', 'this engine trapped earlier', {
      hint: 'make another engine',
    })
  }

  #runSlice(): EngineStatus {
    this.refuseTrapped()
    this.#codeCompiler?.beginSlice()
    try {
      const status = this.#exports.run(this.#fuel)
      this.#memory.follow()
      return status as EngineStatus
    } catch (cause) {
      this.#trapped = true
      throw new LockstepError('ENGINE_FAULT', `the engine trapped: ${messageOf(cause)}`, { cause })
    }
  }
}
