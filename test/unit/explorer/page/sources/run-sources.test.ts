import { expect, test } from 'vitest'
import { type Hex, parseData } from '../../../../../host/base/hex.ts'
import type { Stepper } from '../../../../../host/explorer/browser/step/stepper.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { ranCode } from '../../../../../host/explorer/page/sources/ran-code.ts'
import { knownCode, RunSources } from '../../../../../host/explorer/page/sources/run-sources.ts'
import { readPreimages } from '../../../../../host/explorer/page/sources/variables.ts'
import { at, callNodes } from '../decode/call-nodes.ts'
import { compileAll } from '../solc-output.ts'

const SOURCE = `contract Purse {
  uint256 public held;
  function put(uint256 amount) external {
    require(amount > 0, "nothing");
    held += amount;
  }
}
`
const HASH: Hex = `0x${'11'.repeat(32)}`
const OTHER: Hex = `0x${'22'.repeat(32)}`

const { output } = compileAll({ 'Purse.sol': SOURCE })
const contracts = new ContractSet([
  readDropped('output.json', JSON.stringify(output)),
  readDropped('Purse.sol', SOURCE),
])
const runtime = parseData(`0x${output.contracts['Purse.sol']?.Purse?.evm.deployedBytecode.object}`)

/**
 * A proxy calls, and delegates twice to the purse's code. The purse and an account without code are also called
 * directly.
 */
const ran = { firstStep: 0, endStep: 1 }
const borrowed = { type: 'DELEGATECALL', from: at(1), to: at(2), codeAddress: at(2) } as const
const calls = callNodes({
  ...ran,
  to: at(1),
  below: [
    { ...borrowed, firstStep: 3, endStep: 5 },
    { ...borrowed, firstStep: 6, endStep: 8 },
    { to: at(2), codeAddress: at(2), firstStep: 9, endStep: 10 },
    { to: at(4), firstStep: 10, endStep: 10 },
  ],
})
const stepper = {
  step: async (index: number) => ({ codeHash: index < 3 ? OTHER : HASH }),
  code: async (hash: Hex) => (hash === HASH ? runtime : new Uint8Array([0x5f, 0x5f])),
} as unknown as Stepper

const sources = new RunSources(await knownCode(contracts, await ranCode(stepper, calls)))

test('executed code is identified by its hash, with the accounts that have it and the storage it used', async () => {
  const [, purse] = await ranCode(stepper, calls)
  expect(purse).toEqual({
    codeHash: HASH,
    codeAddresses: [at(2)],
    storageAddresses: [at(1), at(2)],
    isCreation: false,
    bytes: runtime,
  })
})

test('contracts are named at the accounts that have their code', () => {
  expect([...sources.labels]).toEqual([[at(2), 'Purse']])
  expect(sources.contractsOf(at(1)).map(({ name }) => name)).toEqual(['Purse'])
  expect(sources.contractsOf(at(3))).toEqual([])
})

test('a line maps to its instructions, and each of them maps back to the line', () => {
  const places = sources.placesOf('Purse.sol', 5)
  expect(places.map(({ codeAddress }) => codeAddress)).toEqual([at(2)])
  const pcs = places[0]?.pcs ?? []
  expect(pcs.length).toBeGreaterThan(0)
  for (const pc of pcs) {
    const position = sources.positionOf({ codeHash: HASH, pc })
    expect(position).toMatchObject({ path: 'Purse.sol', line: 5, functionName: 'Purse.put' })
  }
})

test('the search for the next line includes every other line, and no code that the compiler inserted', () => {
  const from = { path: 'Purse.sol', line: 5, endLine: 5, functionName: undefined }
  const others = sources.otherLines({ codeAddress: at(2), codeHash: HASH }, from)?.pcs ?? []
  const lines = others.map((other) => sources.positionOf({ codeHash: HASH, pc: other })?.line)
  expect([...new Set(lines)].sort()).toEqual([2, 3, 4])
  const generated = [...runtime.keys()].filter((pc) => sources.isGenerated({ codeHash: HASH, pc }))
  expect(generated.length).toBeGreaterThan(100)
  expect(generated.filter((each) => others.includes(each))).toEqual([])
})

test('an excerpt is the line with its neighbours, as far as they exist', () => {
  const position = { path: 'Purse.sol', line: 1, endLine: 1, functionName: undefined }
  expect(sources.excerpt(position, 1)).toEqual([
    { line: 1, text: 'contract Purse {' },
    { line: 2, text: '  uint256 public held;' },
  ])
  expect(sources.excerpt({ ...position, path: 'Other.sol' }, 1)).toEqual([])
})

test('code without a source file has no description', () => {
  expect(sources.positionOf({ codeHash: OTHER, pc: 0 })).toBeUndefined()
  const from = { path: 'Purse.sol', line: 1, endLine: 1, functionName: undefined }
  expect(sources.otherLines({ codeAddress: at(1), codeHash: OTHER }, from)).toBeUndefined()
})

test('hash preimages are read for a transaction alone and within a block', () => {
  const traced = { [HASH]: '0x0102', [OTHER]: 7 }
  expect(readPreimages(traced, 0)).toEqual([new Uint8Array([1, 2])])
  expect(readPreimages([{ result: {} }, { result: traced }], 1)).toEqual([new Uint8Array([1, 2])])
  expect(readPreimages(null, 0)).toEqual([])
})
