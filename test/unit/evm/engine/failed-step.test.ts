import { describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../../host/base/bytes.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { address, CONTRACT, stateWith } from '../../../support/engine/engine-fixture.ts'
import { traceState } from '../../../support/trace/kept-step.ts'

const COLD = bytesToBigint(address(0x9999))
const SELF = bytesToBigint(CONTRACT)

/** An offset beyond any memory, and one whose price exceeds 64 bits. */
const HUGE = 2n ** 64n
const FAR = 2n ** 40n

const PRICED = 'out of gas: write protection'
const WORKING = 'write protection'

type Item = string | number | bigint

/** 3 gas per word and a 512th of its square (yellow paper, C_mem). */
const memoryGas = (words: number) => 3 * words + Math.floor((words * words) / 512)

/** Returns the last step of code that gets `gas` beyond the intrinsic gas. */
async function lastStep(code: readonly Item[], gas: number, revision: 'Osaka' | 'Istanbul') {
  const fields = { gas: BigInt(21_000 + gas) }
  const steps = await traceState(stateWith(assemble(...code)), {}, { revision }, fields)
  const { cost, error, isRefused } = steps.at(-1) as (typeof steps)[number]
  return { cost, error, isRefused }
}

/** Rows: name, code, gas, expected cost, and what geth appends to the message. */
const OUT_OF_GAS: readonly (readonly [string, readonly Item[], number, number, string?])[] = [
  ['in the constant gas', [1, 2, 'ADD'], 8, 3],
  ['of TLOAD', [1, 'TLOAD'], 50, 100],
  ['of MSTORE', [1, 0x10000, 'MSTORE'], 100, 3 + memoryGas(2049)],
  ['of a memory without a price', [1, 2n ** 40n, 'MSTORE'], 100, 3, ': gas uint64 overflow'],
  ['of KECCAK256', [0x10000, 0, 'KECCAK256'], 100, 30 + 6 * 2048 + memoryGas(2048)],
  ['of CODECOPY', [0x10000, 0, 0, 'CODECOPY'], 100, 3 + 3 * 2048 + memoryGas(2048)],
  ['of MCOPY', [32, 0x10000, 0, 'MCOPY'], 100, 3 + 3 + memoryGas(2049)],
  ['of EXP', [0xffff, 2, 'EXP'], 50, 10 + 2 * 50],
  ['of LOG1', [0, 64, 0, 'LOG1'], 100, 375 + 375 + 64 * 8 + memoryGas(2)],
  ['of RETURN', [0x10000, 0, 'RETURN'], 100, memoryGas(2048)],
  ['of a cold SLOAD', [1, 'SLOAD'], 1000, 2100],
  ['of the sentry of SSTORE', [1, 1, 'SSTORE'], 2306, 0, ': not enough gas for reentrancy sentry'],
  ['of a cold SSTORE', [1, 1, 'SSTORE'], 10_000, 22_100],
  ['of a cold BALANCE', [COLD, 'BALANCE'], 500, 100 + 2500],
  ['of EXTCODECOPY', [64, 0, 0, COLD, 'EXTCODECOPY'], 500, 100 + 2500 + 6 + memoryGas(2)],
  ['of a call to a cold address', [0, 0, 0, 0, COLD, 0, 'STATICCALL'], 1000, 100, ': out of gas'],
  ['of a call with value', [0, 0, 0, 0, 1, SELF, 0, 'CALL'], 1000, 100, ': out of gas'],
  ['of the new account of a call', [0, 0, 0, 0, 1, COLD, 7, 'CALL'], 20_000, 100, ': out of gas'],
  ['of CREATE', [64, 0, 0, 'CREATE'], 32_010, 32_000 + 2 * 2 + memoryGas(2)],
  ['of CREATE2', [0, 64, 0, 0, 'CREATE2'], 32_013, 32_000 + 2 * 2 + 2 * 6 + memoryGas(2)],
  ['of SELFDESTRUCT', [COLD, 'SELFDESTRUCT'], 6000, 5000 + 2600],
]

const UNDERFLOWS: readonly (readonly [string, number])[] = [
  ['ADD', 3],
  ['EXP', 0],
  ['KECCAK256', 30],
  ['BALANCE', 100],
  ['SLOAD', 0],
  ['SSTORE', 0],
  ['LOG0', 0],
  ['CREATE', 32_000],
  ['CALL', 100],
  ['SELFDESTRUCT', 5000],
]

describe('a failed step costs what geth has charged before the failure', () => {
  test.each(
    OUT_OF_GAS.map(([what, code, gas, cost, reason = '']) => ({ what, code, gas, cost, reason })),
  )('if it runs out of gas: $what', async ({ code, gas, cost, reason }) => {
    const step = await lastStep(code, gas, 'Osaka')
    expect(step).toEqual({ cost, error: `out of gas${reason}`, isRefused: true })
  })

  test.each(UNDERFLOWS)('if %s underflows the stack', async (name, cost) => {
    const step = await lastStep([name], 40_000, 'Osaka')
    const error = expect.stringContaining('stack underflow (0 <=> ')
    expect(step).toEqual({ cost, error, isRefused: true })
  })

  test.each([
    ['SLOAD', 800],
    ['BALANCE', 700],
    ['CALL', 700],
    ['SELFDESTRUCT', 0],
  ] as const)('if %s underflows the stack before Berlin', async (name, cost) => {
    expect((await lastStep([name], 40_000, 'Istanbul')).cost).toBe(cost)
  })

  test.each([
    ['a byte without meaning', [1, 'INVALID'], 0, 'invalid opcode: INVALID'],
    ['a jump to nowhere', [5, 'JUMP'], 8, 'invalid jump destination'],
    ['a branch to nowhere', [1, 5, 'JUMPI'], 10, 'invalid jump destination'],
    ['return data that is not there', [1, 0, 0, 'RETURNDATACOPY'], 9, 'return data out of bounds'],
    ['a revert', [0, 32, 'REVERT'], 0, 'execution reverted'],
  ] as const)('if it fails in its execution: %s', async (_what, code, cost, error) => {
    expect(await lastStep(code, 1000, 'Osaka')).toEqual({ cost, error, isRefused: false })
  })

  test('if it overflows the stack', async () => {
    const code = [...Array.from({ length: 1024 }, () => 'PUSH0'), 'CALLVALUE']
    const step = await lastStep(code, 4000, 'Osaka')
    expect(step).toEqual({ cost: 2, error: 'stack limit reached 1024 (1023)', isRefused: true })
  })

  test.each([
    // Fails while it is priced
    ['SSTORE', [1, 1, 'SSTORE'], 60_000, 0, PRICED],
    ['SSTORE with little gas', [1, 1, 'SSTORE'], 100, 0, PRICED],
    ['CALL', [0, 0, 0, 0, 1, COLD, 0, 'CALL'], 60_000, 100, PRICED],
    ['CALL with too little for its value', [0, 0, 0, 0, 1, COLD, 0, 'CALL'], 130, 100, PRICED],
    ['CALL without gas', [0, 0, 0, 0, 1, COLD, 0, 'CALL'], 50, 100, 'out of gas'],
    ['CALL out of reach', [0, 0, 9, HUGE, 1, COLD, 0, 'CALL'], 60_000, 100, 'gas uint64 overflow'],
    ['CALL with memory beyond price', [0, 0, 9, FAR, 1, COLD, 0, 'CALL'], 60_000, 100, PRICED],
    ['SELFDESTRUCT', [COLD, 'SELFDESTRUCT'], 60_000, 5000, PRICED],
    ['SELFDESTRUCT without gas', [COLD, 'SELFDESTRUCT'], 5002, 5000, 'out of gas'],
    ['CREATE', [0, 0, 0, 'CREATE'], 60_000, 32_000, PRICED],
    ['CREATE2', [0, 64, 0, 0, 'CREATE2'], 60_000, 32_000, PRICED],
    ['CREATE beyond the limit', [49_153, 0, 0, 'CREATE'], 60_000, 32_000, PRICED],
    ['CREATE without gas', [0, 0, 0, 'CREATE'], 32_008, 32_000, 'out of gas'],
    ['CREATE out of reach', [1, HUGE, 0, 'CREATE'], 60_000, 32_000, 'gas uint64 overflow'],
    // Fails while it is executed
    ['LOG0', [64, 0, 'LOG0'], 60_000, 375 + 64 * 8 + memoryGas(2), WORKING],
    ['LOG0 without gas', [64, 0, 'LOG0'], 800, 375 + 64 * 8 + memoryGas(2), 'out of gas'],
    ['TSTORE', [1, 1, 'TSTORE'], 60_000, 100, WORKING],
    ['TSTORE without gas', [1, 1, 'TSTORE'], 105, 100, 'out of gas'],
  ] as const)('if it is %s in a static frame', async (_what, code, gas, cost, error) => {
    const callee = bytesToBigint(address(0x3333))
    const state = stateWith(assemble(0, 0, 0, 0, callee, gas, 'STATICCALL'))
    state.setAccount(address(0x3333), 1n, 0n, assemble(...code))
    const steps = await traceState(state)
    const last = steps.filter((step) => step.depth === 2).at(-1)
    expect(last).toMatchObject({ cost, error, isRefused: error !== WORKING })
  })

  test('if the initcode exceeds the limit', async () => {
    const step = await lastStep([49_153, 0, 0, 'CREATE'], 100_000, 'Osaka')
    const error = 'out of gas: max initcode size exceeded: code size 49153 limit 49152'
    expect(step).toEqual({ cost: 32_000, error, isRefused: true })
  })

  test('and shows the slot if SLOAD cannot be paid', async () => {
    const state = stateWith(assemble(1, 'SLOAD'))
    state.setStorage(CONTRACT, new Uint8Array(32).fill(1, 31), new Uint8Array(32).fill(7, 31))
    const steps = await traceState(state, {}, {}, { gas: 22_000n })
    expect(steps.at(-1)).toMatchObject({ slot: [1n, 7n], cost: 2100 })
  })
})
