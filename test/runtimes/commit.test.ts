import { parse } from '@bytecodealliance/jco'
import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../host/base/bytes.ts'
import { readModule } from '../../host/node/wasm.ts'
import { type Dice, makeDice } from '../fuzz/dice.ts'
import { DIGEST, hasWasmtime, WasmtimeModule } from './wasmtime/wasmtime.ts'

const PAGES = 512
const MEMORY_BYTES = PAGES << 16

/** A call of commit.wasm: bytes for one of its buffers, a function, and its arguments after the length. */
interface Call {
  readonly buffer: 'INPUT' | 'TRIE'
  readonly bytes: Uint8Array
  readonly name: string
  readonly more: readonly number[]
}

function le32(value: number): Uint8Array {
  return new Uint8Array(new Uint32Array([value]).buffer)
}

/** Returns the length as LE32, followed by the bytes. */
function item(dice: Dice): Uint8Array {
  const bytes = dice.bytes(1 + dice.below(200))
  return concatBytes([le32(bytes.length), bytes])
}

/** Returns a row of a trie (assembly/commit/mpt.ts). A key that is to be hashed has room for its hash. */
function trieRow(dice: Dice, isSecure: boolean): Uint8Array {
  const key = dice.bytes(isSecure ? 20 : 32)
  const value = dice.bytes(1 + dice.below(100))
  const room = new Uint8Array(isSecure ? 12 : 0)
  return concatBytes([le32(0), le32(key.length), le32(value.length), key, room, value])
}

function many(count: number, make: () => Uint8Array): Uint8Array {
  return concatBytes(Array.from({ length: count }, make))
}

/** Returns a call of every function, each on hundreds of rows. */
function generateCalls(dice: Dice): readonly Call[] {
  const row = () => concatBytes([item(dice), item(dice)])
  const leaf = () => concatBytes([dice.bytes(8), item(dice), item(dice)])
  const inputs: readonly (readonly [string, Uint8Array])[] = [
    ['addRows', many(300, row)],
    ['subtractRows', many(100, row)],
    ['do:latticeRoot', new Uint8Array(0)],
    ['merkleRoot', many(300, () => item(dice))],
    ['iavlLeafHashes', many(300, leaf)],
    ['iavlInnerHashes', many(300, () => dice.bytes(81).fill(3, 0, 1))],
  ]
  return [
    ...inputs.map(([name, bytes]) => ({ buffer: 'INPUT', name, bytes, more: [] }) as const),
    { buffer: 'TRIE', name: 'trieRoot', bytes: many(300, () => trieRow(dice, false)), more: [0] },
    { buffer: 'TRIE', name: 'trieRoot', bytes: many(300, () => trieRow(dice, true)), more: [1] },
    { buffer: 'TRIE', name: 'do:keccak256', bytes: dice.bytes(1000), more: [] },
  ]
}

const bytes = await readModule('commit')

async function openV8() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes))
  const memory = exports.memory as WebAssembly.Memory
  const beside = await parse(`(module (import "" "memory" (memory ${PAGES} ${PAGES})) ${DIGEST})`)
  const module = new WebAssembly.Module(new Uint8Array(beside))
  const hash = new WebAssembly.Instance(module, { '': { memory } }).exports.digest as (
    at: number,
    length: number,
  ) => number
  const call = (name: string, ...args: number[]) =>
    (exports[name.replace('do:', '')] as (...args: number[]) => number | undefined)(...args) ?? 0
  call('_initialize')
  return {
    run({ buffer, bytes, name, more }: Call) {
      const at = (exports[buffer] as WebAssembly.Global).value
      new Uint8Array(memory.buffer).set(bytes, at)
      const args = name === 'do:latticeRoot' ? [] : [bytes.length, ...more]
      return { result: call(name, ...args), digest: hash(0, MEMORY_BYTES) }
    },
  }
}

async function openWasmtime() {
  const instance = (await WasmtimeModule.compile('commit', bytes)).instantiate()
  instance.call('do:_initialize')
  const copy = new ArrayBuffer(MEMORY_BYTES)
  return {
    run({ buffer, bytes, name, more }: Call) {
      const at = instance.call(`get:${buffer}`)
      new Uint8Array(copy).set(bytes, at)
      instance.push(new Int32Array(copy), at, bytes.length)
      const args = name === 'do:latticeRoot' ? [] : [bytes.length, ...more]
      return {
        result: instance.call(name, ...args),
        digest: instance.call('digest', 0, MEMORY_BYTES),
      }
    },
  }
}

describe.skipIf(!hasWasmtime)('commit.wasm on wasmtime gives the same results as on V8', () => {
  test('for every function, to the last byte of memory', async () => {
    const here = await openV8()
    const there = await openWasmtime()
    for (const call of generateCalls(makeDice(80_000))) {
      const expected = here.run(call)
      expect(expected.result, call.name).toBeGreaterThanOrEqual(0)
      expect(there.run(call), call.name).toEqual(expected)
    }
  })
})
