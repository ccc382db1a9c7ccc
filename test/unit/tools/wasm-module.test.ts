import { parse } from '@bytecodealliance/jco'
import { describe, expect, test } from 'vitest'
import {
  append,
  assembleAdditions,
  detach,
  readBodies,
  readExports,
  readFunctions,
  readSections,
} from '../../../tools/wasm-module.ts'

const TEXT = `(module
  (type (func (param i64) (result i64)))
  (memory (export "memory") 1 1)
  (global $hidden (mut i64) (i64.const -5))
  (global (export "base") i32 (i32.const 40))
  (func $next (param i64) (result i64) (i64.add (local.get 0) (global.get $hidden)))
  (func (export "double") (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1)))
  (data (i32.const 8) "bytes"))`

const module = await parse(TEXT)

async function extend(text: string) {
  const additions = await assembleAdditions(module, text)
  const extended = append(module, additions)
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(extended))
  return {
    additions,
    extended,
    functions: exports as Record<string, (...args: number[]) => number>,
  }
}

describe('functions appended to a module', () => {
  test('use the exports of the module by name, its memory and one another', async () => {
    const { functions } = await extend(`
      (func $quadruple (param i32) (result i32)
        (call $double (call $double (local.get 0))))
      (func (export "get") (result i32) (call $quadruple (global.get $base)))
      (func (export "sum") (param i32 i32 i64) (result i32)
        (i32.add (i32.load8_u (local.get 0)) (i32.load8_u (local.get 1))))
      (export "twice" (func $double))`)
    expect(functions.get?.()).toBe(160)
    expect(functions.twice?.(21)).toBe(42)
    const sum = functions.sum as unknown as (a: number, b: number, c: bigint) => number
    expect(sum(8, 9, 0n)).toBe('b'.charCodeAt(0) + 'y'.charCodeAt(0))
  })

  test('leave everything else in the module in place, and can be removed again', async () => {
    const { additions, extended } = await extend('(func (export "one") (result i32) (i32.const 1))')
    expect(Buffer.compare(detach(extended, additions), module)).toBe(0)
    expect(readBodies(extended).slice(0, 2)).toEqual(readBodies(module))
    expect(readExports(extended)).toEqual([
      ...readExports(module),
      { name: 'one', kind: 'func', index: 2 },
    ])
    const data = 11
    const content = (bytes: Uint8Array) => readSections(bytes).find(({ id }) => id === data)
    expect(content(extended)).toEqual(content(module))
  })

  test('have their declared types', async () => {
    const { extended } = await extend('(func (export "f") (param i64 i32))')
    expect(readFunctions(extended)).toEqual([
      { params: ['i64'], results: ['i64'] },
      { params: ['i32'], results: ['i32'] },
      { params: ['i64', 'i32'], results: [] },
    ])
  })

  test.each([
    ['a global', '(global i32 (i32.const 1))', 'section 6 cannot be appended'],
    ['data', '(data (i32.const 0) "x")', 'section 11 cannot be appended'],
    ['a name that is not exported', '(func (call $next))', 'next'],
  ])('are refused with %s', async (_, text, message) => {
    await expect(extend(text)).rejects.toThrow(message)
  })

  test('are refused by a module without exports', async () => {
    const bare = await parse('(module (memory 1 1) (func))')
    const additions = await assembleAdditions(bare, '(func (export "f"))')
    expect(() => append(bare, additions)).toThrow('no section 7 to append to')
  })
})
