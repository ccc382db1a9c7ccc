import { afterAll, expect, test } from 'vitest'
import { mutate, mutationsOf } from '../../../../tools/mutation/mutators.ts'
import { Parser } from '../../../../tools/mutation/parser.ts'

const parser = new Parser()
afterAll(() => parser.close())

/** Returns each mutation of a source, as its mutator and the resulting text. */
function mutants(source: string): string[] {
  const file = parser.parse(source)
  if (file === undefined) throw new Error(`${source} is not valid`)
  return mutationsOf(file).map((mutation) => `${mutation.mutator}: ${mutate(source, mutation)}`)
}

test.each([
  ['a < b', 'a <= b'],
  ['a <= b', 'a < b'],
  ['a > b', 'a >= b'],
  ['a >= b', 'a > b'],
  ['a === b', 'a !== b'],
  ['a !== b', 'a === b'],
  ['a == b', 'a != b'],
  ['a != b', 'a == b'],
])('the comparison %s becomes %s', (before, after) => {
  expect(mutants(`let c = ${before}`)).toEqual([`comparison: let c = ${after}`])
})

test('an await is removed if its value is unused', () => {
  expect(mutants('await save()')).toEqual(['await: save()', 'statement: ;'])
  expect(mutants('const saved = await save()')).toEqual([])
})

test.each([
  ['7', '8'],
  ['0xff', '0x100'],
  ['0b11', '4'],
  ['1_000', '1001'],
  ['25n', '26n'],
  ['0xffn', '0x100n'],
])('the constant %s becomes %s', (before, after) => {
  expect(mutants(`let c = f(${before})`)).toEqual([`constant: let c = f(${after})`])
})

test('a fraction, a numeric type and the name of a member are not mutated as constants', () => {
  expect(mutants('let c: 1 | 2 = f(0.5)')).toEqual([])
  expect(mutants('let c = { 1: a }')).toEqual([])
})

test('the condition of an if, a while and a conditional expression is negated', () => {
  expect(mutants('if (a) b = c')).toEqual(['condition: if (!(a)) b = c', 'statement: if (a) ;'])
  expect(mutants('while (a) {}')).toEqual(['condition: while (!(a)) {}'])
  expect(mutants('let c = a ? b : d')).toEqual(['condition: let c = !(a) ? b : d'])
})

test('calls, assignments and increments are removed, and declarations and super remain', () => {
  expect(mutants('f()')).toEqual(['statement: ;'])
  expect(mutants('a += b')).toEqual(['statement: ;'])
  expect(mutants('a++')).toEqual(['statement: ;'])
  expect(mutants('let a = b')).toEqual([])
  expect(mutants('class A extends B { constructor() { super() } }')).toEqual([])
})

test('decorators and types of AssemblyScript are parsed, and JSX only on request', () => {
  expect(mutants('@inline function f(a: u64): bool { return a < u64(b) }')).toEqual([
    'comparison: @inline function f(a: u64): bool { return a <= u64(b) }',
  ])
  expect(parser.parse('let a = <b>{c}</b>', true)).toBeDefined()
  expect(parser.parse('let a = <b>{c}</b>')).toBeUndefined()
})

test('an invalid source has no syntax tree', () => {
  expect(parser.parse('if (a')).toBeUndefined()
})
