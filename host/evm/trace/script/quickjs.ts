import {
  type EmscriptenModuleLoader,
  type EvalDetectModule,
  type EvalFlags,
  type HostRefId,
  IntrinsicsFlags,
  type JSBorrowedCharPointer,
  type JSContextPointer,
  type JSRuntimePointer,
  type JSValueConstPointer,
  type JSValueConstPointerPointer,
  type JSValuePointer,
  type JSVoidPointer,
  type OwnedHeapCharPointer,
  type QuickJSEmscriptenModule,
} from '@jitl/quickjs-ffi-types'
import loader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { LockstepError } from '../../../base/error.ts'
import { DEFAULT_SCRIPT_LIMITS } from './limits.ts'

/** A value in QuickJS's heap, owned by who holds it until `free`. */
export type Value = JSValuePointer

/** A value that whoever handed it out frees. */
export type BorrowedValue = JSValueConstPointer

/** The functions that a realm calls while it runs. */
export interface RealmHooks {
  /** The host function was called, perhaps with an argument; gives a value, or undefined. Must not throw. */
  onCall(argument: BorrowedValue | undefined): Value | undefined
  /** Ten thousand calls and turns of loops have passed: true ends the run, and the realm. */
  onTick(): boolean
}

/** The instance's heap has no room for the host's values, or for the result of a call. */
export class HeapFull extends Error {
  override readonly name = 'HeapFull'
}

export interface RealmLimits {
  readonly memoryBytes: number
  readonly stackBytes: number
}

/** How code ended. */
export type Completion = { readonly value: Value } | { readonly thrown: Value }

/** All but Date: a script has no clock. */
const INTRINSICS = (IntrinsicsFlags.BaseObjects |
  IntrinsicsFlags.Eval |
  IntrinsicsFlags.StringNormalize |
  IntrinsicsFlags.RegExp |
  IntrinsicsFlags.RegExpCompiler |
  IntrinsicsFlags.JSON |
  IntrinsicsFlags.Proxy |
  IntrinsicsFlags.MapSet |
  IntrinsicsFlags.TypedArrays |
  IntrinsicsFlags.Promise |
  IntrinsicsFlags.BigInt) as IntrinsicsFlags

/** High half of the 64 bits of a value that is an exception (JS_TAG_EXCEPTION). */
const EXCEPTION = 6

const NO_ARGUMENTS = 0 as JSValueConstPointerPointer
const GLOBAL_CODE = 0 as EvalFlags
const NOT_A_MODULE = 0 as EvalDetectModule

/**
 * One instance of QuickJS. It is driven below the library's handles, which cost more than a step: the
 * package is pinned, and `openQuickJs` checks the assumptions of this file.
 */
export class QuickJs {
  readonly module: QuickJSEmscriptenModule
  readonly ffi: QuickJSFFI
  /** Bytes that its heap may grow to: all realms, the stack and the tables together. */
  readonly maxBytes: number
  readonly #realms = new Map<JSRuntimePointer, RealmHooks>()
  readonly #functions = new Map<HostRefId, RealmHooks>()
  #lastFunction = 0
  #isBroken = false

  constructor(module: QuickJSEmscriptenModule, ffi: QuickJSFFI, maxBytes: number) {
    this.maxBytes = maxBytes
    this.module = module
    this.ffi = ffi
    const refuse = () => 0 as OwnedHeapCharPointer
    module.callbacks = {
      callFunction: (_asyncify, _context, _self, count, values, id) => {
        const argument = count > 0 ? ffi.QTS_ArgvGetJSValueConstPointer(values, 0) : undefined
        return this.#functions.get(id)?.onCall(argument) ?? (0 as JSValuePointer)
      },
      shouldInterrupt: (_asyncify, runtime) => (this.#realms.get(runtime)?.onTick() ? 1 : 0),
      freeHostRef: (_asyncify, _runtime, id) => void this.#functions.delete(id),
      loadModuleSource: refuse,
      normalizeModule: refuse,
    }
  }

  /**
   * False once QuickJS has run out of the host's stack or trapped, since its heap is in the middle of
   * something, and once its heap is full: another script would have no room, and be blamed for it.
   */
  get isUsable(): boolean {
    return !this.#isBroken && !this.isFull
  }

  markBroken(): void {
    this.#isBroken = true
  }

  /** True once the heap is full, for good: a heap never shrinks. */
  get isFull(): boolean {
    // The initial heap of a small instance is more than that part already.
    const most = Math.max(INITIAL_PAGES * PAGE_BYTES, FULL * this.maxBytes)
    return this.module.HEAPU8.length > most
  }

  newRuntime(hooks: RealmHooks, limits: RealmLimits): JSRuntimePointer {
    const { ffi } = this
    const runtime = ffi.QTS_NewRuntime()
    ffi.QTS_RuntimeSetMemoryLimit(runtime, limits.memoryBytes)
    ffi.QTS_RuntimeSetMaxStackSize(runtime, limits.stackBytes)
    ffi.QTS_RuntimeEnableInterruptHandler(runtime)
    this.#realms.set(runtime, hooks)
    return runtime
  }

  newFunction(context: JSContextPointer, hooks: RealmHooks): Value {
    const id = ++this.#lastFunction as HostRefId
    this.#functions.set(id, hooks)
    return this.ffi.QTS_NewFunction(context, '', 0, false, id)
  }

  freeRuntime(runtime: JSRuntimePointer): void {
    this.ffi.QTS_FreeRuntime(runtime)
    this.#realms.delete(runtime)
  }
}

const PAGE_BYTES = 65_536
/** Pages of the package's initial memory. */
const INITIAL_PAGES = 256

/** The part of its heap from which an instance counts as full: it grows by more than a page at a time. */
const FULL = 0.9

/**
 * Instantiates the package's QuickJS, compiled from its `wasm` export. Its heap grows to `maxBytes`, 17 MiB
 * at least, of which it takes 6 itself: a runtime's own limit does not hold, since in wasm QuickJS counts
 * eight bytes for whatever it allocates.
 * @throws ENGINE_FAULT where it does not behave as this file assumes.
 */
export async function openQuickJs(
  compiled: WebAssembly.Module,
  maxBytes: number = DEFAULT_SCRIPT_LIMITS.memoryBytes,
): Promise<QuickJs> {
  const maximum = Math.max(INITIAL_PAGES + 16, Math.floor(maxBytes / PAGE_BYTES))
  // This imports the package's ES module, which its types do not know.
  const loadModule = loader as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>
  const module = await loadModule({
    wasmMemory: new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum }),
    instantiateWasm(imports, onSuccess) {
      const instance = new WebAssembly.Instance(compiled, imports)
      onSuccess(instance)
      return instance.exports
    },
  })
  const quickJs = new QuickJs(module, new QuickJSFFI(module), maximum * PAGE_BYTES)
  checkAssumptions(quickJs)
  return quickJs
}

/** Checks that a buffer is shared with the host in place, and how an exception is known. */
function checkAssumptions(quickJs: QuickJs): void {
  const hooks: RealmHooks = { onCall: () => undefined, onTick: () => false }
  const realm = new Realm(quickJs, hooks, { memoryBytes: 1 << 20, stackBytes: 64 << 10 })
  const owned: Value[] = []
  const own = (value: Value) => {
    owned.push(value)
    return value
  }
  const evaluate = (code: string) => {
    const done = realm.evaluate(code, 'check')
    return own('value' in done ? done.value : done.thrown)
  }
  try {
    const buffer = realm.newBuffer(8)
    own(buffer.value)
    realm.heap[buffer.at >> 2] = 42
    const increment = evaluate('buffer => { new Uint32Array(buffer)[0]++ }')
    const done = realm.call(increment, buffer.value)
    own('value' in done ? done.value : done.thrown)
    const isShared = realm.heap[buffer.at >> 2] === 43
    const thrown = realm.poke(evaluate('() => { throw 1 }'))
    if (thrown !== undefined) own(thrown)
    const isQuiet = realm.poke(evaluate('() => 1')) === undefined
    if (isShared && thrown !== undefined && realm.text(thrown) === '1' && isQuiet) return
  } finally {
    for (const value of owned) realm.free(value)
    realm.close()
  }
  throw new LockstepError('ENGINE_FAULT', 'this QuickJS is not the one that was pinned', {
    hint: 'install the version of @jitl/quickjs-wasmfile-release-sync in package.json',
  })
}

/**
 * A world of its own in an instance: a heap with limits, a global object, one host function. Calls return
 * what the code gave or threw; they throw only where the host's own stack ran out.
 */
export class Realm {
  readonly #quickJs: QuickJs
  readonly #ffi: QuickJSFFI
  readonly #module: QuickJSEmscriptenModule
  readonly #runtime: JSRuntimePointer
  readonly #context: JSContextPointer
  readonly #undefined: JSValueConstPointer
  readonly #limits: RealmLimits
  #heap: Uint32Array

  constructor(quickJs: QuickJs, hooks: RealmHooks, limits: RealmLimits) {
    this.#quickJs = quickJs
    this.#ffi = quickJs.ffi
    this.#module = quickJs.module
    this.#limits = limits
    this.#runtime = quickJs.newRuntime(hooks, limits)
    this.#context = this.#ffi.QTS_NewContext(this.#runtime, INTRINSICS)
    this.#undefined = this.#ffi.QTS_GetUndefined()
    this.#heap = new Uint32Array(this.#module.HEAPU8.buffer)
  }

  /** The whole heap in 32-bit words. It is another array once the heap has grown. */
  get heap(): Uint32Array {
    if (this.#heap.length === 0) this.#heap = new Uint32Array(this.#module.HEAPU8.buffer)
    return this.#heap
  }

  /** The whole heap in bytes. It is another array once the heap has grown. */
  get bytes(): Uint8Array {
    return this.#module.HEAPU8
  }

  newFunction(hooks: RealmHooks): Value {
    return this.#quickJs.newFunction(this.#context, hooks)
  }

  newNumber(value: number): Value {
    return this.#ffi.QTS_NewFloat64(this.#context, value)
  }

  newString(text: string): Value {
    return this.#withText(text, (at) => this.#ffi.QTS_NewString(this.#context, at))
  }

  /** An ArrayBuffer of zeros whose bytes stay at one address of the heap for as long as it lives. */
  newBuffer(size: number): { readonly value: Value; readonly at: number } {
    const at = this.#allocate(size)
    this.#module.HEAPU8.fill(0, at, at + size)
    return { value: this.#ffi.QTS_NewArrayBuffer(this.#context, at as JSVoidPointer, size), at }
  }

  /** An ArrayBuffer with these bytes, which the memory limit does not count. */
  newBytes(bytes: Uint8Array): Value {
    const buffer = this.newBuffer(bytes.length)
    this.bytes.set(bytes, buffer.at)
    return buffer.value
  }

  /** A copy of the bytes of an ArrayBuffer. */
  bytesOf(value: BorrowedValue): Uint8Array {
    const length = this.#ffi.QTS_GetArrayBufferLength(this.#context, value)
    const at = this.#ffi.QTS_GetArrayBuffer(this.#context, value)
    if ((at as number) === 0) throw new HeapFull()
    const bytes = this.bytes.slice(at, at + length)
    this.#module._free(at)
    return bytes
  }

  /** Evaluates global code; `name` is what its errors say of their place. */
  evaluate(code: string, name: string): Completion {
    return this.#run(() =>
      this.#withText(code, (at, length) =>
        this.#ffi.QTS_Eval(this.#context, at, length, name, NOT_A_MODULE, GLOBAL_CODE),
      ),
    )
  }

  call(callable: Value, ...args: readonly Value[]): Completion {
    if (args.length === 0) {
      return this.#run(() =>
        this.#ffi.QTS_Call(this.#context, callable, this.#undefined, 0, NO_ARGUMENTS),
      )
    }
    const at = this.#allocate(4 * args.length)
    this.heap.set(args, at >> 2)
    try {
      return this.#run(() =>
        this.#ffi.QTS_Call(
          this.#context,
          callable,
          this.#undefined,
          args.length,
          at as JSValueConstPointerPointer,
        ),
      )
    } finally {
      this.#module._free(at)
    }
  }

  /** Calls without arguments and drops the result; returns the error that the code threw. Used for every step. */
  poke(callable: Value): Value | undefined {
    const value = this.#ffi.QTS_Call(this.#context, callable, this.#undefined, 0, NO_ARGUMENTS)
    if ((value as number) === 0) throw new HeapFull()
    const isThrown = this.heap[(value >> 2) + 1] === EXCEPTION
    const thrown = isThrown ? this.#ffi.QTS_ResolveException(this.#context, value) : undefined
    this.#ffi.QTS_FreeValuePointer(this.#context, value)
    return thrown
  }

  property(object: Value, name: string): Value {
    const key = this.newString(name)
    const value = this.#ffi.QTS_GetProp(this.#context, object, key)
    this.free(key)
    return value
  }

  isFunction(value: Value): boolean {
    const at = this.#ffi.QTS_Typeof(this.#context, value)
    const type = this.#module.UTF8ToString(at)
    this.#module._free(at)
    return type === 'function'
  }

  /** A string as UTF-8; undefined where there is no memory for it. */
  text(value: Value): string | undefined {
    const at = this.#ffi.QTS_GetString(this.#context, value)
    if ((at as number) === 0) return undefined
    const text = this.#module.UTF8ToString(at)
    this.#ffi.QTS_FreeCString(this.#context, at as JSBorrowedCharPointer)
    return text
  }

  /** The value by which the host function throws an error. */
  throwError(): Value {
    const error = this.#ffi.QTS_NewError(this.#context)
    const exception = this.#ffi.QTS_Throw(this.#context, error)
    this.free(error)
    return exception
  }

  memoryUsed(): number {
    const usage = this.#ffi.QTS_RuntimeComputeMemoryUsage(this.#runtime, this.#context)
    const size = this.property(usage, 'memory_used_size')
    const bytes = this.#ffi.QTS_GetFloat64(this.#context, size)
    this.free(size)
    this.free(usage)
    return bytes
  }

  /** Memory that is kept for an error message where the rest ran out. */
  allowMemory(extra: number): void {
    this.#ffi.QTS_RuntimeSetMemoryLimit(this.#runtime, this.#limits.memoryBytes + extra)
  }

  free(value: Value): void {
    this.#ffi.QTS_FreeValuePointer(this.#context, value)
  }

  /** Frees all that the realm holds; every value must have been freed before. */
  close(): void {
    if (!this.#quickJs.isUsable) return
    this.#ffi.QTS_FreeContext(this.#context)
    this.#quickJs.freeRuntime(this.#runtime)
  }

  #allocate(bytes: number): number {
    const at = this.#module._malloc(bytes)
    if (at === 0) throw new HeapFull()
    return at
  }

  #run(enter: () => Value): Completion {
    const value = enter()
    if ((value as number) === 0) throw new HeapFull()
    const thrown = this.#ffi.QTS_ResolveException(this.#context, value)
    if ((thrown as number) === 0) return { value }
    this.free(value)
    return { thrown }
  }

  #withText<Result>(
    text: string,
    use: (at: OwnedHeapCharPointer, length: number) => Result,
  ): Result {
    const length = this.#module.lengthBytesUTF8(text)
    const at = this.#allocate(length + 1) as OwnedHeapCharPointer
    this.#module.stringToUTF8(text, at, length + 1)
    try {
      return use(at, length)
    } finally {
      this.#module._free(at)
    }
  }
}
