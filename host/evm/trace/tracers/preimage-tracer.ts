import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import { KECCAK256 } from '../../engine/generated/opcode.ts'
import type { StepRecord } from '../../engine/trace-event.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'
import { FrameMemories } from './frame-memory.ts'

/** Maximum bytes past the end of memory that a preimage may reach, as in geth. */
const MAX_PADDING = 1n << 20n

/**
 * geth's keccak256PreimageTracer: the inputs of the transaction's KECCAK256 opcodes, by hash. They reveal the keys of
 * Solidity mappings and arrays.
 * @throws LIMIT_EXCEEDED if the preimages exceed the limit of kept bytes.
 */
export function preimageTracer({ limits, writer }: TracerRequest, keccak256: Keccak256): Tracer {
  const memories = new FrameMemories()
  const preimages = new Map<string, string>()
  const { keptBytes = Number.POSITIVE_INFINITY } = limits
  let kept = 0
  const note = (step: StepRecord): void => {
    if (step.opcode !== KECCAK256 || step.stackHeight < 2) return
    const offset = step.wordAt(step.stackHeight - 1)
    const end = offset + step.wordAt(step.stackHeight - 2)
    if (end > BigInt(step.memorySize) + MAX_PADDING) return
    const preimage = memories.read(step.depth, Number(end)).slice(Number(offset), Number(end))
    const hash = formatData(keccak256(preimage))
    if (preimages.has(hash)) return
    kept += preimage.length
    if (kept > keptBytes) {
      const key = 'evm.max_trace_kept_bytes'
      const text = `the tracer would keep more than ${keptBytes} bytes (${key})`
      throw new LockstepError('LIMIT_EXCEEDED', text, { data: { key, limit: keptBytes } })
    }
    preimages.set(hash, formatData(preimage))
  }
  return {
    sink: {
      steps: { stack: true, memory: true },
      ignoresLogs: true,
      onEvent: (event) => {
        if (event.kind === 'enter') memories.enter(event.depth + 1)
      },
      onStep: note,
      onMemory: (depth, offset, bytes) => memories.write(depth, offset, bytes),
    },
    finish: () => writer.value(Object.fromEntries([...preimages].sort())),
  }
}
