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

/** A value in QuickJS's heap. Its holder must `free` it. */
export type HeapValue = JSValuePointer

/** A value that its lender frees. */
export type BorrowedValue = JSValueConstPointer

/** Functions that a realm calls while it runs. */
export interface RealmHooks {
  /** Called for the host function, with an optional argument. Returns a value or undefined. Must not throw. */
  onCall(argument: BorrowedValue | undefined): HeapValue | undefined
  /** Called after every ten thousand calls and loop iterations. Returning true ends the run and the realm. */
  onTick(): boolean
}

/** Thrown if the heap has no room for the host's values or a call's result. */
export class HeapFull extends Error {
  override readonly name = 'HeapFull'
}

export interface RealmLimits {
  readonly memoryBytes: number
  readonly stackBytes: number
}

/** Result of evaluated code. */
export type Completion = { readonly value: HeapValue } | { readonly thrown: HeapValue }

/** All intrinsics except Date: a script has no clock. */
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

/** High half of an exception value's 64 bits (JS_TAG_EXCEPTION). */
const EXCEPTION = 6

const NO_ARGUMENTS = 0 as JSValueConstPointerPointer
const GLOBAL_CODE = 0 as EvalFlags
const NOT_A_MODULE = 0 as EvalDetectModule

/**
 * One instance of QuickJS. Uses the FFI instead of the library's handles, which cost more than a step. The package
 * version is pinned, and `openQuickJs` checks the assumptions of this file.
 */
export class QuickJs {
  readonly module: QuickJSEmscriptenModule
  readonly ffi: QuickJSFFI
  /** Maximum bytes of its heap: all realms, the stack and the tables together. */
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
   * False after QuickJS trapped or overflowed the host's stack, as its heap is then inconsistent. Also false once its
   * heap is full, as the next script would have no room and be blamed for it.
   */
  get isUsable(): boolean {
    return !this.#isBroken && !this.isFull
  }

  markBroken(): void {
    this.#isBroken = true
  }

  /** True once the heap is full, which is permanent: a heap never shrinks. */
  get isFull(): boolean {
    // A small instance's initial heap already exceeds that fraction.
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

  newFunction(context: JSContextPointer, hooks: RealmHooks): HeapValue {
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

/** Fraction of the heap at which an instance counts as full, as it grows by more than a page at a time. */
const FULL = 0.9

/**
 * Instantiates QuickJS from the package's `wasm` export. Its heap may grow to `maxBytes`, at least 17 MiB, of which
 * QuickJS itself uses 6. A runtime's own limit is not enough, because QuickJS in wasm counts eight bytes for each
 * allocation.
 * @throws ENGINE_FAULT if it does not behave as this file assumes.
 */
export async function openQuickJs(
  compiled: WebAssembly.Module,
  maxBytes: number = DEFAULT_SCRIPT_LIMITS.memoryBytes,
): Promise<QuickJs> {
  const maximum = Math.max(INITIAL_PAGES + 16, Math.floor(maxBytes / PAGE_BYTES))
  // The package's types do not declare this ES module.
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

/** Checks that a buffer is shared with the host in place, and how exceptions are represented. */
function checkAssumptions(quickJs: QuickJs): void {
  const hooks: RealmHooks = { onCall: () => undefined, onTick: () => false }
  const realm = new Realm(quickJs, hooks, { memoryBytes: 1 << 20, stackBytes: 64 << 10 })
  const owned: HeapValue[] = []
  const own = (value: HeapValue) => {
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
  throw new LockstepError('ENGINE_FAULT', 'this is not the pinned version of QuickJS', {
    hint: 'install the version of @jitl/quickjs-wasmfile-release-sync that package.json pins',
  })
}

/**
 * An isolated realm in an instance: a heap with limits, a global object, one host function. Calls return what the
 * code returned or threw. They throw only if the host's own stack overflows.
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

  /** The whole heap as 32-bit words; a new array after the heap has grown. */
  get heap(): Uint32Array {
    if (this.#heap.length === 0) this.#heap = new Uint32Array(this.#module.HEAPU8.buffer)
    return this.#heap
  }

  /** The whole heap as bytes; a new array after the heap has grown. */
  get bytes(): Uint8Array {
    return this.#module.HEAPU8
  }

  newFunction(hooks: RealmHooks): HeapValue {
    return this.#quickJs.newFunction(this.#context, hooks)
  }

  newString(text: string): HeapValue {
    return this.#withText(text, (at) => this.#ffi.QTS_NewString(this.#context, at))
  }

  /** Returns an ArrayBuffer of zeros whose bytes never move in the heap. */
  newBuffer(size: number): { readonly value: HeapValue; readonly at: number } {
    const at = this.#allocate(size)
    this.#module.HEAPU8.fill(0, at, at + size)
    return { value: this.#ffi.QTS_NewArrayBuffer(this.#context, at as JSVoidPointer, size), at }
  }

  /** Returns an ArrayBuffer with these bytes, which do not count towards the memory limit. */
  newBytes(bytes: Uint8Array): HeapValue {
    const buffer = this.newBuffer(bytes.length)
    this.bytes.set(bytes, buffer.at)
    return buffer.value
  }

  /** Returns a copy of an ArrayBuffer's bytes. */
  bytesOf(value: BorrowedValue): Uint8Array {
    const length = this.#ffi.QTS_GetArrayBufferLength(this.#context, value)
    const at = this.#ffi.QTS_GetArrayBuffer(this.#context, value)
    if ((at as number) === 0) throw new HeapFull()
    const bytes = this.bytes.slice(at, at + length)
    this.#module._free(at)
    return bytes
  }

  /** Evaluates global code. `name` is its file name in error positions. */
  evaluate(code: string, name: string): Completion {
    return this.#run(() =>
      this.#withText(code, (at, length) =>
        this.#ffi.QTS_Eval(this.#context, at, length, name, NOT_A_MODULE, GLOBAL_CODE),
      ),
    )
  }

  call(callable: HeapValue, ...args: readonly HeapValue[]): Completion {
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

  /** Calls a function without arguments and drops the result. Returns the error if it throws. Used for every step. */
  poke(callable: HeapValue): HeapValue | undefined {
    const value = this.#ffi.QTS_Call(this.#context, callable, this.#undefined, 0, NO_ARGUMENTS)
    if ((value as number) === 0) throw new HeapFull()
    const isThrown = this.heap[(value >> 2) + 1] === EXCEPTION
    const thrown = isThrown ? this.#ffi.QTS_ResolveException(this.#context, value) : undefined
    this.#ffi.QTS_FreeValuePointer(this.#context, value)
    return thrown
  }

  property(object: HeapValue, name: string): HeapValue {
    const key = this.newString(name)
    const value = this.#ffi.QTS_GetProp(this.#context, object, key)
    this.free(key)
    return value
  }

  isFunction(value: HeapValue): boolean {
    const at = this.#ffi.QTS_Typeof(this.#context, value)
    const type = this.#module.UTF8ToString(at)
    this.#module._free(at)
    return type === 'function'
  }

  /** Returns a string's text; undefined if there is no memory for it. */
  text(value: HeapValue): string | undefined {
    const at = this.#ffi.QTS_GetString(this.#context, value)
    if ((at as number) === 0) return undefined
    const text = this.#module.UTF8ToString(at)
    this.#ffi.QTS_FreeCString(this.#context, at as JSBorrowedCharPointer)
    return text
  }

  /** Returns the value with which the host function throws an error. */
  throwError(): HeapValue {
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

  /** Raises the memory limit to describe an error after memory ran out. */
  allowMemory(extra: number): void {
    this.#ffi.QTS_RuntimeSetMemoryLimit(this.#runtime, this.#limits.memoryBytes + extra)
  }

  free(value: HeapValue): void {
    this.#ffi.QTS_FreeValuePointer(this.#context, value)
  }

  /** Frees the realm. Every value must have been freed before. */
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

  #run(enter: () => HeapValue): Completion {
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
