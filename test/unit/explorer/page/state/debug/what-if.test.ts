import { encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { LockstepError } from '../../../../../../host/base/error.ts'
import type { Hex } from '../../../../../../host/base/hex.ts'
import type { RunSummary } from '../../../../../../host/explorer/browser/step/stepper.ts'
import {
  argumentText,
  encodeTypedCall,
} from '../../../../../../host/explorer/page/debug/what-if/argument.ts'
import {
  logRows,
  outcomeRows,
  stateDifferenceRows,
} from '../../../../../../host/explorer/page/debug/what-if/outcome-rows.ts'
import { AbiRegistry } from '../../../../../../host/explorer/page/decode/abi/abi-registry.ts'
import { decodeBySelector } from '../../../../../../host/explorer/page/decode/abi/decode-item.ts'
import type { Decoded } from '../../../../../../host/explorer/page/decode/abi/decoded.ts'
import { parseChanges } from '../../../../../../host/explorer/page/state/debug/change-text.ts'
import { planChanges } from '../../../../../../host/explorer/page/state/debug/plan-changes.ts'
import { WhatIf } from '../../../../../../host/explorer/page/state/debug/what-if.ts'
import { ViewLocation } from '../../../../../../host/explorer/page/view/view-location.ts'
import { until } from '../../../../../support/until.ts'
import { fakeWindow } from './fake-window.ts'

const A: Hex = `0x${'a1'.repeat(20)}`
const ABI = parseAbi([
  'function pay(address to, uint256 amount)',
  'function order((uint8 kind, bytes data)[] parts, int64 limit, bool now, string note, bytes4[2] ids)',
])
const BOOK = AbiRegistry.fromJson(ABI, 'given', 'test')

function decode(data: Hex): Decoded {
  const decoded = decodeBySelector('function', data, [BOOK])
  if (decoded.kind !== 'decoded') throw new Error(decoded.why)
  return decoded
}

const PAY = encodeFunctionData({ abi: ABI, functionName: 'pay', args: [A, 5n] })

describe('edited arguments', () => {
  it('are encoded to call data again', () => {
    const order = encodeFunctionData({
      abi: ABI,
      functionName: 'order',
      args: [
        [
          { kind: 3, data: '0xc0ffee' },
          { kind: 0, data: '0x' },
        ],
        -7n,
        true,
        'two words, "quoted"',
        ['0x01020304', '0xffffffff'],
      ],
    })
    for (const data of [PAY, order]) {
      const decoded = decode(data)
      expect(encodeTypedCall(decoded.item, decoded.values.map(argumentText))).toBe(data)
    }
    expect(decode(order).values.map(argumentText)).toEqual([
      '[["3","0xc0ffee"],["0","0x"]]',
      '-7',
      'true',
      'two words, "quoted"',
      '["0x01020304","0xffffffff"]',
    ])
  })

  it('may have other values', () => {
    const changed = encodeTypedCall(decode(PAY).item, [A, '0x10'])
    expect(changed).toBe(encodeFunctionData({ abi: ABI, functionName: 'pay', args: [A, 16n] }))
  })

  it.each([
    [[A, 'five'], 'amount: want a whole number for uint256, got "five"'],
    [[A, '-1'], 'amount: '],
    [['0x12', '1'], 'to: '],
  ])('that are invalid are named: %j', (texts, message) => {
    expect(() => encodeTypedCall(decode(PAY).item, texts)).toThrow(message)
  })
})

it('what-if changes of one account are applied together', () => {
  const text = `data:0xc0,value:3,from:${A},gas:9,slot:${A}:0x1:0x2,slot:${A}:0x2:0x3,balance:${A}:5,block:number:7,block:coinbase:0x1,block:timestamp:9`
  const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
  expect(planChanges(parseChanges(text))).toEqual({
    transaction: { input: '0xc0', value: 3n, from: A, gas: 9n },
    accounts: [{ address: A, slots: { [word(1)]: word(2), [word(2)]: word(3) }, balance: 5n }],
    block: { number: 7, coinbase: `0x${'0'.repeat(39)}1`, timestamp: 9n },
  })
})

describe('the comparison of two runs', () => {
  const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
  const failed: RunSummary = {
    success: false,
    gasUsed: 50_000n,
    gasLimit: 90_000n,
    output: '0x',
    fault: { error: 'execution reverted', output: '0x', reason: 'too little', step: 7 },
    steps: 8,
    contractAddress: undefined,
    changes: [],
  }
  const passed: RunSummary = {
    ...failed,
    success: true,
    fault: undefined,
    steps: 12,
  }

  it('describes how each run ends', () => {
    const rows = outcomeRows(
      { summary: failed, calls: [], headline: 'pay failed: too little' },
      { summary: passed, calls: [], headline: 'pay succeeded' },
    )
    expect(rows.filter(({ isSame }) => !isSame)).toEqual([
      { what: 'Outcome', before: 'pay failed: too little', after: 'pay succeeded', isSame: false },
      { what: 'Steps', before: '8', after: '12', isSame: false },
    ])
  })

  it('describes the differences in the final state', () => {
    const slots = [{ slot: word(1), values: [word(1), word(4)] as const }]
    const balance = [90n, 80n] as const
    const unnamed = { path: undefined, type: undefined, slots: [word(1)] }
    const named = { path: 'total', type: 'uint256', slots: [word(2)], before: '7', after: '9' }
    const namesOf = () => [{ ...unnamed, before: word(1), after: word(4) }, named]
    expect(stateDifferenceRows([{ address: A, balance, slots }], namesOf)).toEqual([
      { what: `balance of ${A}`, before: '90 wei', after: '80 wei', isSame: false },
      { what: `slot 0x1 of ${A}`, before: '0x1', after: '0x4', isSame: false },
      { what: `total of ${A}`, before: '7', after: '9', isSame: false },
    ])
  })

  it('lists the logs that only one run has', () => {
    const log = { address: A, topics: [], data: '0x', step: 3, isReverted: false } as const
    expect(logRows([[], [log]], ({ step }) => `of step ${step}`)).toEqual([
      { what: 'Log 0', before: 'none', after: 'of step 3', isSame: false },
    ])
  })
})

interface Named {
  readonly name: string
  close(): void
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

describe('the what-if runner', () => {
  function opened() {
    const location = new ViewLocation(fakeWindow(), '/explorer')
    const runs: { text: string; isClosed: boolean; finish: () => void; fail: () => void }[] = []
    const whatIf = new WhatIf<Named>(location, (changes) => {
      const made = withResolvers<Named>()
      const text = JSON.stringify(changes.map(({ kind }) => kind))
      const run = {
        text,
        isClosed: false,
        finish: () =>
          made.resolve({
            name: text,
            close() {
              run.isClosed = true
            },
          }),
        fail: () => made.reject(new LockstepError('TRANSACTION_REJECTED', 'refused')),
      }
      runs.push(run)
      return made.promise
    })
    return { location, runs, whatIf }
  }

  it('runs the changes of the link and closes the previous run', async () => {
    const { location, runs, whatIf } = opened()
    expect(runs).toEqual([])
    whatIf.set({ kind: 'value', wei: 5n })
    expect(location.view.value.changes).toBe('value:5')
    runs[0]?.finish()
    await until(() => whatIf.edited.value !== undefined)
    whatIf.set({ kind: 'gas', gas: 9n })
    runs[1]?.finish()
    await until(() => whatIf.edited.value?.name === '["value","gas"]')
    expect(runs.map(({ isClosed }) => isClosed)).toEqual([true, false])
    whatIf.clear()
    await until(() => whatIf.edited.value === undefined)
    expect(runs.map(({ isClosed }) => isClosed)).toEqual([true, true])
  })

  it('applies the last of several queued changes and closes runs that are obsolete', async () => {
    const { runs, whatIf } = opened()
    whatIf.set({ kind: 'value', wei: 5n })
    whatIf.set({ kind: 'value', wei: 6n })
    runs[1]?.finish()
    await until(() => whatIf.edited.value !== undefined)
    runs[0]?.finish()
    await until(() => runs[0]?.isClosed === true)
    expect(runs[1]?.isClosed).toBe(false)
  })

  it('explains why the changed transaction is refused until it is changed again', async () => {
    const { runs, whatIf } = opened()
    whatIf.set({ kind: 'gas', gas: 1n })
    runs[0]?.fail()
    await until(() => whatIf.error.value !== undefined)
    expect(whatIf.error.value?.message).toBe('refused')
    whatIf.clear()
    expect(whatIf.error.value).toBeUndefined()
  })

  it('ignores the changes of a damaged link and says so', async () => {
    const { location, whatIf } = opened()
    location.set({ changes: 'value:x' })
    await until(() => whatIf.error.value !== undefined)
    expect(whatIf.changes.value).toEqual([])
    expect(whatIf.error.value?.message).toContain('value: want a number')
  })
})
