import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { opcodeName } from '../../engine/opcode.ts'
import type { StepRecord } from '../../engine/trace-event.ts'
import { FUEL_OF_TICK, limitExceeded, MAX_STACK_BYTES, type ScriptLimits } from './limits.ts'
import { prelude } from './prelude.ts'
import {
  type BorrowedValue,
  type Completion,
  type QuickJs,
  Realm,
  type RealmHooks,
  type Value,
} from './quickjs.ts'
import {
  CONTEXT,
  FIELD,
  KIND,
  type PreludeConstants,
  QUESTIONS,
  type Question,
  SHARED_BYTES,
  STACK_AT,
  STACK_WORDS,
  WINDOW_AT,
  WINDOW_BYTES,
} from './shared-buffer.ts'

/** What scripts see of a step. */
export type StepView = Pick<
  StepRecord,
  | 'opcode'
  | 'depth'
  | 'pc'
  | 'gas'
  | 'cost'
  | 'refund'
  | 'memorySize'
  | 'stackHeight'
  | 'error'
  | 'bytes'
  | 'stackAt'
>

/** What goes with a question. Bytes are copies. */
export interface Operands {
  readonly address: Uint8Array
  /** 32 bytes: the key of a slot, a salt. */
  readonly key: Uint8Array
  readonly first: number
  readonly second: number
  /** The argument; empty where there is none. */
  readonly bytes: Uint8Array
}

export type ScriptAnswer = Uint8Array | bigint | number | boolean | string | undefined

/** Answers a script's questions while one of its functions runs. What it throws ends the script. */
export interface ScriptHost {
  answer(question: Question, operands: Operands): ScriptAnswer
}

/** What sandboxes are made of: an instance, and the source of the `big-integer` package. */
export interface ScriptEngine {
  readonly quickJs: QuickJs
  readonly bigInteger: string
}

export interface SandboxOptions {
  readonly source: string
  /** `tracerConfig` as JSON; `{}` where there is none. */
  readonly config: string
  readonly limits: ScriptLimits
  readonly host: ScriptHost
  /** Asked every few milliseconds while the script runs; what it throws ends the script. */
  readonly onTick?: (() => void) | undefined
}

type Handler = 'setup' | 'step' | 'fault' | 'enter' | 'exit' | 'result'

const HANDLERS: readonly Handler[] = ['setup', 'step', 'fault', 'enter', 'exit', 'result']

/** Room to put into words what was thrown where memory ran out. */
const SPARE_MEMORY = 1 << 20

/** The operands of a call, and one more. */
const COMMON_WORDS = 8

const TWO_32 = 2 ** 32

const PRELUDE = `(${prelude})`

function preludeConstants(limits: ScriptLimits): PreludeConstants {
  return {
    field: FIELD,
    kind: KIND,
    question: Object.fromEntries(QUESTIONS.map((name, i) => [name, i])) as Record<Question, number>,
    context: CONTEXT,
    stackAt: STACK_AT,
    windowAt: WINDOW_AT,
    windowBytes: WINDOW_BYTES,
    opcodeNames: Array.from({ length: 256 }, (_, code) => opcodeName(code)),
    resultLength: limits.resultLength,
  }
}

/** Exceptions of QuickJS that mean a limit; its parser has a stack check of its own. */
const OUT_OF_MEMORY = /^InternalError: out of memory/
const STACK_OVERFLOW = /^(InternalError|SyntaxError): stack overflow/

/** What a script did wrong, in words. */
class ScriptMessage {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function decodeAscii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

/**
 * One script in a realm of its own: it reaches what the prelude shows it and nothing of the host. Its
 * functions are called one at a time; what any of them throws ends it.
 */
export class ScriptSandbox {
  readonly #engine: ScriptEngine
  readonly #options: SandboxOptions
  readonly #realm: Realm
  readonly #hooks: RealmHooks
  readonly #operands: Operands
  readonly #handlers = new Map<Handler, Value>()
  readonly #owned: Value[] = []
  /** Address of the shared buffer in the heap. */
  #at = 0
  #describe: Value | undefined
  #onStep: Value | undefined
  #record: StepView | undefined
  /** The argument of the question that is being answered. */
  #argument: BorrowedValue | undefined
  /** The script reads the stack: the words that most opcodes take are copied with each step. */
  #isPeeking = false
  #ticks = 0
  /** Why the script must end, whatever it does about it. */
  #end: { readonly cause: unknown } | undefined

  /**
   * Evaluates a script and calls its `setup`.
   * @throws EXECUTION_FAILED where it is no tracer, throws, or does what geth refuses; LIMIT_EXCEEDED;
   * what `host` and `onTick` throw. So do all methods.
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
      throw thrown
    }
  }

  private constructor(engine: ScriptEngine, options: SandboxOptions) {
    const { memoryBytes, stackBytes } = options.limits
    this.#engine = engine
    this.#options = options
    this.#hooks = { onCall: (argument) => this.#onCall(argument), onTick: () => this.#onTick() }
    this.#realm = new Realm(engine.quickJs, this.#hooks, {
      memoryBytes,
      stackBytes: Math.min(stackBytes, MAX_STACK_BYTES),
    })
    this.#operands = this.#readOperands()
  }

  has(handler: Handler): boolean {
    return this.#handlers.has(handler)
  }

  /** Calls `step` or `fault` on a record; `isFailed` shows its error. */
  step(handler: 'step' | 'fault', record: StepView, isFailed: boolean): void {
    const callable = handler === 'step' ? this.#onStep : this.#handlers.get('fault')
    if (callable === undefined) return
    this.#record = record
    const fields = this.#realm.heap
    const at = this.#at >> 2
    const { gas, cost, refund } = record
    fields[at + FIELD.opcode] = record.opcode
    fields[at + FIELD.depth] = record.depth
    fields[at + FIELD.pc] = record.pc
    fields[at + FIELD.memorySize] = record.memorySize
    fields[at + FIELD.gas] = gas
    fields[at + FIELD.gas + 1] = gas / TWO_32
    fields[at + FIELD.cost] = cost
    fields[at + FIELD.cost + 1] = cost / TWO_32
    fields[at + FIELD.refund] = refund
    fields[at + FIELD.refund + 1] = refund / TWO_32
    fields[at + FIELD.stackHeight] = record.stackHeight
    fields[at + FIELD.stackFrom] = record.stackHeight
    if (this.#isPeeking) this.#writeStack(record, COMMON_WORDS)
    fields[at + FIELD.isFailed] = isFailed ? 1 : 0
    this.#poke(handler, callable)
  }

  enter(): void {
    this.#notify('enter')
  }

  exit(): void {
    this.#notify('exit')
  }

  /** The value that `result` returns, as JSON. */
  result(): string {
    const value = this.#call('result', this.#handlers.get('result') as Value)
    const text = this.#realm.text(value)
    this.#realm.free(value)
    if (text === undefined) throw limitExceeded(this.#options.limits, 'memoryBytes')
    return text
  }

  /** Frees what the script holds. */
  close(): void {
    if (!this.#engine.quickJs.isUsable) return
    for (const value of this.#owned.splice(0)) this.#realm.free(value)
    this.#realm.close()
  }

  #load(): void {
    const { source, config, limits } = this.#options
    const realm = this.#realm
    const shared = realm.newBuffer(SHARED_BYTES)
    this.#at = shared.at
    const build = this.#own(this.#evaluate(PRELUDE, 'prelude'))
    const controls = this.#own(
      this.#call(
        undefined,
        build,
        this.#own(shared.value),
        this.#own(realm.newFunction(this.#hooks)),
        this.#own(realm.newString(JSON.stringify(preludeConstants(limits)))),
      ),
    )
    this.#describe = this.#own(realm.property(controls, 'describe'))
    const load = this.#own(realm.property(controls, 'load'))
    // The line break ends a comment in the last line
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

  #own(value: Value): Value {
    this.#owned.push(value)
    return value
  }

  #evaluate(code: string, name: string): Value {
    return this.#take(
      undefined,
      this.#inside(() => this.#realm.evaluate(code, name)),
    )
  }

  #call(handler: Handler | undefined, callable: Value, ...args: readonly Value[]): Value {
    return this.#take(
      handler,
      this.#inside(() => this.#realm.call(callable, ...args)),
    )
  }

  #notify(handler: Handler): void {
    const callable = this.#handlers.get(handler)
    if (callable !== undefined) this.#poke(handler, callable)
  }

  #poke(handler: Handler, callable: Value): void {
    let thrown: Value | undefined
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

  #take(handler: Handler | undefined, done: Completion): Value {
    if ('thrown' in done) return this.#fail(handler, done.thrown)
    if (this.#end === undefined) return done.value
    this.#realm.free(done.value)
    return this.#fail(handler, undefined)
  }

  /** The host's own stack ended, or QuickJS trapped: the instance is of no use any more. */
  #onTrap(cause: unknown): LockstepError {
    this.#engine.quickJs.markBroken()
    if (cause instanceof RangeError) return limitExceeded(this.#options.limits, 'stackBytes')
    return new LockstepError('ENGINE_FAULT', `the script sandbox trapped: ${messageOf(cause)}`, {
      cause,
    })
  }

  #fail(handler: Handler | undefined, thrown: Value | undefined): never {
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

  #explain(thrown: Value): ScriptMessage | LockstepError {
    const { limits } = this.#options
    if (this.#describe === undefined) return limitExceeded(limits, 'memoryBytes')
    this.#realm.allowMemory(SPARE_MEMORY)
    const described = this.#inside(() => this.#realm.call(this.#describe as Value, thrown))
    const text = 'value' in described ? this.#realm.text(described.value) : undefined
    this.#realm.free('value' in described ? described.value : described.thrown)
    if (text === undefined) return new ScriptMessage('an exception that cannot be shown')
    // What is thrown where there is no room for an error
    const isFull = text === 'null' && this.#realm.memoryUsed() > 0.9 * limits.memoryBytes
    if (isFull || OUT_OF_MEMORY.test(text)) return limitExceeded(limits, 'memoryBytes')
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

  #onCall(argument: BorrowedValue | undefined): Value | undefined {
    this.#argument = argument
    try {
      if (this.#end !== undefined) return this.#realm.throwError()
      return this.#reply(QUESTIONS[this.#field(FIELD.question)] as Question)
    } catch (cause) {
      this.#end ??= { cause }
      return this.#realm.throwError()
    }
  }

  #reply(question: Question): Value | undefined {
    switch (question) {
      case 'fail':
        throw new ScriptMessage(decodeAscii(this.#window(0, this.#field(FIELD.length))))
      case 'tooLong':
        throw limitExceeded(this.#options.limits, 'resultLength')
      case 'bigInt':
        return this.#evaluateLibrary()
      case 'stack':
        this.#options.host.answer(question, this.#operands)
        this.#isPeeking = true
        this.#writeStack(this.#record as StepView, STACK_WORDS)
        return undefined
      case 'hex':
        return this.#realm.newString(formatData(this.#givenBytes()))
      default:
        return this.#write(this.#options.host.answer(question, this.#operands))
    }
  }

  #evaluateLibrary(): Value {
    const done = this.#realm.evaluate(
      `(function () { ${this.#engine.bigInteger}\nreturn bigInt })()`,
      'bigInt',
    )
    if ('value' in done) return done.value
    const cause = this.#end === undefined ? this.#explain(done.thrown) : this.#end.cause
    this.#realm.free(done.thrown)
    throw cause
  }

  #readOperands(): Operands {
    const sandbox = this
    return {
      get address() {
        return sandbox.#window(0, 20)
      },
      get key() {
        return sandbox.#window(32, 32)
      },
      get first() {
        return sandbox.#number(FIELD.first)
      },
      get second() {
        return sandbox.#number(FIELD.second)
      },
      get bytes() {
        return sandbox.#givenBytes()
      },
    }
  }

  /** Short bytes lie in the window. */
  #givenBytes(): Uint8Array {
    const length = this.#number(FIELD.first)
    const argument = this.#argument
    return argument === undefined ? this.#window(0, length) : this.#realm.bytesOf(argument)
  }

  #field(field: number): number {
    return this.#realm.heap[(this.#at >> 2) + field] as number
  }

  #number(field: number): number {
    return this.#field(field + 1) * TWO_32 + this.#field(field)
  }

  #window(offset: number, length: number): Uint8Array {
    const from = this.#at + WINDOW_AT + offset
    return this.#realm.bytes.slice(from, from + Math.min(length, WINDOW_BYTES - offset))
  }

  /** Copies the upper words of the stack, as many as `count`. */
  #writeStack({ bytes, stackAt, stackHeight }: StepView, count: number): void {
    const from = Math.max(0, stackHeight - count)
    const words = bytes.subarray(stackAt + 32 * from, stackAt + 32 * stackHeight)
    this.#realm.bytes.set(words, this.#at + STACK_AT + 32 * from)
    this.#realm.heap[(this.#at >> 2) + FIELD.stackFrom] = from
  }

  /** A text is the value returned. */
  #write(answer: ScriptAnswer): Value | undefined {
    const fields = this.#realm.heap
    const at = this.#at >> 2
    switch (typeof answer) {
      case 'undefined':
        fields[at + FIELD.kind] = KIND.none
        return undefined
      case 'number':
      case 'boolean':
        fields[at + FIELD.kind] = typeof answer === 'number' ? KIND.number : KIND.boolean
        fields[at + FIELD.number] = Number(answer)
        fields[at + FIELD.number + 1] = Number(answer) / TWO_32
        return undefined
      case 'bigint':
        fields[at + FIELD.kind] = KIND.word
        this.#writeWord(answer)
        return undefined
      case 'string':
        fields[at + FIELD.kind] = KIND.text
        return this.#realm.newString(answer)
      default:
        fields[at + FIELD.kind] = KIND.bytes
        fields[at + FIELD.length] = answer.length
        if (answer.length > WINDOW_BYTES) return this.#realm.newBytes(answer)
        this.#realm.bytes.set(answer, this.#at + WINDOW_AT)
        return undefined
    }
  }

  #writeWord(value: bigint): void {
    const limbs = new BigUint64Array(this.#realm.heap.buffer, this.#at + WINDOW_AT, 4)
    for (let i = 0; i < 4; i++) limbs[i] = value >> BigInt(64 * i)
  }
}
