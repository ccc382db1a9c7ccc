import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { FACTS, type Fact, factFault } from '../../../tools/mentions/facts.ts'

const FACT: Fact = {
  page: 'README.md',
  claim: /at most ([\d,]+) rows/,
  source: 'rows.ts',
  value: /MAX_ROWS = ([\d_]+)/,
}

const tree = (page: string, source: string) => (path: string) =>
  path === FACT.page ? page : source

test('a figure of a page that equals the source holds, however its digits are grouped', () => {
  expect(factFault(FACT, tree('at most 32,768 rows', 'MAX_ROWS = 32_768'))).toBeUndefined()
})

test('a figure of a page that differs from the source is reported with both', () => {
  expect(factFault(FACT, tree('at most 100 rows', 'MAX_ROWS = 200'))).toBe(
    '100, but rows.ts has 200',
  )
})

test('a page or a source without the figure is reported, so that no row goes stale', () => {
  expect(factFault(FACT, tree('some rows', 'MAX_ROWS = 2'))).toContain('the page has no at most')
  expect(factFault(FACT, tree('at most 2 rows', ''))).toContain('rows.ts has no MAX_ROWS')
})

test('the files of every row are there', () => {
  const paths = FACTS.flatMap(({ page, source }) => [page, source])
  const missing = paths.filter(
    (path) => !existsSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url))),
  )
  expect(missing).toEqual([])
})
