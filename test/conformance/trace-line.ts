import { formatData, formatQuantity } from '../../host/base/hex.ts'
import { OPCODES } from '../../host/evm/engine/opcode.ts'
import type { StepRecord, TraceEvent, TraceSink } from '../../host/evm/engine/trace-event.ts'

/** A line of an EIP-3155 trace as geth writes it: a step, a frame entered, or a frame's end. */
export type Line = Readonly<Record<string, unknown>>

/** Returns a sink that appends the lines of the next transaction. */
export function recordInto(lines: Line[]): TraceSink {
  return {
    steps: { stack: true, memory: false },
    onStep: (step) => void lines.push(stepLine(step)),
    onEvent(event) {
      const line = frameLine(event)
      if (line !== undefined) lines.push(line)
    },
  }
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
    error: step.isRefused ? step.error : undefined,
  }
}

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
        error: event.error,
      }
    default:
      return undefined
  }
}

/**
 * Parses the lines of a golden file, without the second line that geth writes for a step that fails while executing.
 */
export function parseLines(text: string): Line[] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return lines.filter((line, index) => !isRepeated(line, lines[index - 1]))
}

function isRepeated(line: Line, before: Line | undefined): boolean {
  if (before === undefined || !('pc' in line && 'error' in line)) return false
  return before.pc === line.pc && before.depth === line.depth && before.gas === line.gas
}

/** Returns the first differing line. Frame entries count only if the golden file has them. */
export function compareLines(got: readonly Line[], wanted: readonly Line[]): string | undefined {
  const hasFrames = wanted.some((line) => 'type' in line)
  const mine = got.filter((line) => hasFrames || !('type' in line))
  for (let i = 0; i < Math.max(mine.length, wanted.length); i++) {
    const difference = compareLine(mine[i] ?? {}, wanted[i] ?? {})
    if (difference !== undefined) return `line ${i + 1}: ${difference}`
  }
  return undefined
}

function compareLine(got: Line, want: Line): string | undefined {
  for (const name of new Set([...Object.keys(want), ...Object.keys(got)])) {
    // geth computes the gas and refund of SSTORE before it writes the step
    if (name === 'refund' && want.opName === 'SSTORE') continue
    const [mine, theirs] = [got[name], want[name]].map((value) => JSON.stringify(value))
    if (mine !== theirs) return `${name}: expected ${theirs}, got ${mine}`
  }
  return undefined
}
