import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { address, stateWith } from '../../../support/engine/engine-fixture.ts'
import { runTracer } from './tracer-run.ts'

const CALLEE = address(0x3333)
const ABSENT = 0x4444
const word = (value: bigint): string => formatData(bigintToBytes(value, 32))

/** Makes a static call of `code` with `gas`, between two reads of slot 1 of the caller. */
function staticCallOf(code: Uint8Array, gas = 60_000) {
  const call = [0, 0, 0, 0, bytesToBigint(CALLEE), gas, 'STATICCALL', 'POP']
  const state = stateWith(assemble(1, 'SLOAD', 'POP', ...call, 1, 'SLOAD', 'STOP'))
  state.setAccount(CALLEE, 1n, 0n, code)
  return state
}

interface Frame {
  readonly error?: string
  readonly outOfGas?: boolean
  readonly contractSize?: object
  readonly keccak?: readonly string[]
  readonly calls?: readonly Frame[]
}

interface Step {
  readonly op: string
  readonly depth: number
  readonly error?: string
  readonly storage?: Readonly<Record<string, string>>
}

describe('a step that fails while its gas is computed', () => {
  test('shows no storage and does not affect later steps', async () => {
    const state = stateWith(
      assemble(
        bytesToBigint(CALLEE),
        0,
        0,
        0,
        0,
        'DUP5',
        3000,
        'DELEGATECALL',
        2,
        1,
        'SSTORE',
        'STOP',
      ),
    )
    state.setAccount(CALLEE, 1n, 0n, assemble(9, 3, 'SSTORE', 'STOP'))
    const { structLogs } = await runTracer<{ structLogs: Step[] }>('opcodeTracer', state)
    const stores = structLogs.filter(({ op }) => op === 'SSTORE')
    expect(stores.map(({ depth, error }) => [depth, error])).toEqual([
      [2, 'out of gas'],
      [1, undefined],
    ])
    expect(stores[0]).not.toHaveProperty('storage')
    expect(stores[1]?.storage).toEqual({ [word(1n)]: word(2n) })
  })

  test("of a static frame is out of gas for Parity's names and for ERC-7562", async () => {
    const state = staticCallOf(assemble(5, 1, 'SSTORE'))
    const error = 'out of gas: write protection'
    expect(await runTracer<Frame>('callTracer', state)).toMatchObject({ calls: [{ error }] })
    const config = { convertParityErrors: true }
    const flat = await runTracer<Frame[]>('flatCallTracer', state, {}, config)
    expect(flat[1]?.error).toBe('Out of gas')
    const seen = await runTracer<Frame>('erc7562Tracer', state)
    expect(seen).toMatchObject({ outOfGas: false, calls: [{ error, outOfGas: true }] })
  })

  test('may be a CREATE without a frame of its own', async () => {
    const frame = await runTracer<Frame>('callTracer', staticCallOf(assemble(0, 0, 0, 'CREATE')))
    expect(frame.calls?.[0]).toMatchObject({ error: 'out of gas: write protection' })
    expect(frame.calls?.[0]).not.toHaveProperty('calls')
  })

  test('has the memory size before the failure', async () => {
    // Too little gas for a cold address
    const code = assemble(0, 0, 0, 0, 0, 0x5555, 0, 'CALL')
    const state = staticCallOf(code, 1000)
    state.setAccount(address(0x5555), 1n, 0n, new Uint8Array(77))
    const { calls } = await runTracer<Frame>('erc7562Tracer', state)
    expect(calls?.[0]?.contractSize).toEqual({
      [formatData(address(0x5555))]: { contractSize: 77, opcode: 0xf1 },
    })
    const absent = staticCallOf(assemble(ABSENT, 'EXTCODESIZE'), 50)
    const seen = await runTracer<Frame>('erc7562Tracer', absent)
    expect(seen.calls?.[0]?.contractSize).toEqual({
      [formatData(address(ABSENT))]: { contractSize: 0, opcode: 0x3b },
    })
  })

  test('may be a hash whose range geth computes in 64 bits', async () => {
    const state = staticCallOf(assemble(1n << 200n, 0, 'KECCAK256'))
    expect((await runTracer<Frame>('erc7562Tracer', state)).keccak).toEqual(['0x'])
  })
})

describe('a revert', () => {
  test('with an empty reason string has no reason', async () => {
    const state = stateWith(
      assemble(0x08c379a0n << 224n, 0, 'MSTORE', 32, 4, 'MSTORE', 0, 36, 'MSTORE', 68, 0, 'REVERT'),
    )
    const frame = await runTracer<Frame>('callTracer', state)
    expect(frame.error).toBe('execution reverted')
    expect(frame).not.toHaveProperty('revertReason')
  })
})
