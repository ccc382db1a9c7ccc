import { describe, expect, test } from 'vitest'
import { hexDigits, parseData } from '../../../../../host/base/hex.ts'
import type { Operands, ScriptAnswer } from '../../../../../host/evm/trace/script/exchange.ts'
import { address } from '../../../../support/engine/engine-fixture.ts'
import { evaluateScript, evaluateStep, runScript, stepOn } from '../script-run.ts'

const A = address(0xabc)
const WORD = 2n ** 255n + 0xffn

describe('a script tracer', () => {
  test('is the object to which its source evaluates, with or without a trailing comment', async () => {
    expect(await runScript('{ result: function() { return "ok" } } // end')).toBe('ok')
    expect(await runScript('new (class { result() { return 1 } })')).toBe(1)
  })

  test('keeps its state in `this` across functions', async () => {
    const source = `{
      seen: [],
      setup: function(config) { this.seen.push(config) },
      step: function(log) { this.seen.push(log.getPC()) },
      fault: function(log) { this.seen.push(log.getError()) },
      result: function() { return this.seen },
    }`
    const steps = [stepOn([], { pc: 4 }), stepOn([], { pc: 6, error: 'out of gas' })]
    const answers = { error: () => 'out of gas' }
    expect(await runScript(source, { steps, answers, config: '{"a":1}' })).toEqual([
      '{"a":1}',
      4,
      'out of gas',
    ])
  })

  test.each([
    ['nothing', '{}', 'trace object must expose a function result()'],
    ['a number', '5', 'trace object must expose a function result()'],
    ['null', 'null', 'trace object must expose a function result()'],
    [
      'a result that is no function',
      '{ result: 1 }',
      'trace object must expose a function result()',
    ],
    [
      'enter without exit',
      '{ enter: function() {}, result: function() {} }',
      'trace object must expose either both or none of enter() and exit()',
    ],
    [
      'exit without enter',
      '{ exit: function() {}, result: function() {} }',
      'trace object must expose either both or none of enter() and exit()',
    ],
    ['half an object', '{ result: function() {}', "SyntaxError: expecting '}' at <eval>:2:1"],
    [
      'a setup that throws',
      '{ setup: function() { throw new TypeError("no") }, result: function() {} }',
      'TypeError: no at setup (<eval>:1:43)',
    ],
  ])('is refused if it is %s', async (_name, source, message) => {
    await expect(runScript(source)).rejects.toMatchObject({ code: 'EXECUTION_FAILED', message })
  })

  test('keeps its functions from the time it was opened, as in geth', async () => {
    const source = `{
      n: 0,
      step: function() { this.n++; this.step = function() { throw 1 } },
      result: function() { return this.n },
    }`
    expect(await runScript(source, { steps: [stepOn(), stepOn()] })).toBe(2)
  })
})

describe('an exception in a script', () => {
  test.each([
    ['throw new Error("boom")', 'Error: boom at result (<eval>:1:47)'],
    ['null.x', "TypeError: cannot read property 'x' of null at result (<eval>:1:36)"],
    ['throw "text"', 'text'],
    ['throw null', 'null'],
    ['throw Symbol("s")', 'Symbol(s)'],
    ['throw { toString: function() { throw 1 } }', 'an exception that has no text'],
    ['throw { get message() { throw 1 } }', '[object Object]'],
    ['throw { get stack() { throw 1 }, toString: () => "odd" }', 'odd'],
  ])('ends the trace with message, position and function: %s', async (body, message) => {
    await expect(evaluateScript(body)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: `${message}    in server-side tracer function 'result'`,
    })
  })

  test('reports the function that threw it', async () => {
    await expect(evaluateStep('throw "x"')).rejects.toThrow("in server-side tracer function 'step'")
  })
})

describe('the log object of a script', () => {
  test('has the fields of the step', async () => {
    const fields = {
      opcode: 0x55,
      depth: 3,
      pc: 70_000,
      gas: 2 ** 40 + 5,
      cost: 20_000,
      refund: 4800,
    }
    const body = `this.x = [log.op.toNumber(), log.op.toString(), '' + log.op, log.op.isPush(),
      log.getDepth(), log.getPC(), log.getGas(), log.getCost(), log.getRefund(), log.getError()]`
    expect(await evaluateStep(body, stepOn([], fields))).toEqual([
      0x55,
      'SSTORE',
      'SSTORE',
      false,
      3,
      70_000,
      2 ** 40 + 5,
      20_000,
      4800,
      null,
    ])
  })

  test.each([
    [0x5f, 'PUSH0', true],
    [0x7f, 'PUSH32', true],
    [0x80, 'DUP1', false],
    [0x21, 'opcode 0x21 not defined', false],
  ])('names opcode %i', async (opcode, name, isPush) => {
    const body = 'this.x = [log.op.toString(), log.op.isPush()]'
    expect(await evaluateStep(body, stepOn([], { opcode }))).toEqual([name, isPush])
  })

  test('indexes the stack from its top', async () => {
    const body = `this.x = [log.stack.length(), log.stack.peek(0).toString(16), log.stack.peek(2),
      log.stack.peek(1).valueOf(), typeof log.stack.peek(0).add]`
    expect(await evaluateStep(body, stepOn([7n, 8n, WORD]))).toEqual([
      3,
      WORD.toString(16),
      '7',
      8,
      'function',
    ])
  })

  test('reads each step again, including words below the copied ones', async () => {
    const source = `{
      sums: [],
      step: function(log) {
        for (var i = 0, sum = bigInt(0); i < log.stack.length(); i++) sum = sum.add(log.stack.peek(i));
        this.sums.push(sum)
      },
      result: function() { return this.sums },
    }`
    const stacks = [[1n, 2n], Array.from({ length: 1024 }, (_, i) => BigInt(i)), [WORD], [5n]]
    const steps = stacks.map((stack) => stepOn(stack))
    expect(await runScript(source, { steps })).toEqual(['3', '523776', `${WORD}`, '5'])
  })

  test.each([
    ['log.stack.peek(-1)', 'tracer accessed out of bound stack: size 1, index -1'],
    ['log.stack.peek(1)', 'tracer accessed out of bound stack: size 1, index 1'],
    ['log.memory.slice(-1, -2)', 'tracer accessed out of bound memory: offset -1, end -2'],
    ['log.memory.slice(2, 1)', 'tracer accessed out of bound memory: offset 2, end 1'],
    [
      'log.memory.getUint(-64)',
      'tracer accessed out of bound memory: available 64, offset -64, size 32',
    ],
    [
      'log.memory.getUint(33)',
      'tracer accessed out of bound memory: available 64, offset 33, size 32',
    ],
    ['log.memory.slice(5, 1048641)', 'reached limit for padding memory slice: 1048577'],
    ['toHex("0x12")', 'invalid buffer type'],
    ['toHex({})', 'invalid buffer type'],
    ['toHex(new Uint16Array(2))', 'invalid buffer type'],
    ['toAddress(undefined)', 'invalid buffer type'],
    ['db.getBalance("0x12")', 'invalid buffer type'],
    ['slice([1, 2], 1, 3)', 'Tracer accessed out of bound memory: available 2, offset 1, size 2'],
  ])('ends the trace at %s, even if the script catches the error', async (call, message) => {
    const step = stepOn([1n], { memorySize: 64 })
    await expect(evaluateStep(`try { ${call} } catch (e) {}`, step)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: `${message}    in server-side tracer function 'step'`,
    })
  })

  test('returns memory slices of any length', async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7) & 0xff)
    const body = `var m = log.memory.slice(3, 200003), sum = 0;
      for (var i = 0; i < m.length; i++) sum = (sum * 31 + m[i]) % 1000003;
      this.x = [m.length, sum, m instanceof Uint8Array, log.memory.slice(9, 9).length]`
    const answers = {
      memory: ({ first, second }: { first: number; second: number }) =>
        first === 3 ? bytes.subarray(0, second) : undefined,
    }
    const sum = bytes.reduce((total, byte) => (total * 31 + byte) % 1_000_003, 0)
    const step = stepOn([], { memorySize: 200_003 })
    expect(await evaluateStep(body, step, { answers })).toEqual([200_000, sum, true, 0])
  })

  test('returns a word of memory as a number', async () => {
    const answers = { memory: () => parseData(`0x80${'00'.repeat(30)}ff`) }
    const body = 'this.x = [log.memory.length(), log.memory.getUint(32).toString(16)]'
    const step = stepOn([], { memorySize: 64 })
    expect(await evaluateStep(body, step, { answers })).toEqual([64, WORD.toString(16)])
  })

  test('has the contract with its caller, address, value and input', async () => {
    const answers = {
      caller: () => A,
      address: () => address(1),
      value: () => WORD,
      input: () => new Uint8Array([1, 2]),
    }
    const body = `var c = log.contract;
      this.x = [toHex(c.getCaller()), toHex(c.getAddress()), c.getValue(), toHex(c.getInput())]`
    expect(await evaluateStep(body, stepOn(), { answers })).toEqual([
      `0x${hexDigits(A)}`,
      `0x${hexDigits(address(1))}`,
      `${WORD}`,
      '0x0102',
    ])
  })
})

describe('the db object of a script', () => {
  test('passes 20 bytes and a word, whatever argument it gets', async () => {
    const asked: string[] = []
    const note =
      (name: string, answer: ScriptAnswer) =>
      (operands: Operands): ScriptAnswer => {
        asked.push(`${name} ${hexDigits(operands.address)} ${hexDigits(operands.key)}`)
        return answer
      }
    const answers = {
      balance: note('balance', WORD),
      nonce: note('nonce', 2 ** 40),
      code: note('code', new Uint8Array([0x60])),
      state: note('state', new Uint8Array(32).fill(3)),
      exists: note('exists', true),
    }
    const body = `return [db.getBalance(toAddress('0xabc')), db.getNonce([1, 2]), toHex(db.getCode([])),
      toHex(db.getState(toWord('ff'), [9])), db.exists(new Uint8Array(3))]`
    expect(await evaluateScript(body, { answers })).toEqual([
      `${WORD}`,
      2 ** 40,
      '0x60',
      `0x${'03'.repeat(32)}`,
      true,
    ])
    const at = (text: string) => text.padStart(40, '0')
    const noKey = expect.any(String)
    expect(asked.map((line) => line.split(' '))).toEqual([
      ['balance', at('abc'), noKey],
      ['nonce', at('0102'), noKey],
      ['code', at(''), noKey],
      ['state', at('ff'), '9'.padStart(64, '0')],
      ['exists', at(''), noKey],
    ])
  })
})

describe('the global functions of a script', () => {
  test.each([
    ['toHex([])', '0x'],
    ['toHex([1, 256, 257, -1])', '0x010001ff'],
    ['toHex(new Uint8Array(70000)).length', 140_002],
    ["toHex(toWord('0xffaa'))", `0x${'ffaa'.padStart(64, '0')}`],
    ["toHex(toWord('abc'))", `0x${'abc'.padStart(64, '0')}`],
    ["toHex(toWord('0X12zz34'))", `0x${'12'.padStart(64, '0')}`],
    ["toHex(toWord(''))", `0x${'0'.repeat(64)}`],
    ["toHex(toWord(new String('0x1')))", `0x${'1'.padStart(64, '0')}`],
    [`toHex(toAddress('0x1122${'33'.repeat(20)}'))`, `0x${'33'.repeat(20)}`],
    ['toHex(toAddress([1]))', `0x${'1'.padStart(40, '0')}`],
    ['toHex(slice([1, 2, 3], 1, 3))', '0x0203'],
    ['slice([1], 1, 1).length', 0],
  ])('compute %s', async (call, expected) => {
    expect(await evaluateScript(`return ${call}`)).toBe(expected)
  })

  test('return bytes that JSON encodes as in geth', async () => {
    const expected = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, i === 19 ? 1 : 0]))
    expect(await evaluateScript("return toAddress('0x1')")).toEqual(expected)
  })

  test('pass the nonce, the salt and init code of any length', async () => {
    const answers = {
      createAddress: ({ address: from, first }: { address: Uint8Array; first: number }) =>
        `${hexDigits(from)} ${first}`,
      create2Address: ({ key, bytes }: { key: Uint8Array; bytes: Uint8Array }) =>
        `${hexDigits(key)} ${bytes.length} ${bytes.at(-1)}`,
      isPrecompiled: ({ address: at }: { address: Uint8Array }) => at[19] === 9,
    }
    const body = `var code = new Uint8Array(150000); code[149999] = 77;
      return [toContract('0x1', 2 ** 33), toContract2([1], 'ff', code),
        isPrecompiled([9]), isPrecompiled('0x0a')]`
    expect(await evaluateScript(body, { answers })).toEqual([
      `${'1'.padStart(40, '0')} ${2 ** 33}`,
      `${'ff'.padStart(64, '0')} 150000 77`,
      true,
      false,
    ])
  })

  test('may be replaced by the script', async () => {
    expect(await evaluateScript('toHex = 1; bigInt = 2; return toHex + bigInt')).toBe(3)
  })
})

describe('the bigInt of a script', () => {
  test.each([
    ['bigInt(5).add(3)', '8'],
    ["bigInt('ff', 16)", '255'],
    ["bigInt('123456789012345678901234567890').toString(36)", 'byw97um9s91dlz68tsi'],
    ['bigInt(-255).toString(16)', '-ff'],
    ["bigInt(255).toString('16')", 'ff'],
    ['bigInt(255).toString(100)', '2<55>'],
    ['bigInt(0).toString(2)', '0'],
    ["bigInt(7).toString(8, 'abcdefgh')", 'h'],
    ['bigInt(2).pow(200).mod(1000007)', `${2n ** 200n % 1000007n}`],
    ['bigInt(3).compare(4)', -1],
    ['bigInt(3) + 1', 4],
    ['bigInt.isInstance(bigInt(1))', true],
    ['[bigInt(10)]', ['10']],
  ])('equals the big-integer package for %s', async (expression, expected) => {
    expect(await evaluateScript(`return ${expression}`)).toEqual(expected)
  })

  test('accepts the values that peek returns', async () => {
    const body = `var top = log.stack.peek(0);
      this.x = [bigInt.isInstance(top), top.equals(9), top.minus(bigInt(10)), bigInt(top).plus(1),
        Object.keys(top).join(), JSON.stringify(top) === JSON.stringify(bigInt(9))]`
    expect(await evaluateStep(body, stepOn([9n]))).toEqual([true, true, '-1', '10', 'value', true])
  })
})

describe('the result of a script', () => {
  test.each([
    ['undefined', null],
    ['function() {}', null],
    ['Symbol()', null],
    ['NaN', null],
    ['[undefined, function() {}, NaN]', [null, null, null]],
    ['{ a: undefined, b: 1 }', { b: 1 }],
    ['{ toJSON: function() { return [1] } }', [1]],
    ["'\\ud800 \\u0000 \\u20ac'", '\ud800 \u0000 €'],
    ['new Map([[1, 2]])', {}],
  ])('for %s is encoded as by JSON.stringify', async (expression, expected) => {
    expect(await evaluateScript(`return ${expression}`)).toEqual(expected)
  })

  test('may be the context, which has members', async () => {
    const members = ['CALL', A, undefined, new Uint8Array(), 21_000, 2 ** 40, WORD, 5n]
    const answers = { context: ({ first }: { first: number }) => members[first] }
    const body = `return [Object.keys(ctx), ctx.type, toHex(ctx.from), 'to' in ctx, ctx.input.length,
      ctx.gas, ctx.gasUsed, ctx.gasPrice, ctx.value.times(2), '' + ctx.value]`
    expect(await evaluateScript(body, { answers })).toEqual([
      ['type', 'from', 'input', 'gas', 'gasUsed', 'gasPrice', 'value'],
      'CALL',
      `0x${hexDigits(A)}`,
      false,
      0,
      21_000,
      2 ** 40,
      `${WORD}`,
      '10',
      '5',
    ])
  })
})
