import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  COINBASE,
  CONTRACT,
  SENDER,
  stateWith,
} from '../../../../support/engine/engine-fixture.ts'
import { traceScript } from './script-trace.ts'

const CALLEE = address(0x3333)
const CALLEE_WORD = bytesToBigint(CALLEE)
const hex = formatData

/** Returns a state in which CONTRACT calls CALLEE by an opcode with or without a value. */
function calling(
  name: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL',
  callee: Uint8Array,
  value = 0,
) {
  const operands = name === 'CALL' || name === 'CALLCODE' ? [0, 0, 2, 30, value] : [0, 0, 2, 30]
  const caller = assemble(0xbeef, 0, 'MSTORE', ...operands, CALLEE_WORD, 50_000, name)
  const state = stateWith(caller)
  state.setAccount(CALLEE, 1n, 0n, callee)
  return state
}

describe('a script that counts opcodes', () => {
  test('returns the counts and the gas', async () => {
    const source = `{
      opcodes: {},
      totalGas: 0,
      step: function(log, db) {
        var op = log.op.toString();
        this.opcodes[op] = (this.opcodes[op] || 0) + 1;
        this.totalGas += log.getCost();
      },
      fault: function(log, db) {},
      result: function(ctx, db) {
        return { opcodes: this.opcodes, totalGas: this.totalGas, gasUsed: ctx.gasUsed };
      }
    }`
    const { result, outcome, reruns } = await traceScript(
      assemble(1, 2, 'ADD', 3, 'SSTORE'),
      source,
    )
    expect(result).toEqual({
      opcodes: { PUSH1: 3, ADD: 1, SSTORE: 1, STOP: 1 },
      totalGas: 3 + 3 + 3 + 3 + 22_100,
      gasUsed: Number(outcome.gasUsed),
    })
    expect(reruns).toBe(0)
  })

  test('needs no fault function', async () => {
    const { result } = await traceScript(assemble(1), '{ result: function() { return "ok" } }')
    expect(result).toBe('ok')
  })
})

describe('the steps of a script', () => {
  test('have the stack and the memory before the opcode, frame by frame', async () => {
    const callee = assemble(0xaa, 0, 'MSTORE8', 'MSIZE', 'POP')
    const source = `{
      seen: [],
      step: function(log) {
        this.seen.push([log.getDepth(), log.op.toString(), log.stack.length(), log.memory.length(),
          log.memory.length() ? toHex(log.memory.slice(0, 32)) : '']);
      },
      result: function() { return this.seen },
    }`
    const { result, reruns } = await traceScript(calling('CALL', callee), source)
    const seen = result as [number, string, number, number, string][]
    expect(seen.find(([, name]) => name === 'CALL')).toEqual([
      1,
      'CALL',
      7,
      32,
      `0x${'beef'.padStart(64, '0')}`,
    ])
    expect(seen.filter(([depth]) => depth === 2)).toEqual([
      [2, 'PUSH1', 0, 0, ''],
      [2, 'PUSH1', 1, 0, ''],
      [2, 'MSTORE8', 2, 0, ''],
      [2, 'MSIZE', 0, 32, `0xaa${'00'.repeat(31)}`],
      [2, 'POP', 1, 32, `0xaa${'00'.repeat(31)}`],
      [2, 'STOP', 0, 32, `0xaa${'00'.repeat(31)}`],
    ])
    expect(seen.at(-1)).toEqual([1, 'STOP', 1, 32, `0x${'beef'.padStart(64, '0')}`])
    expect(reruns).toBe(0)
  })

  test('are recorded again with the fields that the script turns out to read', async () => {
    const source = `{
      tops: [],
      step: function(log) {
        if (log.op.toNumber() !== 0x55) return;
        this.tops.push(log['sta' + 'ck'].peek(0), log['mem' + 'ory'].getUint(0), log['mem' + 'ory'].length());
      },
      result: function() { return this.tops },
    }`
    const code = assemble(9, 0, 'MSTORE', 5, 6, 'SSTORE')
    const { result, reruns } = await traceScript(code, source)
    expect(result).toEqual(['6', '9', 32])
    expect(reruns).toBe(2)
  })

  test.each([
    ['CALL', { caller: CONTRACT, address: CALLEE, value: '4' }],
    ['CALLCODE', { caller: CONTRACT, address: CONTRACT, value: '4' }],
    ['DELEGATECALL', { caller: SENDER, address: CONTRACT, value: '3' }],
    ['STATICCALL', { caller: CONTRACT, address: CALLEE, value: '0' }],
  ] as const)('have the right contract under %s', async (name, expected) => {
    const source = `{
      seen: null,
      step: function(log) {
        if (log.getDepth() !== 2 || this.seen) return;
        var c = log.contract;
        this.seen = { caller: toHex(c.getCaller()), address: toHex(c.getAddress()), value: c.getValue(), input: toHex(c.getInput()) };
      },
      result: function() { return this.seen },
    }`
    const { result } = await traceScript(calling(name, assemble(1), 4), source, {
      fields: { value: 3n },
    })
    expect(result).toEqual({
      caller: hex(expected.caller),
      address: hex(expected.address),
      value: expected.value,
      input: '0xbeef',
    })
  })

  test('have no input in a creation', async () => {
    const source = `{
      step: function(log) { this.seen = [toHex(log.contract.getAddress()), toHex(log.contract.getInput())] },
      result: function(ctx) { return [ctx.type, this.seen, toHex(ctx.to), toHex(ctx.input)] },
    }`
    const code = assemble(0, 0, 'RETURN')
    const { result, outcome } = await traceScript(stateWith(new Uint8Array()), source, {
      fields: { to: undefined, data: code },
    })
    const created = hex(outcome.createdAddress as Uint8Array)
    expect(result).toEqual(['CREATE', [created, '0x'], created, hex(code)])
  })

  test('are not recorded without a step function, at full speed', async () => {
    const source = `{ enter: function() {}, exit: function() {}, result: function() { return 1 } }`
    expect(await traceScript(assemble(1), source)).toMatchObject({ result: 1, hasSteps: false })
  })
})

describe('a failure in a script', () => {
  const source = `{
    seen: [],
    step: function(log) { if (log.getError() !== undefined) this.seen.push(['step', log.op.toString(), log.getError()]) },
    fault: function(log) { this.seen.push(['fault', log.op.toString(), log.getError(), log.getDepth(), log.stack.length()]) },
    result: function(ctx) { return { seen: this.seen, error: ctx.error, output: toHex(ctx.output) } },
  }`

  test.each([
    ['a revert', assemble(0, 0, 'REVERT'), ['fault', 'REVERT', 'execution reverted', 1, 2]],
    ['a jump', assemble(5, 'JUMP'), ['fault', 'JUMP', 'invalid jump destination', 1, 1]],
    [
      'no opcode',
      Uint8Array.of(0x21),
      ['fault', 'opcode 0x21 not defined', 'invalid opcode: opcode 0x21 not defined', 1, 0],
    ],
    ['the stack', assemble('POP'), ['step', 'POP', 'stack underflow (0 <=> 1)']],
    ['gas', assemble(0, 2n ** 60n, 'MSTORE'), ['step', 'MSTORE', expect.stringMatching('gas')]],
  ])(
    'at %s is a fault after the opcode started, and before that a step with an error',
    async (_name, code, expected) => {
      const { result } = await traceScript(code, source)
      expect(result).toMatchObject({ seen: [expected], error: (expected as string[])[2] })
    },
  )

  test('is reported to a script without a step function, with only the error', async () => {
    const { result } = await traceScript(
      calling('CALL', assemble(0, 0, 'REVERT')),
      `{ seen: [], fault: function(log) { this.seen.push(log.getError(), log.getPC(), log.stack.length()) }, result: function() { return this.seen } }`,
    )
    expect(result).toEqual(['execution reverted', 0, 0])
  })
})

describe('the frames of a script', () => {
  const source = `{
    seen: [],
    enter: function(f) {
      this.seen.push([f.getType(), toHex(f.getFrom()), toHex(f.getTo()), toHex(f.getInput()), f.getGas(), f.getValue()]);
    },
    exit: function(r) { this.seen.push([r.getGasUsed(), toHex(r.getOutput()), r.getError()]) },
    result: function() { return this.seen },
  }`

  test('trigger enter and exit, except for the outermost frame', async () => {
    const callee = assemble(7, 0, 'MSTORE', 32, 0, 'REVERT')
    const { result } = await traceScript(calling('CALL', callee, 5), source, {
      fields: { value: 9n },
    })
    expect(result).toEqual([
      ['CALL', hex(CONTRACT), hex(CALLEE), '0xbeef', 52_300, '5'],
      [18, `0x${'7'.padStart(64, '0')}`, 'execution reverted'],
    ])
  })

  test('have no value under STATICCALL', async () => {
    const { result } = await traceScript(calling('STATICCALL', assemble(1)), source)
    expect(result).toEqual([
      ['STATICCALL', hex(CONTRACT), hex(CALLEE), '0xbeef', 50_000, null],
      [3, '0x', null],
    ])
  })
})

describe('the db of a script during a run', () => {
  test('shows the state just before the step, for which the message runs once more', async () => {
    const source = `{
      seen: [],
      step: function(log, db) {
        if (log.op.toString() !== 'SSTORE') return;
        var self = log.contract.getAddress();
        this.seen.push([toHex(db.getState(self, toWord('0x6'))).slice(-2), db.getBalance(self).toString(), db.getNonce(self)]);
      },
      result: function(ctx, db) {
        this.seen.push([toHex(db.getState(ctx.to, toWord('0x6'))).slice(-2), db.getBalance(ctx.to).toString(), db.getNonce(ctx.from)]);
        return this.seen;
      },
    }`
    const state = stateWith(assemble(1, 6, 'SSTORE', 2, 6, 'SSTORE'))
    state.setStorage(CONTRACT, bigintToBytes(6n, 32), bigintToBytes(9n, 32))
    const { result, reruns } = await traceScript(state, source, { fields: { value: 3n } })
    expect(result).toEqual([
      ['09', '8', 1],
      ['01', '8', 1],
      ['02', '8', 1],
    ])
    expect(reruns).toBe(1)
  })

  test('returns state that the transaction has not touched', async () => {
    const source = `{
      step: function(log, db) { this.seen = [db.exists(toAddress('0x3333')), db.exists([9, 9]), toHex(db.getCode(toAddress('0x3333'))), db.getNonce([9, 9])] },
      result: function(ctx, db) { return [this.seen, toHex(db.getCode(toAddress('0x3333'))), db.getBalance([9, 9])] },
    }`
    const state = stateWith(assemble(1))
    state.setAccount(CALLEE, 1n, 0n, Uint8Array.of(0x5b, 0x00))
    const { result } = await traceScript(state, source)
    expect(result).toEqual([[true, false, '0x5b00', 0], '0x5b00', '0'])
  })

  test('is available in result without another run', async () => {
    const { result, reruns, outcome } = await traceScript(
      stateWith(new Uint8Array()),
      '{ result: function(ctx, db) { return [db.getBalance(ctx.from), db.getNonce(ctx.from)] } }',
    )
    expect(result).toEqual([`${10n ** 24n - 7n * outcome.gasUsed}`, 1])
    expect(reruns).toBe(0)
  })

  test('gives the same result in another run', async () => {
    const source = `{
      n: 0,
      step: function(log, db) { this.n++; if (this.n === 3) this.at = [log.getPC(), db.getNonce(log.contract.getAddress())] },
      result: function() { return [this.n, this.at] },
    }`
    const { result, reruns } = await traceScript(assemble(1, 2, 'ADD', 'POP'), source)
    expect(result).toEqual([5, [4, 1]])
    expect(reruns).toBe(1)
  })

  test.each([
    [
      'log in result',
      'step: function(log) { this.log = log }, result: function() { return this.log.stack.peek(0) }',
      'log',
    ],
    [
      'db in exit',
      'step: function(log, db) { this.db = db }, enter: function() {}, exit: function() { this.db.getNonce([1]) }, result: function() {}',
      'db',
    ],
  ])('is refused if it was stored for later use: %s', async (_name, members, what) => {
    const state = calling('CALL', assemble(1))
    await expect(traceScript(state, `{ ${members} }`)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringContaining(`${what} of the tracer can be read in`),
    })
  })
})

describe('the context of a script', () => {
  const source = `{ result: function(ctx) {
    var shown = {};
    for (var name in ctx) shown[name] = ctx[name] instanceof Uint8Array ? toHex(ctx[name]) : ctx[name];
    return shown;
  } }`

  test('has the transaction and its index', async () => {
    const code = assemble(5, 0, 'MSTORE', 32, 0, 'RETURN')
    const fields = { data: Uint8Array.of(1, 2), value: 2n, gas: 100_000n }
    const env = { baseFee: 2n }
    const { result, outcome } = await traceScript(code, source, { fields, env })
    expect(result).toEqual({
      type: 'CALL',
      from: hex(SENDER),
      to: hex(CONTRACT),
      input: '0x0102',
      gas: 100_000,
      gasUsed: Number(outcome.gasUsed),
      // The tip: the payment beyond the base fee
      gasPrice: '5',
      value: '2',
      block: 1000,
      coinbase: hex(COINBASE),
      output: `0x${'5'.padStart(64, '0')}`,
      blockHash: `0x${'01'.repeat(32)}`,
      txIndex: 3,
      txHash: `0x${'02'.repeat(32)}`,
    })
  })

  test('has no index for a simulated call', async () => {
    const { result } = await traceScript(assemble(1), source, { isInBlock: false })
    expect(result).not.toHaveProperty('blockHash')
    expect(result).not.toHaveProperty('txIndex')
    expect(result).not.toHaveProperty('txHash')
  })
})

describe('a script', () => {
  test('receives its configuration in setup', async () => {
    const source =
      '{ setup: function(c) { this.c = JSON.parse(c) }, result: function() { return this.c } }'
    const { result } = await traceScript(assemble(1), source, { config: { deep: [1, 'two'] } })
    expect(result).toEqual({ deep: [1, 'two'] })
  })

  test('computes addresses and recognizes the precompiles of the revision', async () => {
    const source = `{ result: function() { return [
      toHex(toContract('0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0', 1)),
      toHex(toContract2('0xdeadbeef00000000000000000000000000000000', '0x000000000000000000000000feed000000000000000000000000000000000000', '0x00')),
      isPrecompiled([9]), isPrecompiled([17]), isPrecompiled([1, 0]), isPrecompiled([0]),
    ] } }`
    const known = [
      '0x343c43a37d37dff08ae8c4a11544c718abb4fcf8',
      '0xd04116cdd17bebe565eb2422f2497e06cc1c9833',
    ]
    const at = async (revision: 'Istanbul' | 'Osaka') =>
      (
        await traceScript(assemble(1), source, {
          env: { revision },
          fields: revision === 'Istanbul' ? { type: 0 } : {},
        })
      ).result
    expect(await at('Osaka')).toEqual([...known, true, true, true, false])
    expect(await at('Istanbul')).toEqual([...known, true, false, false, false])
  })

  test('ends the run at the step where it throws', async () => {
    const source = `{ step: function(log) { if (log.getPC() === 2) throw new Error('enough') }, result: function() {} }`
    await expect(traceScript(assemble(1, 2), source)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringMatching(
        /^Error: enough at step .* {4}in server-side tracer function 'step'$/,
      ),
    })
  })
})
