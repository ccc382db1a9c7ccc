import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatData, formatQuantity } from '../../host/base/hex.ts'
import type { Revision } from '../../host/chain-types/revision.ts'
import { OPCODES } from '../../host/engine/opcode.ts'
import type { StepRecord, TraceEvent, TraceSink } from '../../host/engine/trace-event.ts'
import { answerFrom } from '../../host/state/answer.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { type FixtureState, parseBytes, parseNumber, parseWord, readState } from './fixture.ts'
import { senderOf } from './secret-key.ts'

/** The fork that geth's test of the t8n tool runs each folder with. */
const FORKS: Readonly<Record<string, Revision>> = { '31': 'Cancun', '32': 'Paris' }

type Fields = Readonly<Record<string, string>>

/** A line of an EIP-3155 trace: a step, a frame entered, or the summary at a frame's end. */
type Line = Readonly<Record<string, unknown>>

function readJson(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

function stepLine(step: StepRecord): Line {
  return {
    pc: step.pc,
    op: step.opcode,
    gas: formatQuantity(step.gas),
    gasCost: formatQuantity(step.cost),
    memSize: step.memorySize,
    depth: step.depth,
    refund: step.refund,
    opName: OPCODES[step.opcode]?.name,
    stack: Array.from({ length: step.stackHeight }, (_, i) => formatQuantity(step.wordAt(i))),
  }
}

/** The line of a frame's begin or end. */
function frameLine(event: TraceEvent): Line | undefined {
  switch (event.kind) {
    case 'enter':
      return {
        from: formatData(event.from),
        to: formatData(event.to),
        gas: formatQuantity(event.gas),
        value: formatQuantity(event.value ?? 0n),
        type: event.type,
      }
    case 'exit':
      return {
        output: formatData(event.output).slice(2),
        gasUsed: formatQuantity(event.gasUsed),
      }
    default:
      return undefined
  }
}

/** Lines of the transaction that the file's name numbers, run after those before it. */
function trace(machines: Machines, folder: string, index: number): Line[] {
  const { engine, hasher } = machines
  const env = readJson(folder, 'env.json') as Fields
  const state = readState(readJson(folder, 'alloc.json') as FixtureState, hasher, () => undefined)
  engine.beginBlock({
    revision: FORKS[folder.slice(folder.lastIndexOf('/') + 1)] ?? 'Osaka',
    chainId: 1n,
    number: Number(env.currentNumber),
    timestamp: Number(env.currentTimestamp),
    gasLimit: BigInt(env.currentGasLimit as string),
    baseFee: parseNumber(env.currentBaseFee ?? '0x7'),
    coinbase: parseBytes(env.currentCoinbase as string),
    prevRandao: parseWord(env.currentRandom ?? '0x0'),
    blobBaseFee: 1n,
    burnBaseFee: true,
  })
  let lines: Line[] = []
  const sink: TraceSink = {
    steps: { stack: true, memory: false },
    onStep: (step) => void lines.push(stepLine(step)),
    onEvent(event) {
      const line = frameLine(event)
      if (line !== undefined) lines.push(line)
    },
  }
  for (const row of (readJson(folder, 'txs.json') as Fields[]).slice(0, index + 1)) {
    lines = []
    const price = parseNumber(row.gasPrice as string)
    const input = {
      type: 0,
      from: senderOf(row.secretKey as string, (bytes) => hasher.keccak256(bytes)),
      to: parseBytes(row.to as string),
      nonce: parseNumber(row.nonce as string),
      gas: parseNumber(row.gas as string),
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
      value: parseNumber(row.value as string),
      data: parseBytes(row.input as string),
      accessList: [],
      authorizations: [],
      maxFeePerBlobGas: 0n,
      blobHashes: [],
    } as const
    const outcome = answerFrom(engine.transact(input, { trace: sink }), state)
    if (outcome.kind === 'rejected') throw new Error(`rejected: ${outcome.code}`)
  }
  return lines
}

/** Steps and frames line by line; the ends of frames are the call tracer's. */
function compare(got: readonly Line[], wanted: readonly Line[]): string | undefined {
  const hasFrames = wanted.some((line) => 'type' in line)
  const isEnd = (line: Line) => 'output' in line
  const mine = got.filter((line) => !isEnd(line) && (hasFrames || !('type' in line)))
  // geth writes the step that a frame fails at twice, then with the error
  const theirs = wanted.filter((line) => !isEnd(line) && !('pc' in line && 'error' in line))
  for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
    const difference = compareLine(mine[i] ?? {}, theirs[i] ?? {})
    if (difference !== undefined) return `line ${i + 1}: ${difference}`
  }
  return undefined
}

function compareLine(got: Line, want: Line): string | undefined {
  for (const name of new Set([...Object.keys(want), ...Object.keys(got)])) {
    // geth prices SSTORE, and with that refunds, before it writes the step
    if (name === 'refund' && want.opName === 'SSTORE') continue
    const [mine, theirs] = [got[name], want[name]].map((value) => JSON.stringify(value))
    if (mine !== theirs) return `${name}: expected ${theirs}, got ${mine}`
  }
  return undefined
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  if (!filter(name)) return
  yield attempt(name, () => {
    const index = Number(/^trace-(\d+)-/.exec(name)?.[1])
    const wanted = (file.content as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    const got = trace(machines, dirname(file.path), index)
    return compare(got, wanted)
  })
}

/** EIP-3155 traces beside the input of geth's t8n tool that they are of. */
export const stepTraceTests: Suite = {
  recognises: ({ path }) => path.endsWith('.jsonl'),
  run: runFile,
}
