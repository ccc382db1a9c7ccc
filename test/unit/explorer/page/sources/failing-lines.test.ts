import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { stepPosition } from '../../../../../host/explorer/page/sources/step-position.ts'
import { compileAll, type SolcContract } from '../solc-output.ts'
import {
  calldata,
  createdBy,
  creationOf,
  type FailingTransaction,
  failedRun,
} from './failing-run.ts'

const PATH = 'Failures.sol'
const SOURCE = readFileSync(
  new URL('../../../../support/contracts/Failures.sol', import.meta.url),
  'utf8',
)

/** Functions with the arguments that make them fail. */
const FAILING: readonly (readonly [string, ...unknown[]])[] = [
  ['asserted', 1n],
  ['added', 5n],
  ['multiplied', 3n],
  ['looped', 40],
  ['divided', 9n],
  ['enumerated', 4n],
  ['encoded'],
  ['popped'],
  ['indexedStorage', 3n],
  ['indexedMemory', 3n],
  ['indexedCalldata', [1n, 2n], 2n],
  ['allocated', 1n << 64n],
  ['pointed', 1n],
  ['required', 1n],
  ['requiredBare', 1n],
  ['requiredError', 1n],
  ['reverted', 2n],
  ['revertedBare', 2n],
  ['revertedError', 2n],
  ['inherited', 1n],
  ['nested', 4n],
  ['callOther', 5n],
  ['callNothing'],
  ['badReturn'],
  ['create', 7n],
  ['spent', 100n],
  ['sent', 5n],
  ['ofLibrary', 5n],
  ['ofInternalLibrary', 5n],
  ['modified'],
  ['modifiedAfter'],
  ['ofImmutable', 5n],
  ['yul', 2n],
  ['inChecked', 1n],
]

const SETTINGS = [
  ['not optimized', { optimizer: { enabled: false } }],
  ['optimized', { optimizer: { enabled: true, runs: 200 } }],
  ['through Yul', { viaIR: true, optimizer: { enabled: false } }],
  ['through Yul, optimized', { viaIR: true, optimizer: { enabled: true, runs: 200 } }],
] as const

/** Returns the number of the line that is marked with the name of a failure. */
function lineOf(name: string): number {
  const line = SOURCE.split('\n').findIndex((text) => text.endsWith(`// ${name}`)) + 1
  if (line === 0) throw new Error(`no line is marked with ${name}`)
  return line
}

/**
 * Failures whose line the compiler removed: the optimizer of the Yul pipeline leaves a loop the position of its head.
 */
const COARSE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'through Yul, optimized': { looped: 'loopedHead' },
}

describe.each(SETTINGS)('a transaction of code from solc 0.8.37, %s,', (title, settings) => {
  const { input, output } = compileAll({ [PATH]: SOURCE }, settings)
  const contracts = new ContractSet([
    readDropped('output.json', JSON.stringify(output)),
    readDropped('input.json', JSON.stringify(input)),
  ])
  const contract = (name: string) => output.contracts[PATH]?.[name] as SolcContract
  const failures = contract('Failures')
  const library = createdBy(0)
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const creation = (scale: bigint): Hex =>
    `${creationOf(failures, library)}${word(scale)}${word(BigInt(createdBy(1)))}`
  const deployments: readonly Hex[] = [
    creationOf(contract('PublicMath'), library),
    `${creationOf(contract('Other'), library)}${word(50n)}`,
    creation(10n),
  ]
  const lineShown = async (failing: FailingTransaction) => {
    const { stepper, position } = await failedRun(contracts, deployments, failing)
    await stepper.close()
    return position?.line
  }
  const to = createdBy(2)

  test.each(FAILING.map(([name, ...args]) => ({ name, args })))(
    'that fails in $name is shown at its line',
    async ({ name, args }) => {
      const gas = name === 'spent' ? 400_000n : 2_000_000n
      expect(await lineShown({ to, input: calldata(failures, name, args), gas })).toBe(
        lineOf(COARSE[title]?.[name] ?? name),
      )
    },
  )

  test('counts the gas of generated code for the lines that need it', async () => {
    const failing = { to, input: calldata(failures, 'required', [1n]) }
    const { stepper, calls, sources } = await failedRun(contracts, deployments, failing)
    const rows = await stepper.gasByCode(sources.marks())
    const used = rows.reduce((sum, { gas }) => sum + gas, 0)
    expect(used).toBe(Number(calls[0]?.gasUsed))
    const path = 'Failures.sol'
    const lines = rows.map((row) => sources.positionOf(row))
    expect(lines.filter((line) => line?.path !== path)).toEqual([])
    const gasOf = (name: string) =>
      rows.reduce((sum, row, i) => (lines[i]?.line === lineOf(name) ? sum + row.gas : sum), 0)
    // Encoding the reason takes several stores to memory, each of 3 gas and more.
    expect(gasOf('required')).toBeGreaterThan(20)
    const alone = await stepper.gasByCode()
    expect(alone.reduce((sum, { gas }) => sum + gas, 0)).toBe(used)
    await stepper.close()
  })

  test('steps by lines that the user wrote', async () => {
    const failing = { to, input: calldata(failures, 'indexedCalldata', [[1n, 2n], 2n]) }
    const { stepper, calls, sources } = await failedRun(contracts, deployments, failing)
    const run = { stepper, calls, sources }
    let step = await stepper.step(0)
    const lines: string[] = []
    for (let position = await stepPosition(run, step); position !== undefined; ) {
      const places = sources.otherLines(step, position)
      const found = await stepper.find([{ ...(places && { places }) }], step.index, 'forward')
      if (found === undefined) break
      step = await stepper.step(found.index)
      position = await stepPosition(run, step)
      lines.push(SOURCE.split('\n')[(position?.line ?? 0) - 1]?.trim() ?? '')
    }
    expect(lines.every((line) => line !== '' && !line.startsWith('contract'))).toBe(true)
    expect(lines.length).toBeLessThan(12)
    await stepper.close()
  })

  test('whose constructor fails is shown at the line of the constructor', async () => {
    expect(await lineShown({ to: undefined, input: creation(0n) })).toBe(lineOf('constructed'))
  })

  test('that sends ether to a function that takes none is shown at the function', async () => {
    const input = calldata(failures, 'unpayable', [1n])
    expect(await lineShown({ to, input, value: 1n })).toBe(lineOf('unpayable'))
  })

  test('with arguments that cannot be decoded is shown at the function', async () => {
    const decoded = calldata(failures, 'decoded', [1n, '0x1234'])
    expect(await lineShown({ to, input: decoded.slice(0, -128) as Hex })).toBe(lineOf('decoded'))
    const narrowed = calldata(failures, 'narrowed', [1])
    expect(await lineShown({ to, input: `${narrowed.slice(0, -4)}0101` as Hex })).toBe(
      lineOf('narrowed'),
    )
  })
})
