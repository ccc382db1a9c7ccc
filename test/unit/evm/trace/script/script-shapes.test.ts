import { describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import { address, stateWith } from '../../../../support/engine/engine-fixture.ts'
import { traceScript } from './script-trace.ts'

// Tracers with the output of geth's published ones, reimplemented from what they report.

const CALLEE = address(0x3333)
const LOOP = assemble(2, 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 2, 'JUMPI')

function gramTracer(length: number): string {
  return `{
    counts: {}, last: [], depth: 0,
    step: function(log, db) {
      var name = log.op.toString();
      if (log.getDepth() !== this.depth) { this.last = []; this.depth = log.getDepth(); }
      this.last.push(name);
      if (this.last.length > ${length}) this.last.shift();
      if (this.last.length < ${length}) return;
      var gram = this.last.join('-');
      this.counts[gram] = (this.counts[gram] || 0) + 1;
    },
    fault: function(log, db) {},
    result: function(ctx, db) { return this.counts },
  }`
}

describe("tracers that report what geth's published tracers report", () => {
  test('count opcodes', async () => {
    const source = `{ count: 0, step: function(log, db) { this.count++ }, fault: function(log, db) {}, result: function(ctx, db) { return this.count } }`
    expect((await traceScript(LOOP, source)).result).toBe(1 + 2 * 7 + 1)
  })

  test('may record nothing', async () => {
    const source =
      '{ step: function(log, db) {}, fault: function(log, db) {}, result: function(ctx, db) { return {} } }'
    expect((await traceScript(LOOP, source)).result).toEqual({})
  })

  test('count single opcodes, pairs and triples', async () => {
    const gram = async (length: number) => (await traceScript(LOOP, gramTracer(length))).result
    expect(await gram(1)).toEqual({
      PUSH1: 1 + 2 * 2,
      JUMPDEST: 2,
      SWAP1: 2,
      SUB: 2,
      DUP1: 2,
      JUMPI: 2,
      STOP: 1,
    })
    expect(await gram(2)).toMatchObject({
      'PUSH1-JUMPDEST': 1,
      'JUMPI-JUMPDEST': 1,
      'JUMPI-STOP': 1,
    })
    expect(await gram(3)).toMatchObject({ 'DUP1-PUSH1-JUMPI': 2, 'PUSH1-JUMPI-STOP': 1 })
  })

  test('count selectors with the size of their arguments', async () => {
    const source = `{
      ids: {},
      store: function(id, size) { var key = toHex(id) + '-' + size; this.ids[key] = this.ids[key] + 1 || 1 },
      step: function(log, db) {
        var first = { CALL: 3, CALLCODE: 3, DELEGATECALL: 2, STATICCALL: 2 }[log.op.toString()];
        if (!first || isPrecompiled(toAddress(log.stack.peek(1).toString(16)))) return;
        var size = log.stack.peek(first + 1).valueOf();
        var from = log.stack.peek(first).valueOf();
        if (size >= 4) this.store(log.memory.slice(from, from + 4), size - 4);
      },
      fault: function(log, db) {},
      result: function(ctx) {
        if (ctx.input.length >= 4) this.store(slice(ctx.input, 0, 4), ctx.input.length - 4);
        return this.ids;
      },
    }`
    const call = (to: bigint) => [0, 0, 36, 28, 0, to, 50_000, 'CALL', 'POP'] as const
    const code = assemble(0xdeadbeefn, 0, 'MSTORE', ...call(bytesToBigint(CALLEE)), ...call(4n))
    const fields = { data: Uint8Array.of(0xaa, 0xbb, 0xcc, 0xdd, 1) }
    expect((await traceScript(code, source, { fields })).result).toEqual({
      '0xdeadbeef-32': 1,
      '0xaabbccdd-1': 1,
    })
  })

  test('record the results of opcodes, with nested frames', async () => {
    const source = `{
      stack: [{ ops: [] }],
      step: function(log, db) {
        var frame = this.stack[this.stack.length - 1];
        if (log.getError()) { frame.error = log.getError(); return; }
        if (log.getDepth() !== this.stack.length) { this.stack = this.stack.slice(0, log.getDepth()); return; }
        op = { op: log.op.toNumber(), depth: log.getDepth(), left: null };
        if (log.op.isPush()) op.len = log.op.toNumber() - 0x5e;
        var before = frame.ops[frame.ops.length - 1];
        if (before && log.stack.length()) before.left = log.stack.peek(0).toString(16);
        if (log.op.toString() === 'CALL') {
          var from = log.stack.peek(3).valueOf();
          op.gas = log.stack.peek(0).valueOf();
          op.input = toHex(log.memory.slice(from, from + log.stack.peek(4).valueOf()));
          op.ops = [];
          this.stack.push(op);
        }
        if (log.op.toString() === 'RETURN') frame.output = toHex(log.memory.slice(log.stack.peek(0), log.stack.peek(0).add(log.stack.peek(1))));
        frame.ops.push(op);
      },
      fault: function(log, db) {},
      result: function() { return this.stack[0].ops },
    }`
    const callee = assemble(0xff, 0, 'MSTORE8', 2, 0, 'RETURN')
    const state = stateWith(assemble(0, 0, 2, 0, 0, bytesToBigint(CALLEE), 60_000, 'CALL'))
    state.setAccount(CALLEE, 1n, 0n, callee)
    const ops = (await traceScript(state, source)).result as { op: number; ops?: unknown[] }[]
    expect(ops.map(({ op }) => op)).toEqual([0x60, 0x60, 0x60, 0x60, 0x60, 0x61, 0x61, 0xf1])
    expect(ops.at(-1)).toMatchObject({
      gas: 60_000,
      input: '0x0000',
      output: '0xff00',
      ops: [
        { op: 0x60, depth: 2, len: 2, left: 'ff' },
        { op: 0x60, depth: 2, len: 2, left: '0' },
        { op: 0x53, depth: 2, left: null },
        { op: 0x60, depth: 2, len: 2, left: '2' },
        { op: 0x60, depth: 2, len: 2, left: '0' },
        { op: 0xf3, depth: 2, left: null },
      ],
    })
  })

  test('list frames with enter and exit', async () => {
    const source = `{
      calls: [{}],
      enter: function(f) { this.calls.push({ type: f.getType(), to: toHex(f.getTo()), gas: f.getGas() }) },
      exit: function(r) {
        var call = this.calls.pop();
        call.gasUsed = r.getGasUsed();
        call.error = r.getError();
        var parent = this.calls[this.calls.length - 1];
        (parent.calls = parent.calls || []).push(call);
      },
      fault: function() {},
      result: function() { return this.calls[0].calls },
    }`
    const call = (to: bigint) => [0, 0, 0, 0, 0, to, 30_000, 'CALL', 'POP'] as const
    const state = stateWith(assemble(...call(bytesToBigint(CALLEE)), ...call(2n)))
    state.setAccount(CALLEE, 1n, 0n, assemble(...call(4n), 'INVALID'))
    const { result, hasSteps } = await traceScript(state, source)
    expect(result).toEqual([
      {
        type: 'CALL',
        to: formatData(CALLEE),
        gas: 30_000,
        gasUsed: 30_000,
        error: 'invalid opcode: INVALID',
        calls: [{ type: 'CALL', to: formatData(address(4)), gas: expect.any(Number), gasUsed: 15 }],
      },
      { type: 'CALL', to: formatData(address(2)), gas: 30_000, gasUsed: 60 },
    ])
    expect(hasSteps).toBe(false)
  })
})
