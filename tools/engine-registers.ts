/**
 * Appends functions to engine.wasm that copy its mutable globals to memory and back, so that a run can continue from
 * a copy (host/evm/engine/checkpoint.ts). They cover all globals of the built module. The compiler optimizes the rest
 * as if nothing reads them. node tools/engine-registers.ts engine.wasm
 */
import { readFile, writeFile } from 'node:fs/promises'
import { append, assembleAdditions, readGlobals } from './wasm-module.ts'

/** Bytes that each global takes in memory. */
const CELL = 8

/**
 * Returns the module with `keepRegisters(at)` and `setRegisters(at)`; the first returns the number of bytes at `at`.
 */
export async function appendRegisters(engine: Uint8Array): Promise<Uint8Array> {
  const registers = readGlobals(engine).flatMap((type, index) => {
    const width = /^\(mut (i32|i64)\)$/.exec(type)?.[1]
    return width === undefined ? [] : [{ index, width }]
  })
  const keep = registers.map(({ index, width }, i) => {
    return `(${width}.store offset=${CELL * i} (local.get 0) (global.get ${index}))`
  })
  const set = registers.map(({ index, width }, i) => {
    return `(global.set ${index} (${width}.load offset=${CELL * i} (local.get 0)))`
  })
  const text = [
    `(func (export "keepRegisters") (param i32) (result i32) ${keep.join(' ')}`,
    `(i32.const ${CELL * registers.length}))`,
    `(func (export "setRegisters") (param i32) ${set.join(' ')})`,
  ]
  return append(engine, await assembleAdditions(engine, text.join('\n')))
}

if (import.meta.filename === process.argv[1]) {
  const path = process.argv[2] as string
  await writeFile(path, await appendRegisters(await readFile(path)))
}
