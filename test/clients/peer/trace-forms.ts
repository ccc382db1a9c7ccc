/** A way to trace a transaction: a name for the report, and options of debug_traceTransaction. */
export interface TraceForm {
  readonly name: string
  readonly options: object
}

const flags = (names: readonly string[]): object[] =>
  Array.from({ length: 1 << names.length }, (_, bits) =>
    Object.fromEntries(names.flatMap((name, i) => ((bits >> i) & 1 ? [[name, true]] : []))),
  )

function forms(tracer: string, options: readonly object[]): TraceForm[] {
  return options.map((tracerConfig) => ({
    name: [tracer, ...Object.keys(tracerConfig)].join(' '),
    options: { tracer, tracerConfig },
  }))
}

/** Reads every member of `log`, `db`, `ctx` and frames that keeps the result short. */
const EVERYTHING = `{
  seen: [], frames: [],
  setup: function(config) { this.seen.push('setup ' + config) },
  step: function(log, db) {
    if (this.seen.length > 400) return;
    var op = log.op, stack = log.stack, contract = log.contract, memory = log.memory;
    this.seen.push([op.toString(), op.toNumber(), op.isPush(), log.getPC(), log.getGas(), log.getCost(),
      log.getDepth(), log.getRefund(), stack.length(), memory.length(),
      stack.length() > 0 ? stack.peek(0).toString(16) : '',
      memory.length() >= 32 ? toHex(memory.slice(0, 32)) + memory.getUint(0).toString(16) : '',
      toHex(contract.getCaller()), toHex(contract.getAddress()), contract.getValue().toString(16),
      toHex(contract.getInput()), String(log.getError()),
      db.getBalance(contract.getAddress()).toString(16), db.getNonce(contract.getAddress()),
      toHex(db.getCode(contract.getCaller())).length, db.exists(contract.getAddress())].join(' '))
  },
  fault: function(log, db) {
    this.seen.push(['fault', log.op.toString(), log.getPC(), log.getGas(), log.getCost(), log.getDepth(),
      log.getRefund(), String(log.getError())].join(' '))
  },
  enter: function(frame) {
    this.frames.push(['enter', frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()),
      toHex(frame.getInput()), frame.getGas(), String(frame.getValue())].join(' '))
  },
  exit: function(frame) {
    this.frames.push(['exit', frame.getGasUsed(), toHex(frame.getOutput()), String(frame.getError())].join(' '))
  },
  result: function(ctx, db) {
    var shown = {};
    var names = ['type', 'from', 'to', 'input', 'gas', 'gasUsed', 'gasPrice', 'intrinsicGas', 'value', 'block',
      'coinbase', 'output', 'error', 'time', 'blockHash', 'txIndex', 'txHash'];
    for (var i = 0; i < names.length; i++) {
      var value = ctx[names[i]];
      shown[names[i]] = value === undefined ? 'absent'
        : typeof value === 'object' && value !== null && value.length !== undefined ? toHex(value) : String(value);
    }
    return {ctx: shown, seen: this.seen, frames: this.frames,
      balance: db.getBalance(ctx.from).toString(16), nonce: db.getNonce(ctx.from),
      precompiled: isPrecompiled(ctx.to === undefined ? ctx.from : ctx.to),
      created: toHex(toContract(ctx.from, 3)),
      created2: toHex(toContract2(ctx.from, '0x01', '0x6001'))}
  }
}`

/** Without `step`, so that both nodes run it at full speed. */
const FRAMES_ONLY = `{
  frames: [],
  fault: function(log) { this.frames.push(['fault', String(log.getError())].join(' ')) },
  enter: function(frame) { this.frames.push(frame.getType() + frame.getGas()) },
  exit: function(frame) {
    this.frames.push([frame.getGasUsed(), toHex(frame.getOutput()), String(frame.getError())].join(' '))
  },
  result: function() { return this.frames }
}`

const STORAGE = `{
  slots: [],
  step: function(log, db) {
    if (log.op.toString() != 'SSTORE' && log.op.toString() != 'SLOAD') return;
    if (log.stack.length() == 0) return;
    var key = toWord(log.stack.peek(0).toString(16));
    this.slots.push([toHex(key), toHex(db.getState(log.contract.getAddress(), key))].join(' '))
  },
  fault: function() {},
  result: function() { return this.slots }
}`

const MUX = {
  callTracer: { withLog: true },
  prestateTracer: { diffMode: true },
  '4byteTracer': {},
  flatCallTracer: {},
  noopTracer: {},
}

/** Every tracer, with every combination of its options. */
export const TRACE_FORMS: readonly TraceForm[] = [
  ...flags(['enableMemory', 'enableReturnData', 'disableStack', 'disableStorage']).map(
    (options) => ({ name: ['structs', ...Object.keys(options)].join(' '), options }),
  ),
  { name: 'structs limit', options: { limit: 4000, enableMemory: true } },
  ...forms('callTracer', flags(['withLog', 'onlyTopCall'])),
  ...forms('flatCallTracer', flags(['convertParityErrors', 'includePrecompiles'])),
  ...forms('prestateTracer', flags(['diffMode', 'disableCode', 'disableStorage'])),
  ...forms('prestateTracer', [{ includeEmpty: true }]),
  ...forms('4byteTracer', [{}]),
  ...forms('noopTracer', [{}]),
  ...forms('muxTracer', [MUX]),
  ...forms('erc7562Tracer', [{}, { withLog: true }, { ignoredOpcodes: [] }]),
  { name: 'script', options: { tracer: EVERYTHING, tracerConfig: { some: 'thing' } } },
  { name: 'script without step', options: { tracer: FRAMES_ONLY } },
  { name: 'script of slots', options: { tracer: STORAGE } },
]

/** The forms with results short enough for whole blocks. */
export const SHORT_FORMS: readonly TraceForm[] = TRACE_FORMS.filter(
  ({ name }) => !name.startsWith('structs') && !name.startsWith('script'),
)
