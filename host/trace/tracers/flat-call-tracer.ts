import { formatData, formatQuantity, type Hex, parseData } from '../../base/hex.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { Revision } from '../../chain-types/revision.ts'
import { readFlag, type TracedMessage, type Tracer, type TracerRequest } from '../tracer.ts'
import { type CallFrame, CallTracer } from './call-tracer.ts'

/** Parity's names for failures, by geth's text. */
const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

const PARITY_ERROR_PREFIXES: readonly (readonly [prefix: string, name: string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

function parityError(error: string): string {
  return (
    PARITY_ERRORS.get(error) ??
    PARITY_ERROR_PREFIXES.find(([prefix]) => error.startsWith(prefix))?.[1] ??
    error
  )
}

interface FlatOptions {
  /** Write failures in Parity's words. */
  readonly convertParityErrors: boolean
  /** Show calls to precompiles. */
  readonly includePrecompiles: boolean
}

/** Members that say where the transaction stands; a simulated call stands nowhere. */
function placeOf({ env, position }: TracedMessage): object {
  return {
    blockHash: position === undefined ? null : formatData(position.blockHash),
    blockNumber: position === undefined ? 0 : env.number,
    transactionHash: position === undefined ? null : formatData(position.transactionHash),
    transactionPosition: position?.index ?? 0,
  }
}

function actionOf(frame: CallFrame): object {
  // Only STATICCALL has no value, and Parity's frames always have one.
  const value: Hex = frame.value ?? formatQuantity(0n)
  switch (frame.type) {
    case 'CREATE':
    case 'CREATE2':
      return {
        creationMethod: frame.type.toLowerCase(),
        from: frame.from,
        gas: frame.gas,
        init: frame.input,
        value,
      }
    case 'SELFDESTRUCT':
      return { address: frame.from, balance: value, refundAddress: frame.to }
    default:
      return {
        callType: frame.type.toLowerCase(),
        from: frame.from,
        gas: frame.gas,
        input: frame.input,
        to: frame.to,
        value,
      }
  }
}

/** Absent for a failure, unless the revert says why, and for SELFDESTRUCT. */
function resultOf(frame: CallFrame): object | undefined {
  const { type, error, gasUsed, output = '0x' } = frame
  if (type === 'SELFDESTRUCT') return undefined
  if (error !== undefined && error !== 'execution reverted') return undefined
  if (type !== 'CREATE' && type !== 'CREATE2') return { gasUsed, output }
  return { ...(frame.to !== undefined && { address: frame.to }), code: output, gasUsed }
}

function isPrecompileCall({ type, to }: CallFrame, revision: Revision): boolean {
  if ((type !== 'CALL' && type !== 'STATICCALL') || to === undefined) return false
  return isPrecompile(parseData(to), revision)
}

/**
 * The frames of callTracer one after another, as Parity's trace_ methods give them and geth's
 * flatCallTracer: each names its place in the tree by `traceAddress`.
 */
export function flatCallTracer(request: TracerRequest): Tracer {
  const { message, config, writer } = request
  const options: FlatOptions = {
    convertParityErrors: readFlag(config, 'convertParityErrors'),
    includePrecompiles: readFlag(config, 'includePrecompiles'),
  }
  const tracer = new CallTracer({
    onlyTopCall: false,
    withLog: false,
    maxBytes: request.limits.keptBytes,
  })
  const place = placeOf(message)

  const write = (frame: CallFrame, traceAddress: readonly number[]) => {
    const result = resultOf(frame)
    const calls = (frame.calls ?? []).filter(
      (call) => options.includePrecompiles || !isPrecompileCall(call, message.env.revision),
    )
    const { error } = frame
    writer.value({
      action: actionOf(frame),
      ...place,
      ...(error !== undefined && {
        error: options.convertParityErrors ? parityError(error) : error,
      }),
      ...(result !== undefined && { result }),
      subtraces: calls.length,
      traceAddress,
      type: typeOf(frame),
    })
    for (const [i, call] of calls.entries()) write(call, [...traceAddress, i])
  }

  return {
    sink: tracer,
    finish: ({ gasUsed }) => {
      writer.beginArray()
      write(tracer.finish(message.input.gas, gasUsed), [])
      writer.end()
    },
  }
}

function typeOf({ type }: CallFrame): string {
  if (type === 'SELFDESTRUCT') return 'suicide'
  return type === 'CREATE' || type === 'CREATE2' ? 'create' : 'call'
}
