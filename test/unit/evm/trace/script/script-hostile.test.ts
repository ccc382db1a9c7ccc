import { describe, expect, test } from 'vitest'
import type { Operands, ScriptAnswer } from '../../../../../host/evm/trace/script/exchange.ts'
import { ScriptSandbox } from '../../../../../host/evm/trace/script/sandbox.ts'
import {
  type ScriptQuestion,
  SHARED_BYTES,
} from '../../../../../host/evm/trace/script/shared-buffer.ts'
import { openScriptEngine } from '../../../../support/engine/script-engine.ts'
import { makeRandom } from '../../../../support/random.ts'
import { evaluateScript, evaluateStep, runScript, stepOn, TEST_LIMITS } from '../script-run.ts'

const limit = (name: keyof typeof TEST_LIMITS) => ({
  code: 'LIMIT_EXCEEDED',
  message: expect.stringContaining(`(${name}`),
  data: { limit: name },
})

describe('a script that does not end', () => {
  test.each([
    ['loops', 'for (;;) {}'],
    ['loops and catches', 'for (;;) try { for (;;) {} } catch (e) {} finally { continue }'],
    ['backtracks in a regular expression', "/(a+)+b/.test('a'.repeat(60))"],
    ['loops in a getter', 'return { get x() { for (;;); } }'],
    ['loops in toJSON', 'return { toJSON: function() { for (;;); } }'],
    ['loops in a proxy', 'return new Proxy({}, { ownKeys: function() { for (;;); } })'],
    ['loops while its exception is shown', 'throw { toString: function() { for (;;); } }'],
    ['loops in a generator', 'for (var x of (function* () { for (;;) yield 1 })());'],
  ])('because it %s runs out of fuel', async (_name, body) => {
    const run = evaluateScript(body, { limits: { fuel: 1e6 } })
    await expect(run).rejects.toMatchObject(limit('fuel'))
  })

  test('ends at the same place every time', async () => {
    const counts = new Set<number>()
    for (let i = 0; i < 3; i++) {
      let count = 0
      const answers = { caller: () => void count++ }
      const body = 'for (;;) { log.contract.getCaller(); for (var i = 0; i < 100; i++); }'
      await expect(evaluateStep(body, stepOn(), { answers })).rejects.toMatchObject(limit('fuel'))
      counts.add(count)
    }
    expect(counts.size).toBe(1)
    expect(Math.min(...counts)).toBeGreaterThan(10_000)
  })

  test('shares the fuel among all its functions', async () => {
    const source = `{ step: function() { for (var i = 0; i < 4e4; i++); }, result: function() { return 1 } }`
    const steps = (count: number) => Array.from({ length: count }, () => stepOn())
    const limits = { fuel: 1e6 }
    expect(await runScript(source, { steps: steps(5), limits })).toBe(1)
    await expect(runScript(source, { steps: steps(40), limits })).rejects.toMatchObject(
      limit('fuel'),
    )
  })

  test('is terminated by its host', async () => {
    let ticks = 0
    const onTick = () => {
      if (++ticks === 3) throw new Error('the client has gone')
    }
    const run = evaluateScript('try { for (;;); } catch (e) { return 1 }', { onTick })
    await expect(run).rejects.toThrow('the client has gone')
    expect(ticks).toBe(3)
  })
})

describe('a script that exceeds a limit', () => {
  test.each([
    ['arrays', 'var all = []; for (;;) all.push([1, 2, 3])'],
    ['bytes', 'var all = []; for (;;) all.push(new Uint8Array(1000))'],
    ['one array', 'new Uint8Array(1e9)'],
    ['strings', "var all = []; for (;;) all.push('text ' + all.length)"],
    ['closures', 'for (;;) this.f = (function(g) { return function() { return g } })(this.f)'],
    ['jobs', 'for (;;) Promise.resolve().then(function() {})'],
    ['members', 'var o = {}; for (var i = 0;; i++) o["k" + i] = i'],
    ['shapes', 'var o = {}; for (var i = 0;; i++) Object.defineProperty(o, i, { get() {} })'],
  ])('of memory in %s is terminated', async (_name, body) => {
    const run = evaluateScript(body, { limits: { memoryBytes: 2 << 20, fuel: 1e9 } })
    await expect(run).rejects.toMatchObject(limit('memoryBytes'))
  })

  test('of memory with data from the host is terminated', async () => {
    const answers = { memory: ({ second }: { second: number }) => new Uint8Array(second) }
    const body = 'var all = []; for (;;) all.push(log.memory.slice(0, 1 << 20))'
    const run = evaluateStep(body, stepOn(), { answers, limits: { memoryBytes: 8 << 20 } })
    await expect(run).rejects.toMatchObject(limit('memoryBytes'))
  })

  test('of memory destroys its instance: the next script has its own heap', async () => {
    const body = 'var all = []; for (;;) all.push(new Uint8Array(1 << 20))'
    const filled = evaluateScript(body, { limits: { memoryBytes: 128 << 20, fuel: 1e9 } })
    await expect(filled).rejects.toMatchObject(limit('memoryBytes'))
    await expect(evaluateScript('throw null')).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: "null    in server-side tracer function 'result'",
    })
  })

  test('of memory fills even the smallest instance, which is usable before that', async () => {
    const engine = await openScriptEngine(1)
    expect(engine.quickJs.isUsable).toBe(true)
    const sandbox = ScriptSandbox.open(engine, {
      source: '{ result: function() { var all = []; for (;;) all.push(new Uint8Array(1 << 16)) } }',
      config: '{}',
      limits: { ...TEST_LIMITS, memoryBytes: 128 << 20, fuel: 1e9 },
      host: { answer: () => undefined },
    })
    expect(() => sandbox.result()).toThrow('bytes of memory')
    sandbox.close()
    expect(engine.quickJs.isUsable).toBe(false)
  })

  test('can catch the memory error and continues under the same limit', async () => {
    const body = `var all = []; try { for (;;) all.push([1]) } catch (e) { all = String(e) }
      return [all, new Uint8Array(1000).length]`
    const limits = { memoryBytes: 2 << 20 }
    expect(await evaluateScript(body, { limits })).toEqual(['InternalError: out of memory', 1000])
  })

  test.each([
    ['calls', 'function f() { f() } f()'],
    ['coercions', "var o = { toString: function() { return '' + o } }; return '' + o"],
    ['proxies', 'var p = {}; for (var i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x'],
    ['sorts', 'function f() { [2, 1].sort(f) } f()'],
    ['replacements', "function f() { 'a'.replace(/a/, f) } f()"],
    ['regular expressions', "new RegExp('(?:'.repeat(1e5))"],
    ['JSON', "JSON.parse('['.repeat(1e5))"],
    ['results', 'for (var a = [], i = 0; i < 1e5; i++) a = [a]; return a'],
    ['constructors', 'class A { constructor() { new A() } } new A()'],
  ])('of stack in %s is terminated', async (_name, body) => {
    await expect(evaluateScript(body)).rejects.toMatchObject(limit('stackBytes'))
  })

  test('of stack can catch the error', async () => {
    const body =
      'var n = 0; function f() { n++; f() } try { f() } catch (e) { return [n, String(e)] }'
    expect(await evaluateScript(body)).toEqual([
      expect.any(Number),
      'InternalError: stack overflow',
    ])
  })

  test("of the host's own stack breaks the instance, which is replaced", async () => {
    const engine = await openScriptEngine()
    const open = (source: string) =>
      ScriptSandbox.open(engine, {
        source,
        config: '{}',
        limits: TEST_LIMITS,
        host: { answer: () => undefined },
      })
    // The parser uses little of QuickJS's stack and much of the host's
    const source = `{ result: function() { eval('('.repeat(1e6)) } }`
    const sandbox = open(source)
    expect(() => sandbox.result()).toThrow(expect.objectContaining(limit('stackBytes')))
    expect(engine.quickJs.isUsable).toBe(false)
    sandbox.close()
  })

  test.each([
    ['source', { sourceLength: 20 }, 'return 1', 'sourceLength'],
    ['result', { resultLength: 100 }, "return 'x'.repeat(99)", 'resultLength'],
  ] as const)('of %s is terminated', async (_name, limits, body, name) => {
    await expect(evaluateScript(body, { limits })).rejects.toMatchObject(limit(name))
  })

  test('is not terminated if its result just fits', async () => {
    const limits = { resultLength: 100 }
    expect(await evaluateScript("return 'x'.repeat(98)", { limits })).toBe('x'.repeat(98))
  })

  test('leaves a usable instance, whenever it is terminated', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    const random = makeRandom(seed)
    const engine = await openScriptEngine()
    const source = `{
      all: [],
      step: function(log, db) {
        this.all.push(log.stack.peek(0), toHex(log.memory.slice(0, 5000)), new Map([[1, { a: this.all.length }]]));
        try { this.all.push(db.getBalance([2]).toString(16)) } catch (e) { this.all.push(e) }
        this.all.push([...'abc'].map(x => x + x), /(a|b)+c/.exec('ababc'), JSON.parse('{"a":[1,{"b":2}]}'));
        (function* () { yield 1 })().next();
        Promise.resolve(1).then(function() {});
      },
      result: function() { return this.all },
    }`
    const answers = new Map<string, (operands: { second: number }) => ScriptAnswer>([
      ['memory', ({ second }) => new Uint8Array(second)],
      ['balance', () => 10n ** 20n],
    ])
    for (let i = 0; i < 40; i++) {
      const limits = {
        ...TEST_LIMITS,
        memoryBytes: Math.floor(random() * 1e6),
        fuel: Math.floor(random() * 4e4),
        stackBytes: Math.floor(random() * 65_536),
      }
      const host = {
        answer: (question: ScriptQuestion, operands: Operands) => answers.get(question)?.(operands),
      }
      expect(() => {
        const sandbox = ScriptSandbox.open(engine, { source, config: '{}', limits, host })
        try {
          const step = stepOn([5n, 2n ** 200n], { memorySize: 64 })
          for (let n = 0; n < 1000; n++) sandbox.step('step', step, false)
        } finally {
          sandbox.close()
        }
      }, `seed ${seed}`).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
      expect(engine.quickJs.isUsable, `seed ${seed}`).toBe(true)
    }
  })

  test('leaves nothing to the next script', async () => {
    const hungry = 'this.all = []; for (;;) all.push(1e6)'
    for (let i = 0; i < 20; i++) {
      await evaluateScript(hungry, { limits: { memoryBytes: 4 << 20 } }).catch(() => undefined)
    }
    expect(await evaluateScript('return typeof all')).toBe('undefined')
  })
})

describe('a script whose result cannot be written', () => {
  test.each([
    [
      'a cycle',
      'var a = {}; a.a = a; return a',
      'TypeError: circular reference at stringify (native)',
    ],
    [
      'a BigInt',
      'return [1n]',
      'TypeError: Do not know how to serialize a BigInt at stringify (native)',
    ],
    ['a getter that throws', "return { get x() { throw 'no' } }", 'no'],
  ])('because of %s fails', async (_name, body, message) => {
    await expect(evaluateScript(body)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: `${message}    in server-side tracer function 'result'`,
    })
  })

  test('because it throws a huge message has the message truncated', async () => {
    const run = evaluateScript("throw new Error('x'.repeat(1e6))")
    const error = await run.then(undefined, (thrown: Error) => thrown)
    expect((error as Error).message.length).toBeLessThan(1200)
  })
})

describe('a script that tries to escape', () => {
  test('finds only the language and the tracer functions', async () => {
    const body = 'return Object.getOwnPropertyNames(globalThis).sort()'
    expect(await evaluateScript(body)).toMatchInlineSnapshot(`
      [
        "AggregateError",
        "Array",
        "ArrayBuffer",
        "BigInt",
        "BigInt64Array",
        "BigUint64Array",
        "Boolean",
        "DataView",
        "Error",
        "EvalError",
        "Float16Array",
        "Float32Array",
        "Float64Array",
        "Function",
        "Infinity",
        "Int16Array",
        "Int32Array",
        "Int8Array",
        "InternalError",
        "Iterator",
        "JSON",
        "Map",
        "Math",
        "NaN",
        "Number",
        "Object",
        "Promise",
        "Proxy",
        "RangeError",
        "ReferenceError",
        "Reflect",
        "RegExp",
        "Set",
        "String",
        "Symbol",
        "SyntaxError",
        "TypeError",
        "URIError",
        "Uint16Array",
        "Uint32Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "WeakMap",
        "WeakSet",
        "bigInt",
        "decodeURI",
        "decodeURIComponent",
        "encodeURI",
        "encodeURIComponent",
        "escape",
        "eval",
        "globalThis",
        "isFinite",
        "isNaN",
        "isPrecompiled",
        "parseFloat",
        "parseInt",
        "slice",
        "toAddress",
        "toContract",
        "toContract2",
        "toHex",
        "toWord",
        "undefined",
        "unescape",
      ]
    `)
  })

  test.each([
    "this.constructor.constructor('return typeof process + typeof require + typeof module')()",
    "Function('return typeof window + typeof self + typeof process')()",
    "toHex.constructor('return typeof process + typeof require + typeof fetch')()",
    "(async function() {}).constructor('return 1')().constructor.constructor('return typeof process + typeof std + typeof os')()",
    "ctx.constructor.constructor('return typeof process + typeof scriptArgs + typeof print')()",
    "(function*() {}).constructor('yield typeof process + typeof host + typeof constants')().next().value",
    "eval('typeof buffer + typeof fields + typeof bytes')",
  ])('finds nothing outside with %s', async (expression) => {
    expect(await evaluateScript(`return ${expression}`)).toBe('undefined'.repeat(3))
  })

  test('cannot load a module', async () => {
    const source = `{
      log: [],
      step: function() {
        var log = this.log;
        import('fs').then(function() { log.push('loaded') }, function() { log.push('refused') });
      },
      result: function() { return this.log },
    }`
    expect(await runScript(source, { steps: [stepOn(), stepOn()] })).toEqual([])
    await expect(evaluateScript("import fs from 'fs'")).rejects.toThrow('SyntaxError')
    await expect(evaluateScript('return import.meta')).rejects.toThrow('SyntaxError')
  })

  test('cannot schedule later work', async () => {
    const source = `{
      n: 0,
      step: function() { var t = this; (async function() { await 0; t.n++ })(); Promise.resolve().then(() => t.n++) },
      result: async function() { return this.n },
    }`
    expect(await runScript(source, { steps: [stepOn(), stepOn()] })).toEqual({})
  })

  test('has no clock, no randomness and no view of the garbage collector', async () => {
    const body = `return [typeof Date, typeof Math.random, typeof performance, typeof WeakRef,
      typeof FinalizationRegistry, typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly]`
    expect(await evaluateScript(body)).toEqual(Array(8).fill('undefined'))
  })

  test('gets stack traces as text', async () => {
    const body = `Error.prepareStackTrace = function(error, frames) { return typeof frames };
      try { null.x } catch (e) { return typeof e.stack }`
    expect(await evaluateScript(body)).toBe('string')
    const caller = 'function f() { return f.caller } return f()'
    expect(await evaluateScript(caller)).toBe(null)
  })

  test('cannot reach the shared buffer, whatever it overrides', async () => {
    // Wrap every member of every prototype to record the buffers among `this` and the arguments.
    const source = `{
      sizes: [],
      spied: 0,
      step: function(log, db) {
        var tracer = this, apply = Reflect.apply, construct = Reflect.construct, isBusy = false;
        var sizeOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
        var typed = Object.getPrototypeOf(Uint8Array.prototype);
        var bufferOf = Object.getOwnPropertyDescriptor(typed, 'buffer').get;
        var define = Object.defineProperty, describe = Object.getOwnPropertyDescriptor;
        function look(value) {
          try { tracer.sizes[tracer.sizes.length] = apply(sizeOf, value, []) } catch (e) {}
          try { tracer.sizes[tracer.sizes.length] = apply(sizeOf, apply(bufferOf, value, []), []) } catch (e) {}
        }
        function note(self, args) {
          if (isBusy) return;
          isBusy = true;
          look(self);
          for (var i = 0; i < args.length; i++) look(args[i]);
          tracer.spied++;
          isBusy = false;
        }
        function spy(object, name) {
          var old = describe(object, name);
          if (!old.configurable) return;
          define(object, name, {
            configurable: true,
            get: function() {
              note(this, []);
              var found = old.get ? apply(old.get, this, []) : old.value;
              if (isBusy || typeof found !== 'function' || name === 'constructor') return found;
              return function() { note(this, arguments); return apply(found, this, arguments) };
            },
            set: function(value) { note(this, [value]); define(this, name, { value: value, writable: true, configurable: true }) },
          });
        }
        var classes = [ArrayBuffer, Uint8Array, Uint32Array, BigUint64Array, Array, String, Number, Error, BigInt];
        var objects = [typed];
        for (var i = 0; i < classes.length; i++) objects.push(classes[i].prototype);
        bigInt(1);
        for (var i = 0; i < objects.length; i++) {
          var names = Reflect.ownKeys(objects[i]);
          for (var j = 0; j < names.length; j++) spy(objects[i], names[j]);
        }
        define(Object.prototype, 7, { get: function() { note(this, []) }, set: function(v) { note(this, [v]) } });
        spy(Object.prototype, 'constructor');
        spy(Object.prototype, 'toString');
        spy(Object.prototype, 'valueOf');
        log.contract.getAddress(); log.memory.slice(0, 100000); log.memory.getUint(0); log.stack.peek(0);
        db.getCode([1]); db.getState([1], [2]); toHex([1]); toHex(new Uint8Array(500)); toWord('0x1');
        toContract([1], 1); toContract2([1], 'ff', [1, 2]); slice([1, 2, 3], 1, 2); isPrecompiled([1]);
      },
      result: function() { return [this.spied > 0, this.sizes] },
    }`
    const answers = {
      address: () => new Uint8Array(20),
      memory: ({ second }: { second: number }) => new Uint8Array(second),
      code: () => new Uint8Array(30_000),
      state: () => new Uint8Array(32),
      createAddress: () => new Uint8Array(20),
      create2Address: () => new Uint8Array(20),
      isPrecompiled: () => false,
    }
    const steps = [stepOn([1n, 2n], { memorySize: 100_000 })]
    const [hasSpied, sizes] = (await runScript(source, { steps, answers })) as [boolean, number[]]
    expect(hasSpied).toBe(true)
    expect(sizes).not.toContain(SHARED_BYTES)
    // The buffers that the host uses for long answers must not occur either
    expect(sizes).not.toContain(100_000)
    expect(sizes).not.toContain(30_000)
  })

  test('can change only its own copies', async () => {
    const answers = { address: () => new Uint8Array(20).fill(7) }
    const body = `var a = log.contract.getAddress(); a.fill(1);
      var b = log.contract.getAddress(); b.buffer.transfer(4);
      var c = log.contract.getAddress(); try { c.buffer.resize(1000) } catch (e) {}
      this.x = [toHex(a), b.length, toHex(log.contract.getAddress())]`
    expect(await evaluateStep(body, stepOn(), { answers })).toEqual([
      `0x${'01'.repeat(20)}`,
      0,
      `0x${'07'.repeat(20)}`,
    ])
  })
})

describe('a script that replaces built-ins', () => {
  test.each([
    [
      'methods of functions',
      'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null',
    ],
    ['Reflect and Object', 'Reflect.apply = Reflect.defineProperty = Object.getPrototypeOf = null'],
    ['JSON', "JSON.stringify = function() { return 'forged' }; JSON.parse = null"],
    [
      'typed arrays',
      'Uint8Array.prototype.set = null; globalThis.Uint8Array = null; Uint32Array.prototype[5] = 9',
    ],
    [
      'lengths',
      "Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'length', { get: () => 1e9 })",
    ],
    [
      'strings',
      'String.prototype.charCodeAt = String.prototype.slice = String.fromCharCode = null',
    ],
    [
      'numbers',
      'Number.isInteger = Number.isNaN = Math.trunc = Math.min = null; globalThis.Number = null',
    ],
    [
      'descriptors',
      'Object.prototype.get = Object.prototype.value = Object.prototype.set = function() {}',
    ],
    ['iteration', 'Array.prototype[Symbol.iterator] = null; Symbol.iterator'],
    [
      'the constructor of arrays',
      'Uint8Array.prototype.constructor = function() { throw 1 }; ArrayBuffer.prototype.constructor = null',
    ],
  ])('affects only itself by replacing %s', async (_name, tampering) => {
    const source = `{
      step: function(log, db) {
        bigInt(1);
        ${tampering};
        var word = log.stack.peek(0);
        this.seen = [log.op.toString(), log.getGas(), word.toString(16), toHex(log.contract.getAddress()),
          log.memory.slice(0, 40)[39], toHex(toAddress('0x12')), db.getNonce(toWord([5]))];
      },
      result: function(ctx) { return { seen: this.seen, gas: ctx.gas, value: ctx.value } },
    }`
    const answers = {
      address: () => new Uint8Array(20).fill(7),
      memory: ({ second }: { second: number }) => new Uint8Array(second).fill(9),
      nonce: () => 6,
      context: ({ first }: { first: number }) =>
        first === 7 ? 8n : first === 4 ? 21_000 : undefined,
    }
    const step = stepOn([10n], { memorySize: 64 })
    expect(await runScript(source, { steps: [step], answers })).toEqual({
      seen: ['ADD', 1000, 'a', `0x${'07'.repeat(20)}`, 9, `0x${'12'.padStart(40, '0')}`, 6],
      gas: 21_000,
      value: '8',
    })
  })
})
