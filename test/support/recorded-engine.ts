import { Engine, type EngineOptions } from '../../host/engine/engine.ts'
import type { EngineExports } from '../../host/engine/module.ts'
import { buildAssembly } from './assembly.ts'

/**
 * The engine for runtimes that pass integers only: what it exports, its memory written word by word,
 * calls that all return a number, and a digest of the whole memory.
 */
const SOURCE = `
import { answerHostCall, beginBlock, beginTransaction, diff } from './assembly/engine'
export * from './assembly/engine'

export function poke(at: usize, value: i32): i32 {
  store<i32>(at, value)
  return 0
}

export function block(): i32 {
  beginBlock()
  return 0
}

export function message(): i32 {
  beginTransaction()
  return 0
}

export function hostAnswer(success: i32, gasUsed: i32, length: i32): i32 {
  return i32(answerHostCall(success != 0, u64(gasUsed), length))
}

export function changes(): i32 {
  return i32(diff())
}

export function digest(): i32 {
  let hash: u64 = 0xcbf29ce484222325
  const end = usize(memory.size()) << 16
  for (let at: usize = 0; at < end; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0x100000001b3
    hash ^= hash >> 29
  }
  return i32(hash ^ (hash >> 32))
}
`

/** A call with integers that any runtime can repeat, and what it returned. */
export interface RecordedCall {
  readonly name: string
  readonly args: readonly number[]
  readonly result: number
}

/** Path of the module: it imports nothing and initializes itself. */
export function buildRecordable(): Promise<string> {
  const memory = ['--initialMemory', '4352', '--maximumMemory', '4352', '--enable', 'simd']
  return buildAssembly(SOURCE, memory)
}

const BLOCK_SIZE = 256

/** An engine whose calls, and writes into the memory before them, are kept in `calls`. */
export async function openRecorder(module: WebAssembly.Module, options: EngineOptions) {
  const { exports } = await WebAssembly.instantiate(module, {})
  const functions = exports as unknown as Record<string, (...args: number[]) => number>
  const own = exports as unknown as EngineExports
  const words = new Int32Array(own.memory.buffer)
  const calls: RecordedCall[] = []

  function keepWrites(at: number, length: number): void {
    for (let i = at >> 2; i < (at + length + 3) >> 2; i++) {
      calls.push({ name: 'poke', args: [4 * i, words[i] as number], result: 0 })
    }
  }
  function call(name: string, ...args: number[]): number {
    const result = functions[name]?.(...args) ?? 0
    calls.push({ name, args, result })
    return result
  }
  /** Bytes of a message: the last of its parts is the data. */
  const messageEnd = () => {
    const at = own.messageAt.value
    return (words[(at + 96) >> 2] as number) + (words[(at + 100) >> 2] as number) - at
  }

  const recorded: EngineExports = {
    ...own,
    beginBlock() {
      keepWrites(own.blockAt.value, BLOCK_SIZE)
      call('block')
    },
    beginTransaction() {
      keepWrites(own.messageAt.value, messageEnd())
      call('message')
    },
    run: (fuel) => call('run', fuel),
    answer(length) {
      keepWrites(own.answerAt.value, length)
      return call('answer', length)
    },
    answerHostCall(success, gasUsed, length) {
      keepWrites(own.answerAt.value, length)
      return call('hostAnswer', success, Number(gasUsed), length)
    },
    diff: () => call('changes'),
  }
  return { engine: new Engine(recorded, options), calls, digest: () => call('digest') }
}
