import { afterAll, expect, test } from 'vitest'
import { folderOf, isMutable, MutantDraw } from '../../../../tools/mutation/draw.ts'
import { Parser } from '../../../../tools/mutation/parser.ts'
import { makeRandom } from '../../../support/random.ts'

const parser = new Parser()
afterAll(() => parser.close())

const SOURCES: Readonly<Record<string, string>> = {
  'host/base/hex.ts': 'let a = f(1)\nif (b < c) g()\n',
  'host/base/types.ts': 'export type A = 1\n',
  'host/api/rpc/eth/call.ts': 'let a = f(2, 3, 4)\n',
  'assembly/engine.ts': 'h()\n',
  'assembly/generated/opcode.ts': 'let b = f(5)\n',
  'test/unit/base/hex.test.ts': 'let b = f(6)\n',
}

function drawOf(seed: number): MutantDraw {
  const read = (path: string) => SOURCES[path] ?? ''
  return new MutantDraw(Object.keys(SOURCES), read, parser, makeRandom(seed))
}

test('the same seed draws the same mutants, in the same order', () => {
  const [first, second] = [drawOf(7), drawOf(7)]
  const drawn = [first.next(), first.next(), first.next()]
  expect([second.next(), second.next(), second.next()]).toEqual(drawn)
  expect(drawn.map(({ number }) => number)).toEqual([1, 2, 3])
})

test('each folder gets one mutant before any gets a second', () => {
  const draw = drawOf(3)
  const folders = [draw.next(), draw.next(), draw.next()].map(({ path }) => folderOf(path))
  expect(folders.sort()).toEqual(['assembly', 'host/api/rpc', 'host/base'])
})

test('no mutant is drawn twice, and a draw reports if none is left', () => {
  const draw = drawOf(5)
  const texts: string[] = []
  const drain = () => {
    for (;;) {
      const { path, line, after } = draw.next()
      texts.push(`${path}:${line} ${after}`)
    }
  }
  expect(drain).toThrow('no file of host/ or assembly/ has anything left to mutate')
  expect(texts.sort()).toEqual([
    'assembly/engine.ts:1 ;',
    'host/api/rpc/eth/call.ts:1 let a = f(2, 3, 5)',
    'host/api/rpc/eth/call.ts:1 let a = f(2, 4, 4)',
    'host/api/rpc/eth/call.ts:1 let a = f(3, 3, 4)',
    'host/base/hex.ts:1 let a = f(2)',
    'host/base/hex.ts:2 if (!(b < c)) g()',
    'host/base/hex.ts:2 if (b < c) ;',
    'host/base/hex.ts:2 if (b <= c) g()',
  ])
})

test('generated files, declarations and other folders are not mutated', () => {
  expect(isMutable('host/explorer/page/page.tsx')).toBe(true)
  expect(isMutable('host/wallet/native.d.ts')).toBe(false)
  expect(isMutable('assembly/u256/generated/product.ts')).toBe(false)
  expect(isMutable('tools/run.mjs')).toBe(false)
})
