import { describe, expect, test } from 'vitest'
import { scanModule } from '../../../tools/scan-wasm.ts'

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/** A module with one function of the body `code` (without its end) and one page of memory. */
function moduleWith(code: readonly number[], imports: readonly number[] = []): Uint8Array {
  const body = [0x00, ...code, 0x0b]
  return new Uint8Array([
    ...HEADER,
    ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
    ...imports,
    ...[0x03, 0x02, 0x01, 0x00],
    ...[0x05, 0x03, 0x01, 0x00, 0x01],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, imports.length > 0 ? 1 : 0],
    ...[0x0a, body.length + 2, 0x01, body.length, ...body],
  ])
}

describe('the scan of built modules', () => {
  test('passes integer code', () => {
    const scan = scanModule(moduleWith([0x41, 0x01, 0x41, 0x02, 0x6a, 0x1a]))
    expect(scan).toEqual({ imports: [], breaches: [], growing: [], largestTable: 0 })
  })

  test.each([
    ['a float constant', [0x43, 0, 0, 0, 0, 0x1a], 'float instruction 0x43'],
    ['a double addition', [0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x99, 0x1a], 'float instruction 0x44'],
    ['an atomic', [0xfe, 0x03, 0x00], 'atomic instruction 0xfe 3'],
    ['relaxed SIMD', [0xfd, 0x80, 0x02], 'relaxed SIMD 0xfd 256'],
    ['float SIMD', [0xfd, 0xe4, 0x01], 'float SIMD 0xfd 228'],
  ])('names %s and the function', (_what, code, breach) => {
    expect(scanModule(moduleWith(code)).breaches).toContain(`${breach} in function 0 (f)`)
  })

  test('names a function that grows the memory', () => {
    expect(scanModule(moduleWith([0x41, 0x01, 0x40, 0x00, 0x1a])).growing).toEqual([
      'function 0 (f)',
    ])
  })

  test('names an import', () => {
    const imports = [0x02, 0x07, 0x01, 0x01, 0x65, 0x01, 0x67, 0x00, 0x00]
    expect(scanModule(moduleWith([0x01], imports)).imports).toEqual(['e.g'])
  })

  test('counts the targets of a br_table', () => {
    const table = [0x02, 0x40, 0x41, 0x00, 0x0e, 0x02, 0x00, 0x00, 0x00, 0x0b]
    expect(scanModule(moduleWith(table)).largestTable).toBe(3)
  })
})
