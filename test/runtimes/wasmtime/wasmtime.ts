import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import {
  type Additions,
  append,
  assembleAdditions,
  readExports,
  readFunctions,
  readGlobals,
} from '../../../tools/wasm-module.ts'

/** The API of the package of wasmtime 8 for Node: functions with number parameters and at most one number result. */
interface Wasmtime {
  readonly Config: new () => object
  readonly Engine: new (config: object) => object
  readonly Module: { fromFile(engine: object, path: string): object }
  readonly Store: new (engine: object) => object
  readonly Instance: new (
    store: object,
    module: object,
  ) => { getFunc(store: object, name: string): WasmtimeFunction | null }
}

interface WasmtimeFunction {
  call(store: object, args: readonly number[]): number
}

function loadPackage(): Wasmtime | undefined {
  try {
    return createRequire(import.meta.url)('wasmtime') as Wasmtime
  } catch {
    // The package has binaries for a few platforms only
    return undefined
  }
}

const wasmtime = loadPackage()
export const hasWasmtime = wasmtime !== undefined

const build = fileURLToPath(new URL('../../../build/test/', import.meta.url))

/**
 * A 64-bit hash of `length` bytes, a multiple of 8, folded to 32. Each word is mixed in by a bijection, so two
 * memories that differ in one word never agree before the fold.
 */
export const DIGEST = `
(func (export "digest") (param $at i32) (param $length i32) (result i32)
  (local $end i32)
  (local $hash i64)
  (local.set $end (i32.add (local.get $at) (local.get $length)))
  (local.set $hash (i64.const 0xcbf29ce484222325))
  (block $done
    (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $hash
        (i64.mul
          (i64.xor (local.get $hash) (i64.load (local.get $at)))
          (i64.const 0x100000001b3)))
      (local.set $hash
        (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 29))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br $next)))
  (i32.wrap_i64 (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32)))))`

const ACCESS = `
(func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
(func (export "poke") (param i32 i32) (result i32)
  (i32.store (local.get 0) (local.get 1))
  (i32.const 0))`

/**
 * Returns functions that make a module usable with numbers alone: `peek` and `poke` for 32-bit words, `digest`,
 * `get:NAME` for the low word of each exported global, and `do:NAME` for each function without a result, which returns 0.
 */
export function assembleAccess(module: Uint8Array): Promise<Additions> {
  const functions = readFunctions(module)
  const globals = readGlobals(module)
  const wrappers = readExports(module).map(({ name, kind, index }) => {
    if (kind === 'global') {
      const read = `(global.get $${name})`
      const word = globals[index]?.includes('i64') ? `(i32.wrap_i64 ${read})` : read
      return `(func (export "get:${name}") (result i32) ${word})`
    }
    const type = functions[index]
    if (kind !== 'func' || type === undefined || type.results.length > 0) return ''
    const params = type.params.map((param) => `(param ${param})`).join(' ')
    const args = type.params.map((_, i) => `(local.get ${i})`).join(' ')
    const call = `(call $${name} ${args})`
    return `(func (export "do:${name}") ${params} (result i32) ${call} (i32.const 0))`
  })
  return assembleAdditions(module, [ACCESS, DIGEST, ...wrappers].join('\n'))
}

/** A module compiled by wasmtime. */
export class WasmtimeModule {
  readonly #engine: object
  readonly #module: object

  private constructor(engine: object, module: object) {
    this.#engine = engine
    this.#module = module
  }

  /** @param module bytes of a module without imports. The functions of `assembleAccess` are added to it. */
  static async compile(name: string, module: Uint8Array): Promise<WasmtimeModule> {
    const { Config, Engine, Module } = wasmtime as Wasmtime
    const path = `${build}wasmtime-${name}-${process.pid}.wasm`
    mkdirSync(build, { recursive: true })
    writeFileSync(path, append(module, await assembleAccess(module)))
    const engine = new Engine(new Config())
    const compiled = Module.fromFile(engine, path)
    rmSync(path)
    return new WasmtimeModule(engine, compiled)
  }

  instantiate(): WasmtimeInstance {
    const { Store, Instance } = wasmtime as Wasmtime
    const store = new Store(this.#engine)
    const instance = new Instance(store, this.#module)
    return new WasmtimeInstance(store, (name) => instance.getFunc(store, name))
  }
}

/** An instance with word access to its memory. */
export class WasmtimeInstance {
  readonly #store: object
  readonly #find: (name: string) => WasmtimeFunction | null
  readonly #functions = new Map<string, WasmtimeFunction>()

  constructor(store: object, find: (name: string) => WasmtimeFunction | null) {
    this.#store = store
    this.#find = find
  }

  /** @throws wasmtime's error if the call traps */
  call(name: string, ...args: readonly number[]): number {
    const found = this.#functions.get(name) ?? this.#find(name)
    if (found === null) throw new Error(`the module exports no ${name}`)
    this.#functions.set(name, found)
    return found.call(this.#store, args)
  }

  /** Copies whole words from `memory` into the instance. `from` and `length` are rounded outwards. */
  push(memory: Int32Array, from: number, length: number): void {
    for (let i = from >> 2; i < (from + length + 3) >> 2; i++) {
      this.call('poke', 4 * i, memory[i] as number)
    }
  }

  /** Copies whole words from the instance to `memory`. */
  pull(memory: Int32Array, from: number, length: number): void {
    for (let i = from >> 2; i < (from + length + 3) >> 2; i++) memory[i] = this.call('peek', 4 * i)
  }
}
