import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { Authorization } from '../../../../../host/evm/chain-types/transaction.ts'
import type { TransactionInput } from '../../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { parityTracer } from '../../../../../host/evm/trace/tracers/parity-tracer.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  engineInBlock,
  SENDER,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { makeSigner, signAuthorization } from '../../../../support/peer/signer.ts'
import type { Replay, VmOp } from '../../../../support/trace/parity-forms.ts'
import { runTracer } from '../tracer-run.ts'

const OTHER = address(0x3333)
const NOBODY = address(0x4444)
const IDENTITY = address(4)
const contract = formatData(CONTRACT)

/** Returns code that calls an address with value but without input, and drops the result. */
const callOf = (to: Uint8Array, value = 0, gas = 50_000) =>
  assemble(
    0,
    0,
    0,
    0,
    value,
    to.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
    gas,
    'CALL',
    'POP',
  )

function stateOf(code: Uint8Array, other: Uint8Array = assemble(1, 'POP', 'STOP')): TestState {
  const state = stateWith(code)
  state.setAccount(OTHER, 1n, 0n, other)
  return state
}

function replay(
  code: Uint8Array,
  options: {
    readonly other?: Uint8Array
    readonly fields?: Partial<TransactionInput>
    readonly types?: readonly string[]
  } = {},
): Promise<Replay> {
  const config = options.types === undefined ? {} : { traceTypes: options.types }
  return runTracer<Replay>('parityTracer', stateOf(code, options.other), options.fields, config)
}

const opAt = ({ vmTrace }: Replay, pc: number) => vmTrace?.ops.find((op) => op.pc === pc) as VmOp
const last = ({ vmTrace }: Replay) => vmTrace?.ops.at(-1) as VmOp
const brief = ({ trace }: Replay) =>
  trace.map(({ type, traceAddress, subtraces, error }) => [type, traceAddress, subtraces, error])

describe('the trace types of parityTracer', () => {
  test('are present if requested, and otherwise null or an empty list', async () => {
    const code = assemble(7, 1, 'SSTORE')
    const all = await replay(code)
    expect(Object.keys(all).sort()).toEqual(['output', 'stateDiff', 'trace', 'vmTrace'])
    for (const type of ['trace', 'vmTrace', 'stateDiff'] as const) {
      const none = { output: '0x', trace: [], vmTrace: null, stateDiff: null }
      expect(await replay(code, { types: [type] })).toEqual({ ...none, [type]: all[type] })
      expect(await replay(code, { types: [] })).toEqual(none)
    }
  })

  test('must be trace, vmTrace or stateDiff', async () => {
    await expect(replay(assemble('STOP'), { types: ['logs'] })).rejects.toThrow(
      'traceTypes: want an array of trace, vmTrace, stateDiff',
    )
  })
})

describe('trace in parityTracer', () => {
  test('counts the gas of the root without the intrinsic gas', async () => {
    const { trace } = await replay(assemble(1, 'POP'), { fields: { gas: 30_000n } })
    expect(trace[0]).toMatchObject({
      action: { gas: '0x2328' },
      result: { gasUsed: '0x5', output: '0x' },
    })
  })

  test('omits calls to precompiles, except those with value', async () => {
    const plain = await replay(concatBytes([callOf(IDENTITY), callOf(OTHER)]))
    expect(brief(plain)).toEqual([
      ['call', [], 1, undefined],
      ['call', [0], 0, undefined],
    ])
    const paid = await replay(concatBytes([callOf(IDENTITY, 2), callOf(OTHER)]))
    expect(paid.trace.map(({ action }) => action.to)).toEqual([
      contract,
      formatData(IDENTITY),
      formatData(OTHER),
    ])
  })

  test('omits calls that never started', async () => {
    const poor = await replay(concatBytes([callOf(OTHER, 1000), callOf(OTHER)]))
    expect(brief(poor)).toEqual([
      ['call', [], 1, undefined],
      ['call', [0], 0, undefined],
    ])
  })

  test.each([
    ['INVALID', 'Bad instruction'],
    ['ADD', 'Stack underflow'],
    ['JUMP', 'Bad jump destination'],
  ])('names the failure of %s', async (opcode, error) => {
    const other = opcode === 'JUMP' ? assemble(99, opcode) : assemble(opcode)
    const result = await replay(callOf(OTHER), { other })
    expect(brief(result)[1]).toEqual(['call', [0], 0, error])
    expect(result.trace[1]).not.toHaveProperty('result')
  })

  test('names a write in a static frame and an out-of-bounds access', async () => {
    const enter = assemble(0, 0, 0, 0, 0x3333, 50_000, 'STATICCALL', 'POP')
    const write = await replay(enter, { other: assemble(1, 1, 'SSTORE') })
    // geth detects the write while it prices the opcode, and reports it as out of gas.
    expect(brief(write)[1]?.[3]).toBe('Out of gas')
    const log = await replay(enter, { other: assemble(0, 0, 'LOG0') })
    expect(brief(log)[1]?.[3]).toBe('Mutable Call In Static Context')
    const beyond = await replay(callOf(OTHER), { other: assemble(1, 0, 0, 'RETURNDATACOPY') })
    expect(brief(beyond)[1]?.[3]).toBe('Out of bounds')
  })

  test('has the output of a revert as well as its error', async () => {
    const { trace, output } = await replay(assemble(0x2a, 0, 'MSTORE', 32, 0, 'REVERT'))
    const word = `0x${'2a'.padStart(64, '0')}`
    expect(trace[0]).toMatchObject({ error: 'Reverted', result: { output: word } })
    expect(output).toBe(word)
  })
})

describe('vmTrace in parityTracer', () => {
  test('has the words that an opcode pushed, bottom first', async () => {
    const traced = await replay(assemble(1, 2, 3, 'DUP2', 'SWAP3', 'ADD', 'PC', 'POP'))
    expect(traced.vmTrace?.ops.map(({ ex }) => ex?.push)).toEqual([
      ['0x1'],
      ['0x2'],
      ['0x3'],
      ['0x2', '0x3', '0x2'],
      ['0x2', '0x2', '0x3', '0x1'],
      ['0x4'],
      ['0x9'],
      [],
    ])
  })

  test('has the memory that an opcode wrote or read, and no memory for zero bytes', async () => {
    const bytes = bigintToBytes(0xabcdn, 32)
    const code = assemble(
      bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
      0,
      'MSTORE',
    )
    const copy = assemble(2, 30, 40, 'MCOPY', 0, 0, 0, 'CODECOPY', 40, 'MLOAD')
    const { vmTrace } = await replay(concatBytes([code, copy]))
    const written = vmTrace?.ops.map(({ ex }) => ex?.mem).filter((mem) => mem !== null)
    expect(written).toEqual([
      { off: 0, data: formatData(bytes) },
      { off: 40, data: '0xabcd' },
      { off: 40, data: `0xabcd${'00'.repeat(30)}` },
    ])
  })

  test('has the code and opcodes of a call, and the returned gas', async () => {
    const other = assemble(5, 'POP')
    const traced = await replay(concatBytes([callOf(OTHER), assemble('GAS')]), { other })
    const call = traced.vmTrace?.ops.find(({ sub }) => sub !== null) as VmOp
    expect(call.sub).toMatchObject({ code: formatData(other), ops: [{ pc: 0 }, { pc: 2 }] })
    expect(call.sub?.ops).toHaveLength(2)
    expect(call.ex?.push).toEqual(['0x1'])
    expect(call.ex?.used).toBe((traced.vmTrace?.ops.at(-1)?.ex?.used ?? 0) + 4)
    // The cost includes the forwarded gas, of which all but five was returned.
    expect(call.cost).toBe(50_000 + 2_600)
    const before = traced.vmTrace?.ops.at(-4)?.ex?.used ?? 0
    expect(before - (call.ex?.used ?? 0)).toBe(2_600 + 5)
  })

  test('shows a call without code as empty, and omits one that never started', async () => {
    const empty = await replay(callOf(NOBODY))
    expect(empty.vmTrace?.ops.at(-2)?.sub).toEqual({ code: '0x', ops: [] })
    const identity = await replay(callOf(IDENTITY))
    expect(identity.vmTrace?.ops.at(-2)?.sub).toEqual({ code: '0x', ops: [] })
    const poor = await replay(callOf(OTHER, 1000))
    expect(poor.vmTrace?.ops.at(-2)?.sub).toBeNull()
    expect(poor.vmTrace?.ops.at(-2)?.ex?.push).toEqual(['0x0'])
  })

  test('counts the gas that a creation forwards, and runs its code', async () => {
    // Init code that returns one byte of code: STOP.
    const init = assemble(1, 0, 'RETURN')
    const word = BigInt(formatData(init)) << BigInt(8 * (32 - init.length))
    const create = assemble(word, 0, 'MSTORE', init.length, 0, 0, 'CREATE')
    const call = assemble('DUP1', 0, 'DUP1', 'DUP1', 'DUP1', 'DUP1', 'SWAP5', 'GAS', 'CALL', 'POP')
    const traced = await replay(concatBytes([create, call]))
    const [creation, called] = traced.vmTrace?.ops.filter(({ sub }) => sub !== null) ?? []
    expect(creation?.sub).toMatchObject({
      code: formatData(init),
      ops: [{ pc: 0 }, { pc: 2 }, { pc: 4 }],
    })
    const handed = Number(traced.trace[1]?.action.gas)
    expect(creation?.cost).toBe(handed + 32_000 + 2)
    expect(called?.sub).toMatchObject({ code: '0x00', ops: [{ pc: 0, cost: 0 }] })
  })

  test('has no code of a contract whose creation was reverted', async () => {
    // The other contract creates one and fails. Then the address of the reverted creation is called.
    const init = assemble(1, 0, 'RETURN')
    const word = BigInt(formatData(init)) << BigInt(8 * (32 - init.length))
    const create = assemble(word, 0, 'MSTORE', init.length, 0, 0, 'CREATE')
    const other = concatBytes([create, assemble(0, 'MSTORE', 32, 0, 'REVERT')])
    const calls = assemble(32, 0, 0, 0, 0, 0x3333, 200_000, 'CALL', 'POP')
    const again = assemble(0, 0, 0, 0, 0, 0, 'MLOAD', 50_000, 'CALL')
    const traced = await replay(concatBytes([calls, again]), { other })
    const subs = traced.vmTrace?.ops.flatMap(({ sub }) => (sub === null ? [] : [sub.code])) ?? []
    expect(subs).toEqual([formatData(other), '0x'])
  })

  test('has no result for an opcode that failed', async () => {
    const beyond = await replay(assemble(1, 0, 0, 'RETURNDATACOPY'))
    expect(last(beyond)).toMatchObject({ pc: 6, ex: null, sub: null })
    const poor = await replay(assemble(0, 0, 'SSTORE'), { fields: { gas: 21_100n } })
    expect(last(poor)).toMatchObject({ pc: 4, ex: null })
    const reverted = await replay(assemble(0, 0, 'REVERT'))
    expect(last(reverted)).toMatchObject({ pc: 4, ex: { push: [], mem: null } })
    expect(opAt(reverted, 4).cost).toBe(0)
  })

  test('runs the code that an authorization of the same transaction sets (EIP-7702)', async () => {
    const signer = makeSigner(0xa0n)
    const authority = bigintToBytes(signer.address, 20)
    const chainId = BLOCK.chainId
    const signed: Authorization = signAuthorization(signer, { chainId, address: OTHER, nonce: 0n })
    const other = assemble(5, 'POP')
    const run = (authorizations: readonly Authorization[], code: Uint8Array = new Uint8Array()) => {
      const state = stateOf(assemble('STOP'), other)
      state.setAccount(authority, 0n, 0n, code)
      state.setAccount(NOBODY, 1n, 0n, assemble(6, 'POP'))
      const fields = { type: 4 as const, to: authority, authorizations, gas: 200_000n }
      return runTracer<Replay>('parityTracer', state, fields)
    }
    const designator = concatBytes([Uint8Array.of(0xef, 1, 0), NOBODY])
    for (const code of [new Uint8Array(), designator]) {
      const { vmTrace } = await run([signed], code)
      expect(vmTrace).toMatchObject({ code: formatData(other), ops: [{ pc: 0 }, { pc: 2 }] })
    }
    // An invalid authorization: the account keeps its code.
    const stale = signAuthorization(signer, { chainId, address: OTHER, nonce: 9n })
    const { vmTrace } = await run([stale], designator)
    expect(vmTrace?.code).toBe(formatData(assemble(6, 'POP')))
  })
})

describe('stateDiff in parityTracer', () => {
  const ZERO = `0x${'0'.repeat(64)}`
  const word = (value: number) => formatData(bigintToBytes(BigInt(value), 32))

  test('marks slots of an existing account as changed and omits equal values', async () => {
    const state = stateOf(assemble(7, 1, 'SSTORE', 0, 2, 'SSTORE', 8, 3, 'SSTORE', 4, 'SLOAD'))
    state.setStorage(CONTRACT, bigintToBytes(2n, 32), bigintToBytes(5n, 32))
    state.setStorage(CONTRACT, bigintToBytes(3n, 32), bigintToBytes(8n, 32))
    const { stateDiff } = await runTracer<Replay>('parityTracer', state)
    expect(stateDiff?.[contract]).toEqual({
      balance: '=',
      code: '=',
      nonce: '=',
      storage: {
        [word(1)]: { '*': { from: ZERO, to: word(7) } },
        [word(2)]: { '*': { from: word(5), to: ZERO } },
      },
    })
    expect(Object.keys(stateDiff ?? {})).toEqual([formatData(SENDER), contract].sort())
  })

  test('shows a new account in full, and omits one that was only touched', async () => {
    const born = await replay(concatBytes([callOf(NOBODY, 3), callOf(address(0x5555))]))
    expect(born.stateDiff?.[formatData(NOBODY)]).toEqual({
      balance: { '+': '0x3' },
      code: { '+': '0x' },
      nonce: { '+': '0x0' },
      storage: {},
    })
    expect(born.stateDiff).not.toHaveProperty(formatData(address(0x5555)))
  })

  test('omits reverted changes', async () => {
    const { stateDiff } = await replay(concatBytes([callOf(NOBODY, 3), assemble(0, 0, 'REVERT')]))
    expect(Object.keys(stateDiff ?? {})).toEqual([formatData(SENDER)])
  })
})

describe('the limits of parityTracer', () => {
  test.each([
    ['vmTrace', 'the steps take more than 100 bytes ([evm] max_trace_struct_log_bytes)'],
    ['trace', 'the calls take more than 100 bytes ([evm] max_trace_kept_bytes)'],
    ['stateDiff', 'the accounts take more than 100 bytes ([evm] max_trace_kept_bytes)'],
  ])('are named in the error if %s exceeds one', async (type, text) => {
    const state = stateOf(assemble(1, 'POP', 2, 'POP'))
    const engine = await engineInBlock()
    const input = transaction()
    const tracer = parityTracer({
      message: { input, env: BLOCK, gasPrice: 7n },
      config: { traceTypes: [type] },
      limits: { structLogBytes: 100, keptBytes: 100 },
      view: state,
      writer: new ChunkedJsonWriter(() => {}),
    })
    const run = engine.transact(input, { trace: tracer.sink })
    expect(() => answerFrom(run, state)).toThrow(text)
  })
})
