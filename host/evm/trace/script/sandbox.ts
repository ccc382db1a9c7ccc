import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { opcodeName } from '../../engine/opcode.ts'
import { type Operands, type ScriptAnswer, ScriptExchange, type ScriptStep } from './exchange.ts'
import {
  FUEL_OF_TICK,
  limitExceeded,
  MAX_STACK_BYTES,
  MIN_MEMORY_BYTES,
  MIN_STACK_BYTES,
  type ScriptLimits,
} from './limits.ts'
import { prelude } from './prelude.ts'
import {
  type BorrowedValue,
  type Completion,
  HeapFull,
  type HeapValue,
  type QuickJs,
  Realm,
  type RealmHooks,
} from './quickjs.ts'
import {
  ANSWER_KIND,
  BUFFER_FIELD,
  CONTEXT,
  type PreludeConstants,
  QUESTIONS,
  type ScriptQuestion,
  SHARED_BYTES,
  STACK_AT,
  WINDOW_AT,
  WINDOW_BYTES,
} from './shared-buffer.ts'

/** Answers the script's questions while one of its functions runs. An error that it throws ends the script. */
export interface ScriptHost {
  answer(question: ScriptQuestion, operands: Operands): ScriptAnswer
}

/** What sandboxes are made of: an instance of QuickJS, and the source of the `big-integer` package. */
export interface ScriptEngine {
  readonly quickJs: QuickJs
  readonly bigInteger: string
}

export interface SandboxOptions {
  readonly source: string
  /** `tracerConfig` as JSON; `{}` by default. */
  readonly config: string
  readonly limits: ScriptLimits
  readonly host: ScriptHost
  /** Called every few milliseconds while the script runs. An error that it throws ends the script. */
  readonly onTick?: (() => void) | undefined
}

type Handler = 'setup' | 'step' | 'fault' | 'enter' | 'exit' | 'result'

const HANDLERS: readonly Handler[] = ['setup', 'step', 'fault', 'enter', 'exit', 'result']

/** Memory for describing an error after memory ran out. */
const SPARE_MEMORY = 1 << 20

const PRELUDE = `(${prelude})`

function preludeConstants(limits: ScriptLimits): PreludeConstants {
  return {
    field: BUFFER_FIELD,
    kind: ANSWER_KIND,
    question: Object.fromEntries(QUESTIONS.map((name, i) => [name, i])) as Record<
      ScriptQuestion,
      number
    >,
    context: CONTEXT,
    stackAt: STACK_AT,
    windowAt: WINDOW_AT,
    windowBytes: WINDOW_BYTES,
    opcodeNames: Array.from({ length: 256 }, (_, code) => opcodeName(code)),
    resultLength: limits.resultLength,
  }
}

/** QuickJS exceptions that mean an exceeded limit. Its parser has its own stack check. */
const OUT_OF_MEMORY = /^InternalError: out of memory/
const STACK_OVERFLOW = /^(InternalError|SyntaxError): stack overflow/

/** Message of a script's error. */
class ScriptMessage {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/**
 * One script in its own realm. It can access the prelude's objects but nothing of the host. Its functions are called
 * one at a time, and an error in one ends the script.
 */
export class ScriptSandbox {
  readonly #engine: ScriptEngine
  readonly #options: SandboxOptions
  readonly #realm: Realm
  readonly #hooks: RealmHooks
  readonly #handlers = new Map<Handler, HeapValue>()
  readonly #owned: HeapValue[] = []
  #exchange: ScriptExchange | undefined
  #describe: HeapValue | undefined
  #onStep: HeapValue | undefined
  #ticks = 0
  /** Reason to end the script, even if it catches the error. */
  #end: { readonly cause: unknown } | undefined

  /**
   * Evaluates a script and calls its `setup`.
   * @throws EXECUTION_FAILED if it is not a tracer, throws, or does what geth rejects; LIMIT_EXCEEDED; what `host`
   * and `onTick` throw. The same holds for all methods.
   */
  static open(engine: ScriptEngine, options: SandboxOptions): ScriptSandbox {
    if (options.source.length > options.limits.sourceLength) {
      throw limitExceeded(options.limits, 'sourceLength')
    }
    const sandbox = new ScriptSandbox(engine, options)
    try {
      sandbox.#load()
      return sandbox
    } catch (thrown) {
      sandbox.close()
      throw sandbox.#causeOf(thrown)
    }
  }

  private constructor(engine: ScriptEngine, options: SandboxOptions) {
    const { memoryBytes, stackBytes } = options.limits
    this.#engine = engine
    this.#options = options
    this.#hooks = { onCall: (argument) => this.#onCall(argument), onTick: () => this.#onTick() }
    this.#realm = new Realm(engine.quickJs, this.#hooks, {
      memoryBytes: Math.max(memoryBytes, MIN_MEMORY_BYTES),
      stackBytes: Math.max(MIN_STACK_BYTES, Math.min(stackBytes, MAX_STACK_BYTES)),
    })
  }

  has(handler: Handler): boolean {
    return this.#handlers.has(handler)
  }

  /** Calls `step` or `fault` with a record. `isFailed` exposes its error. */
  step(handler: 'step' | 'fault', record: ScriptStep, isFailed: boolean): void {
    const callable = handler === 'step' ? this.#onStep : this.#handlers.get('fault')
    if (callable === undefined) return
    this.#exchange?.writeStep(record, isFailed)
    this.#poke(handler, callable)
  }

  enter(): void {
    this.#notify('enter')
  }

  exit(): void {
    this.#notify('exit')
  }

  /** Calls `result` and returns its value as JSON. */
  result(): string {
    const value = this.#call('result', this.#handlers.get('result') as HeapValue)
    const text = this.#realm.text(value)
    this.#realm.free(value)
    if (text === undefined) throw limitExceeded(this.#options.limits, 'memoryBytes')
    return text
  }

  /** Frees everything the script holds. */
  close(): void {
    const { quickJs } = this.#engine
    if (!quickJs.isUsable) return
    try {
      for (const value of this.#owned.splice(0)) this.#realm.free(value)
      this.#realm.close()
    } catch {
      // QuickJS lost track of its objects when memory ran out.
      quickJs.markBroken()
    }
  }

  #load(): void {
    const { source, config, limits } = this.#options
    const realm = this.#realm
    const shared = realm.newBuffer(SHARED_BYTES)
    this.#own(shared.value)
    this.#exchange = new ScriptExchange(realm, shared.at)
    const build = this.#own(this.#evaluate(PRELUDE, 'prelude'))
    const controls = this.#own(
      this.#call(
        undefined,
        build,
        shared.value,
        this.#own(realm.newFunction(this.#hooks)),
        this.#own(realm.newString(JSON.stringify(preludeConstants(limits)))),
      ),
    )
    this.#describe = this.#own(realm.property(controls, 'describe'))
    const load = this.#own(realm.property(controls, 'load'))
    // The line break ends a comment on the last line.
    const tracer = this.#own(this.#evaluate(`(${source}\n)`, '<eval>'))
    const handlers = this.#own(this.#call(undefined, load, tracer))
    for (const name of HANDLERS) {
      const handler = this.#own(realm.property(handlers, name))
      if (realm.isFunction(handler)) this.#handlers.set(name, handler)
    }
    this.#onStep = this.#handlers.get('step')
    const setup = this.#handlers.get('setup')
    if (setup === undefined) return
    realm.free(this.#call(undefined, setup, this.#own(realm.newString(config))))
  }

  #own(value: HeapValue): HeapValue {
    this.#owned.push(value)
    return value
  }

  #evaluate(code: string, name: string): HeapValue {
    return this.#take(
      undefined,
      this.#inside(() => this.#realm.evaluate(code, name)),
    )
  }

  #call(
    handler: Handler | undefined,
    callable: HeapValue,
    ...args: readonly HeapValue[]
  ): HeapValue {
    return this.#take(
      handler,
      this.#inside(() => this.#realm.call(callable, ...args)),
    )
  }

  #notify(handler: Handler): void {
    const callable = this.#handlers.get(handler)
    if (callable !== undefined) this.#poke(handler, callable)
  }

  #poke(handler: Handler, callable: HeapValue): void {
    let thrown: HeapValue | undefined
    try {
      thrown = this.#realm.poke(callable)
    } catch (cause) {
      throw this.#onTrap(cause)
    }
    if (thrown !== undefined || this.#end !== undefined) this.#fail(handler, thrown)
  }

  #inside<Result>(enter: () => Result): Result {
    try {
      return enter()
    } catch (cause) {
      throw this.#onTrap(cause)
    }
  }

  #take(handler: Handler | undefined, done: Completion): HeapValue {
    if ('thrown' in done) return this.#fail(handler, done.thrown)
    if (this.#end === undefined) return done.value
    this.#realm.free(done.value)
    return this.#fail(handler, undefined)
  }

  /** Handles a host stack overflow or a trap of QuickJS. The instance cannot be used again. */
  #onTrap(cause: unknown): LockstepError {
    this.#engine.quickJs.markBroken()
    if (cause instanceof HeapFull) return limitExceeded(this.#options.limits, 'memoryBytes')
    if (cause instanceof RangeError) return limitExceeded(this.#options.limits, 'stackBytes')
    return new LockstepError('ENGINE_FAULT', `the script sandbox trapped: ${messageOf(cause)}`, {
      cause,
    })
  }

  /** If the heap has no room for the host's values, the script is at fault. */
  #causeOf(thrown: unknown): unknown {
    if (!(thrown instanceof HeapFull)) return thrown
    return limitExceeded(this.#options.limits, 'memoryBytes')
  }

  #fail(handler: Handler | undefined, thrown: HeapValue | undefined): never {
    const error =
      this.#end === undefined && thrown !== undefined ? this.#explain(thrown) : undefined
    if (thrown !== undefined) this.#realm.free(thrown)
    const cause = this.#end?.cause ?? error
    if (!(cause instanceof ScriptMessage)) throw cause
    const place = handler === undefined ? '' : `    in server-side tracer function '${handler}'`
    throw new LockstepError('EXECUTION_FAILED', cause.message + place, {
      hint: 'correct the script tracer',
    })
  }

  #explain(thrown: HeapValue): ScriptMessage | LockstepError {
    const { limits } = this.#options
    if (this.#describe === undefined) return limitExceeded(limits, 'memoryBytes')
    this.#realm.allowMemory(SPARE_MEMORY)
    const described = this.#inside(() => this.#realm.call(this.#describe as HeapValue, thrown))
    const text = 'value' in described ? this.#realm.text(described.value) : undefined
    this.#realm.free('value' in described ? described.value : described.thrown)
    // QuickJS throws null if there is no room for an error object.
    const isFull =
      this.#engine.quickJs.isFull || this.#realm.memoryUsed() > 0.9 * limits.memoryBytes
    if (isFull && (text === undefined || text === 'null'))
      return limitExceeded(limits, 'memoryBytes')
    if (text === undefined) return new ScriptMessage('an exception that cannot be shown')
    if (OUT_OF_MEMORY.test(text)) return limitExceeded(limits, 'memoryBytes')
    if (STACK_OVERFLOW.test(text)) return limitExceeded(limits, 'stackBytes')
    return new ScriptMessage(text)
  }

  #onTick(): boolean {
    if (this.#end !== undefined) return true
    const { limits, onTick } = this.#options
    this.#ticks++
    try {
      if (this.#ticks * FUEL_OF_TICK > limits.fuel) throw limitExceeded(limits, 'fuel')
      onTick?.()
      return false
    } catch (cause) {
      this.#end = { cause }
      return true
    }
  }

  #onCall(argument: BorrowedValue | undefined): HeapValue | undefined {
    const exchange = this.#exchange
    if (exchange === undefined || this.#end !== undefined) return this.#realm.throwError()
    try {
      return this.#reply(exchange, exchange.takeQuestion(argument))
    } catch (thrown) {
      this.#end ??= { cause: this.#causeOf(thrown) }
      return this.#realm.throwError()
    }
  }

  #reply(exchange: ScriptExchange, question: ScriptQuestion): HeapValue | undefined {
    const { host, limits } = this.#options
    switch (question) {
      case 'fail':
        throw new ScriptMessage(exchange.failure)
      case 'tooLong':
        throw limitExceeded(limits, 'resultLength')
      case 'bigInt':
        return this.#evaluateLibrary()
      case 'hex':
        return exchange.write(formatData(exchange.operands.bytes))
      case 'stack':
        host.answer(question, exchange.operands)
        exchange.writeWholeStack()
        return undefined
      default:
        return exchange.write(host.answer(question, exchange.operands))
    }
  }

  #evaluateLibrary(): HeapValue {
    const done = this.#realm.evaluate(
      `(function () { ${this.#engine.bigInteger}\nreturn bigInt })()`,
      'bigInt',
    )
    if ('value' in done) return done.value
    const cause = this.#end === undefined ? this.#explain(done.thrown) : this.#end.cause
    this.#realm.free(done.thrown)
    throw cause
  }
}
