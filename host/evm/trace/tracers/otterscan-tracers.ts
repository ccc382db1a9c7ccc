import { formatQuantity, type Hex } from '../../../base/hex.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'
import { CallTracer, type TracedFrame } from './call-tracer.ts'

/** Operation numbers of ots_getInternalOperations. */
const OPERATION = { TRANSFER: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 } as const

const ZERO = formatQuantity(0n)

/** Shown for a creation without an address. */
const NO_ADDRESS: Hex = `0x${'00'.repeat(20)}`

/** Opens a tracer that writes once the call tree is complete. */
function treeTracer(
  request: TracerRequest,
  write: (writer: ChunkedJsonWriter, root: TracedFrame) => void,
  onlyTopCall = false,
): Tracer {
  const { message, writer, limits } = request
  const tracer = new CallTracer({ onlyTopCall, withLog: false, maxBytes: limits.keptBytes })
  return {
    sink: tracer,
    finish: ({ gasUsed }) => write(writer, tracer.finish(message.input.gas, gasUsed)),
  }
}

/** Returns the wei that a frame transferred; null if its type cannot transfer any. */
function movedBy({ type, value }: TracedFrame): Hex | null {
  if (type === 'DELEGATECALL' || type === 'STATICCALL') return null
  return value ?? ZERO
}

function writeEntries(writer: ChunkedJsonWriter, frame: TracedFrame, depth: number): void {
  const { type, from, to = NO_ADDRESS, input, output = '0x' } = frame
  writer.value({ type, depth, from, to, value: movedBy(frame), input, output })
  for (const call of frame.calls ?? []) writeEntries(writer, call, depth + 1)
}

/** ots_traceTransaction: the frames as a list, each with its depth. */
export function otsTraceTracer(request: TracerRequest): Tracer {
  return treeTracer(request, (writer, root) => {
    writer.beginArray()
    writeEntries(writer, root, 0)
    writer.end()
  })
}

function operationOf({ type, value }: TracedFrame): number | undefined {
  switch (type) {
    case 'CREATE':
      return OPERATION.CREATE
    case 'CREATE2':
      return OPERATION.CREATE2
    case 'SELFDESTRUCT':
      return OPERATION.SELFDESTRUCT
    case 'CALL':
      return value === undefined || value === ZERO ? undefined : OPERATION.TRANSFER
    default:
      return undefined
  }
}

/** A failed frame was reverted, so it transferred nothing. */
function writeOperations(writer: ChunkedJsonWriter, frame: TracedFrame): void {
  if (frame.error !== undefined) return
  for (const call of frame.calls ?? []) {
    const type = operationOf(call)
    if (type !== undefined && call.error === undefined) {
      writer.value({ type, from: call.from, to: call.to, value: call.value ?? ZERO })
    }
    writeOperations(writer, call)
  }
}

/** ots_getInternalOperations: ether transfers, creations and SELFDESTRUCTs below the transaction's own frame. */
export function otsOperationsTracer(request: TracerRequest): Tracer {
  return treeTracer(request, (writer, root) => {
    writer.beginArray()
    writeOperations(writer, root)
    writer.end()
  })
}

/** ots_getTransactionError: the transaction's revert data; 0x if it did not revert. */
export function otsErrorTracer(request: TracerRequest): Tracer {
  const isReverted = ({ error }: TracedFrame) => error === 'execution reverted'
  return treeTracer(
    request,
    (writer, root) => writer.value(isReverted(root) ? (root.output ?? '0x') : '0x'),
    true,
  )
}
