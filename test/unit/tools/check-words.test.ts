import { expect, test } from 'vitest'
import { listedExports, repeatedExports } from '../../../tools/words/exported-names.ts'
import { replacedWordsIn, whereRates } from '../../../tools/words/text-words.ts'

const line = (file: string, text: string) => ({ file, line: 7, text })

test('a wording of the table is reported with its place and its replacement', () => {
  const lines = [
    line('host/api/a.ts', "// Runs on the chain's thread."),
    line('host/api/b.ts', '// Undefined if the value is none.'),
    line('host/api/c.ts', '// Undefined if there is none.'),
  ]
  expect(replacedWordsIn(lines)).toEqual([
    { at: 'host/api/a.ts:7', problem: `"chain's thread": say main thread` },
    { at: 'host/api/b.ts:7', problem: '"is none": say is absent, is invalid, or there is no ...' },
  ])
})

test('a room that says "where" more than 15 times in 10,000 words is reported with its rate', () => {
  const words = (count: number, wheres: number) =>
    [...Array(count - wheres).fill('word'), ...Array(wheres).fill('where')].join(' ')
  const lines = [
    line('host/chain/a.ts', words(10_000, 16)),
    line('host/evm/a.ts', words(10_000, 15)),
    line('host/api/a.ts', words(2_999, 100)),
    line('host/README.md', words(10_000, 0)),
  ]
  expect(whereRates(lines)).toEqual([
    { at: 'host/chain', problem: '"where" 16 times in 10000 words: say if or when' },
  ])
})

test('a name that two files export is reported once with both, and overloads of one file are not', () => {
  const sources = new Map([
    ['a.ts', 'export function read(x: 1): 1\nexport function read(x: 2): 2\nexport type One = 1\n'],
    ['b.ts', 'export async function read() {}\nexport const two = 2\n'],
    ['c.ts', 'const two = 2\nexport class Three {}\n'],
  ])
  expect(repeatedExports(sources)).toEqual(new Map([['read', ['a.ts', 'b.ts']]]))
})

test('the names that modules of the package list are read from their braces', () => {
  const sources = [
    "export { openEngine } from './a.ts'\nexport type { Need,\n  Run } from './b.ts'",
    "export { type Outcome, defineAction } from './c.ts'",
  ]
  const names = [...listedExports(sources)].filter((name) => name !== 'type')
  expect(names.sort()).toEqual(['Need', 'Outcome', 'Run', 'defineAction', 'openEngine'])
})
