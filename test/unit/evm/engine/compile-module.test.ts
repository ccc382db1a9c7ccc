import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JUMPDEST, PUSH0, PUSH1, PUSH32 } from '../../../../host/evm/engine/generated/opcode.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import { codePiece, filling, linkCode } from '../../../support/engine/random-code.ts'

/** Exports of compile.wasm that the test calls. */
interface Compiler {
  readonly memory: WebAssembly.Memory
  readonly codeAt: WebAssembly.Global
  readonly bitmapAt: WebAssembly.Global
  readonly outputAt: WebAssembly.Global
  _initialize(): void
  compile(pc: number, length: number, revision: number, ...limits: readonly number[]): number
}

const OSAKA = 14
const LIMITS = [48, 16, 0]

const module = new WebAssembly.Module(await readModule('compile'))

function open(): Compiler {
  const compiler = new WebAssembly.Instance(module, {}).exports as unknown as Compiler
  compiler._initialize()
  return compiler
}

function jumpDestinations(code: Uint8Array): number[] {
  const found: number[] = []
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] as number
    if (opcode === JUMPDEST) found.push(at)
    if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH0
  }
  return found
}

/** Returns the module for the region at the `index`-th jump destination. */
function compileAt(compiler: Compiler, code: Uint8Array, index: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(compiler.memory.buffer)
  const destinations = jumpDestinations(code)
  const bitmapAt: number = compiler.bitmapAt.value
  bytes.set(code, compiler.codeAt.value)
  bytes.fill(0, bitmapAt, bitmapAt + ((code.length + 8) >> 3))
  for (const at of destinations) {
    const cell = bitmapAt + (at >> 3)
    bytes[cell] = (bytes[cell] as number) | (1 << (at & 7))
  }
  const pc = destinations[index % destinations.length] as number
  const size = compiler.compile(pc, code.length, OSAKA, ...LIMITS)
  const outputAt: number = compiler.outputAt.value
  return bytes.slice(outputAt, outputAt + size)
}

test('compile.wasm writes the same valid module, whatever it compiled before', () => {
  const reused = open()
  const pieces = fc.array(codePiece, { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(filling, pieces, fc.nat(20), (before, list, index) => {
      const code = linkCode(before, list, 5)
      const output = compileAt(reused, code, index)
      expect(output).toEqual(compileAt(open(), code, index))
      expect(WebAssembly.validate(output)).toBe(true)
    }),
    { numRuns: 60 },
  )
})
