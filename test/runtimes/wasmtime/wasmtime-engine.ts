import { STATUS } from '../../../host/evm/engine/generated/status.ts'
import type { EngineExports } from '../../../host/evm/engine/module.ts'
import type { WasmtimeInstance } from './wasmtime.ts'

const BLOCK_SIZE = 256
/** Bytes of the longest request of the engine, the description of a host call. */
const NEED_SIZE = 96
const OUTCOME_SIZE = 88
const LOG_HEADER = 32
const DIFF_HEADER = 32
const CODE_ROW = 12
/** Bytes of a change of the access list, and the kind of those that refer to code. */
const CHANGE_ROW = 96
const CODE_CHANGE = 3
/** 256 names of 48 bytes (assembly/layout.ts). */
const STEP_NAMES_SIZE = 256 * 48
/** Offset of a payload's address and size in a trace record, by its kind (assembly/trace/trace-buffer.ts). */
const PAYLOAD_FIELD: ReadonlyMap<number, number> = new Map([
  [1, 68],
  [2, 32],
  [3, 8],
  [5, 108],
  [7, 24],
])

/**
 * Returns the exports of an engine in wasmtime, for class `Engine`. `memory` is a copy: before each call, what the
 * host has written is copied into the instance. After it, only what the host will read is copied back.
 */
export function wasmtimeExports(instance: WasmtimeInstance): EngineExports {
  const memory = new WebAssembly.Memory({ initial: 4672, maximum: 4672 })
  const words = new Int32Array(memory.buffer)
  const word = (at: number) => words[at >> 2] as number
  const pull = (at: number, length: number) => instance.pull(words, at, length)
  const push = (at: number, length: number) => instance.push(words, at, length)
  const address = (name: string) =>
    new WebAssembly.Global({ value: 'i32', mutable: false }, instance.call(`get:${name}`))

  const blockAt = address('blockAt')
  const messageAt = address('messageAt')
  const needAt = address('needAt')
  const answerAt = address('answerAt')
  const outcomeAt = address('outcomeAt')
  const traceAt = address('traceAt')
  const resultAt = address('resultAt')
  const stepNamesAt = address('stepNamesAt')
  const stepTextAt = address('stepTextAt')
  let hasNames = false

  function pullNeed(status: number): void {
    pull(needAt.value, NEED_SIZE)
    if (status === STATUS.callHost) pull(word(needAt.value + 44), word(needAt.value + 48))
  }

  function pullOutcome(): void {
    const at = outcomeAt.value
    pull(at, OUTCOME_SIZE)
    pull(word(at + 64), word(at + 32))
    let next = word(at + 68)
    for (let i = 0; i < word(at + 36); i++) {
      pull(next, LOG_HEADER)
      const size = 32 * word(next + 20) + ((word(next + 24) + 7) & ~7)
      pull(next + LOG_HEADER, size)
      next += LOG_HEADER + size
    }
  }

  function pullTrace(): number {
    const length = instance.call('traceLength')
    pull(traceAt.value, length)
    const end = traceAt.value + length
    for (let at = traceAt.value; at < end; at += word(at + 4)) {
      const field = PAYLOAD_FIELD.get(word(at))
      if (field !== undefined && word(at + field) !== 0) {
        pull(word(at + field), word(at + field + 4))
      }
    }
    return length
  }

  function pullDiff(): number {
    const at = instance.call('diff')
    pull(at, DIFF_HEADER)
    pull(word(at), 92 * word(at + 4))
    pull(word(at + 8), 20 * word(at + 12))
    pull(word(at + 16), 84 * word(at + 20))
    pull(word(at + 24), CODE_ROW * word(at + 28))
    for (let i = 0; i < word(at + 28); i++) {
      const row = word(at + 24) + CODE_ROW * i
      pull(word(row), 32)
      pull(word(row + 4), word(row + 8))
    }
    return at
  }

  return {
    memory,
    blockAt,
    messageAt,
    messageSize: address('messageSize'),
    needAt,
    answerAt,
    answerSize: address('answerSize'),
    outcomeAt,
    traceAt,
    resultAt,
    batchAt: address('batchAt'),
    batchSize: address('batchSize'),
    batchResultsAt: address('batchResultsAt'),
    stepNamesAt,
    stepTextAt,
    stepStackAt: address('stepStackAt'),
    _initialize: () => void instance.call('do:_initialize'),
    beginBlock() {
      push(blockAt.value, BLOCK_SIZE)
      instance.call('do:beginBlock')
    },
    forgetCode: () => void instance.call('do:forgetCode'),
    beginTransaction() {
      // A message ends with its data
      const at = messageAt.value
      push(at, word(at + 96) + word(at + 100) - at)
      instance.call('do:beginTransaction')
    },
    abandon: () => void instance.call('do:abandon'),
    run(fuel) {
      // The host writes them once, for the first traced message
      if (!hasNames && word(stepNamesAt.value) !== 0) {
        push(stepNamesAt.value, STEP_NAMES_SIZE)
        hasNames = true
      }
      const status = instance.call('run', fuel)
      if (status === STATUS.done) pullOutcome()
      else if (status <= STATUS.callHost) pullNeed(status)
      return status
    },
    answer(length) {
      push(answerAt.value, length)
      return instance.call('answer', length)
    },
    perform(length) {
      push(answerAt.value, length)
      const performed = instance.call('perform', length)
      pull(resultAt.value, 72)
      return performed
    },
    answerHostCall(result, gasUsed, length) {
      push(answerAt.value, length)
      return instance.call('answerHostCall', result, Number(gasUsed), length)
    },
    traceLength: pullTrace,
    encodeStep(record, hasStack) {
      const end = instance.call('encodeStep', record, hasStack)
      pull(stepTextAt.value, 8)
      pull(word(stepTextAt.value), end - word(stepTextAt.value))
      return end
    },
    peekAccount() {
      push(answerAt.value, 20)
      const size = instance.call('peekAccount')
      pull(resultAt.value, 72)
      return size
    },
    peekStorage() {
      push(answerAt.value, 64)
      const size = instance.call('peekStorage')
      pull(resultAt.value, 32)
      return size
    },
    peekCode() {
      push(answerAt.value, 32)
      const isKnown = instance.call('peekCode')
      pull(resultAt.value, 8)
      if (isKnown !== 0) pull(word(resultAt.value), word(resultAt.value + 4))
      return isKnown
    },
    peekFrame() {
      instance.call('do:peekFrame')
      pull(resultAt.value, 16)
      pull(word(resultAt.value), word(resultAt.value + 4))
      pull(word(resultAt.value + 8), word(resultAt.value + 12))
    },
    watch: (flags) => void instance.call('do:watch', flags),
    pauseAfter: (steps) => void instance.call('do:pauseAfter', steps),
    isPaused: () => instance.call('isPaused'),
    extents: refuseCheckpoint,
    keepRegisters: refuseCheckpoint,
    setRegisters: refuseCheckpoint,
    diff: pullDiff,
    accessed() {
      const at = instance.call('accessed')
      pull(at, 16)
      pull(word(at), 20 * word(at + 4))
      pull(word(at + 8), 52 * word(at + 12))
      return at
    },
    accessList() {
      const at = instance.call('accessList')
      pull(at, 24)
      pull(word(at), 20 * word(at + 4))
      pull(word(at + 8), 52 * word(at + 12))
      pull(word(at + 16), CHANGE_ROW * word(at + 20))
      for (let i = 0; i < word(at + 20); i++) {
        const row = word(at + 16) + CHANGE_ROW * i
        if (word(row) === CODE_CHANGE) pull(word(row + 64), word(row + 68))
      }
      return at
    },
    beginBatch: refuseBatch,
    includeApplied: refuseBatch,
    footprint: refuseFootprint,
    adopt: refuseFootprint,
    hash(length) {
      push(answerAt.value, length)
      instance.call('do:hash', length)
      pull(resultAt.value, 32)
    },
    recover(yParity) {
      push(answerAt.value, 96)
      const isValid = instance.call('recover', yParity)
      pull(resultAt.value, 20)
      return isValid
    },
  }
}

/** Refused: the memory here is a copy with only what messages exchange. */
function refuseFootprint(): never {
  throw new Error('a footprint takes the memory of the engine itself')
}

function refuseBatch(): never {
  throw new Error('a batch takes the memory of the engine itself')
}

function refuseCheckpoint(): never {
  throw new Error('a checkpoint takes the memory of the engine itself')
}
