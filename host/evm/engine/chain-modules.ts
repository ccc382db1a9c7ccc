import { LockstepError, messageOf } from '../../base/error.ts'
import type { BlockEnv } from './message.ts'
import type { HostCall } from './need.ts'

/** Exports of modules.wasm, documented in assembly/modules.ts. */
interface ModulesExports {
  readonly memory: WebAssembly.Memory
  readonly callAt: WebAssembly.Global
  readonly inputAt: WebAssembly.Global
  readonly inputSize: WebAssembly.Global
  readonly outcomeAt: WebAssembly.Global
  readonly resultOffset: WebAssembly.Global
  _initialize(): void
  begin(): void
  run(): number
  missingAt(): number
  answer(): void
}

/** Bytes of a read operation. Its result follows at this offset. */
const READ_OPERATION = 64

/** How a call of one of the chain's precompiles ended. */
export interface ChainOutcome {
  /** A HOST_RESULT value. */
  readonly result: number
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/**
 * Performs a state operation (assembly/evm/frame/host-operation.ts). Returns the bytes read, empty for other
 * operations. Undefined if the engine must run first; the same operation then comes again.
 */
export type Perform = (operation: Uint8Array) => Uint8Array | undefined

/**
 * Runs the chain's own precompiles with modules.wasm. `step` continues a call until it has an outcome. Between two
 * steps the engine reads missing values.
 */
export class ChainModules {
  readonly #module: WebAssembly.Module | undefined
  #exports: ModulesExports | undefined
  /** Number of reads that the running call is waiting for. */
  #missing = 0
  /** Address of the next effect; 0 until the call has ended. */
  #effectAt = 0
  #isRunning = false

  /** @param module modules.wasm, compiled; calls fail with ENGINE_FAULT without it */
  constructor(module: WebAssembly.Module | undefined) {
    this.#module = module
  }

  /** True from `begin` until the outcome. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Aborts the running call. */
  abandon(): void {
    this.#isRunning = false
  }

  begin(call: HostCall, kind: number, env: BlockEnv): void {
    const exports = this.#open()
    const fields = new DataView(exports.memory.buffer)
    const bytes = new Uint8Array(exports.memory.buffer)
    const at = exports.callAt.value
    bytes.fill(0, at, at + 256)
    fields.setUint32(
      at,
      new DataView(call.address.buffer, call.address.byteOffset).getUint32(16),
      true,
    )
    fields.setUint32(at + 4, kind, true)
    fields.setUint32(at + 8, call.isStatic ? 1 : 0, true)
    fields.setUint32(at + 12, call.input.length, true)
    fields.setBigUint64(at + 16, call.gas, true)
    fields.setBigUint64(at + 24, BigInt(env.number), true)
    fields.setBigUint64(at + 32, BigInt(env.timestamp), true)
    writeWord(fields, at + 64, env.chainId)
    writeWord(fields, at + 96, call.value)
    bytes.set(call.caller, at + 128)
    const held = call.input.subarray(0, exports.inputSize.value)
    bytes.set(held, exports.inputAt.value)
    exports.begin()
    this.#missing = this.#run(exports)
    this.#effectAt = 0
    this.#isRunning = true
  }

  /** Continues the call. Returns undefined if the engine must run first. */
  step(perform: Perform): ChainOutcome | undefined {
    const exports = this.#open()
    const bytes = new Uint8Array(exports.memory.buffer)
    while (this.#missing > 0) {
      const at = exports.missingAt()
      const result = perform(bytes.subarray(at, at + READ_OPERATION))
      if (result === undefined) return undefined
      bytes.set(result, at + exports.resultOffset.value)
      exports.answer()
      this.#missing--
      if (this.#missing === 0) this.#missing = this.#run(exports)
    }
    const fields = new DataView(exports.memory.buffer)
    const outcome = exports.outcomeAt.value
    if (this.#effectAt === 0) this.#effectAt = fields.getUint32(outcome + 24, true)
    const isDone = this.#applyEffects(fields.getUint32(outcome + 28, true), bytes, fields, perform)
    if (!isDone) return undefined
    this.#isRunning = false
    const outputAt = fields.getUint32(outcome + 16, true)
    return {
      result: fields.getInt32(outcome, true),
      gasUsed: fields.getBigUint64(outcome + 8, true),
      output: bytes.slice(outputAt, outputAt + fields.getUint32(outcome + 20, true)),
    }
  }

  /** A trap leaves the module's memory inconsistent, so the next call gets a new instance. */
  #run(exports: ModulesExports): number {
    try {
      return exports.run()
    } catch (cause) {
      this.#exports = undefined
      this.#isRunning = false
      throw new LockstepError('ENGINE_FAULT', `modules.wasm trapped: ${messageOf(cause)}`, {
        cause,
      })
    }
  }

  /** Performs the call's effects, each preceded by its size. Returns false if the engine must run first. */
  #applyEffects(end: number, bytes: Uint8Array, fields: DataView, perform: Perform): boolean {
    while (this.#effectAt < end) {
      const size = fields.getUint32(this.#effectAt, true)
      const at = this.#effectAt + 8
      if (perform(bytes.subarray(at, at + size)) === undefined) return false
      this.#effectAt = at + ((size + 7) & ~7)
    }
    return true
  }

  #open(): ModulesExports {
    this.#exports ??= instantiateModules(this.#module)
    return this.#exports
  }
}

/** Big-endian. */
function writeWord(fields: DataView, at: number, value: bigint): void {
  for (let i = 0; i < 4; i++) {
    fields.setBigUint64(at + 24 - 8 * i, BigInt.asUintN(64, value >> BigInt(64 * i)))
  }
}

function instantiateModules(module: WebAssembly.Module | undefined): ModulesExports {
  if (module === undefined) {
    throw new LockstepError(
      'ENGINE_FAULT',
      "one of the chain's own precompiles was called without modules.wasm",
      { hint: 'pass the compiled module in the engine options' },
    )
  }
  try {
    const exports = new WebAssembly.Instance(module).exports as unknown as ModulesExports
    exports._initialize()
    return exports
  } catch (thrown) {
    throw new LockstepError('ENGINE_FAULT', `modules.wasm does not load: ${messageOf(thrown)}`, {
      hint: 'in a checkout, run `npm run build`; otherwise reinstall the package',
      cause: thrown,
    })
  }
}
