import { expect, test } from 'vitest'
import type { CodeGas } from '../../../../../host/explorer/browser/step/stepper.ts'
import { flameByLine } from '../../../../../host/explorer/page/run/gas/flame-by-line.ts'
import type {
  RunSources,
  SourcePosition,
} from '../../../../../host/explorer/page/sources/run-sources.ts'

const at = (path: string, line: number, functionName?: string): SourcePosition => {
  return { path, line, endLine: line, functionName }
}

const PLACES: ReadonlyMap<number, SourcePosition> = new Map([
  [1, at('Vault.sol', 10, 'Vault.pay')],
  [2, at('Vault.sol', 10, 'Vault.pay')],
  [3, at('Vault.sol', 12, 'Vault.pay')],
  [4, at('Vault.sol', 3)],
])

const sources = { positionOf: ({ pc }: { pc: number }) => PLACES.get(pc) } as unknown as RunSources
const used = (pc: number, gas: number): CodeGas => {
  return { codeHash: '0x', pc, gas, count: 1, call: 0 }
}

test('gas is summed by line and lines by function, the most expensive first', () => {
  const rows = [used(1, 30), used(2, 20), used(3, 10), used(4, 5), used(6, 35)]
  const { root, names } = flameByLine(rows, sources)
  expect([root.total, root.self, root.width]).toEqual([100n, 0n, 1])
  const shown = root.children.map(({ key, total, self, start, children }) => [
    names.get(key),
    total,
    self,
    start.toFixed(2),
    children.map((line) => `${names.get(line.key)} ${line.total}`),
  ])
  expect(shown).toEqual([
    ['Vault.pay', 60n, 0n, '0.00', ['Vault.sol:10 50', 'Vault.sol:12 10']],
    ['code without a source', 35n, 35n, '0.60', []],
    ['Vault.sol', 5n, 0n, '0.95', ['Vault.sol:3 5']],
  ])
})

test('a line in two functions has a box in each', () => {
  const places = new Map([
    [1, at('One.sol', 1, 'A.f')],
    [2, at('One.sol', 1, 'A.g')],
  ])
  const both = { positionOf: ({ pc }: { pc: number }) => places.get(pc) } as unknown as RunSources
  const { root } = flameByLine([used(1, 1), used(2, 1)], both)
  const keys = root.children.flatMap(({ key, children }) => [
    key,
    ...children.map((one) => one.key),
  ])
  expect(keys).toEqual([...new Set(keys)])
  expect(keys).toHaveLength(4)
})

test('a run without gas is a box of width zero', () => {
  expect(flameByLine([], sources).root).toMatchObject({ total: 0n, width: 0, children: [] })
})
