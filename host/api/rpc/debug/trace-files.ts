import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { formatData, hexDigits } from '../../../base/hex.ts'
import { planReplay, type ReplayPlan } from '../../../evm/execute/replay/replay-plan.ts'
import { RECORD_END } from '../../../evm/trace/job/traced-lines.ts'
import { STRUCT_TRACER } from '../../../evm/trace/tracers/tracer-table.ts'
import { asObject, HASH, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireHeight } from '../resolve/block-lookup.ts'
import { checkTraceable, planContext, startTrace } from './run-trace.ts'
import { NO_TRACE_OPTIONS, TRACE_OPTIONS, type TraceRequestOptions } from './trace-options.ts'

/** Options of a trace written to files. */
export interface FileTraceOptions {
  readonly options: TraceRequestOptions
  /** The only transaction to trace; undefined traces the whole block. */
  readonly hash: Uint8Array | undefined
}

export const NO_FILE_TRACE_OPTIONS: FileTraceOptions = {
  options: NO_TRACE_OPTIONS,
  hash: undefined,
}

export const FILE_TRACE_OPTIONS: ParamType<FileTraceOptions> = {
  label: 'trace options',
  decode: (value) => {
    const object = asObject(value, 'trace options')
    const { tracer: _, ...others } = object
    return {
      options: TRACE_OPTIONS.decode(others),
      // geth matches member names case-insensitively, and its clients send this spelling.
      hash: member(object, 'txHash', HASH) ?? member(object, 'TxHash', HASH),
    }
  },
}

/** @throws NOT_FOUND always, because rejected blocks are not stored. */
export function badBlockNotFound(_: MethodCall, hash: Uint8Array): never {
  throw new LockstepError('NOT_FOUND', `bad block ${formatData(hash)} not found`)
}

/** Writes the steps of one or all transactions of a block to files on the node's machine; returns their names. */
export async function traceBlockToFiles(
  call: MethodCall,
  blockHash: Uint8Array,
  { options, hash }: FileTraceOptions,
): Promise<string[]> {
  const { context } = call
  const height = requireHeight(context, { kind: 'hash', hash: blockHash }, blockNotFound)
  const at = hash === undefined ? undefined : context.chain.locate(hash)
  if (hash !== undefined && at?.height !== height) {
    throw new LockstepError('NOT_FOUND', `transaction ${formatData(hash)} not found in block`)
  }
  checkTraceable(context, height)
  const count = at === undefined ? undefined : at.index + 1
  const plan = planReplay(planContext(context), height, count)
  const from = at?.index ?? 0
  const output = await startTrace(call, STRUCT_TRACER, options, {
    job: { plan, target: { kind: 'lines', from } },
    view: context.history.before(height),
  })
  const files = new TraceFiles(plan, from)
  try {
    if (output instanceof Uint8Array) await files.write(output)
    else {
      let step = await output.next()
      for (; step.done !== true; step = await output.next()) await files.write(step.value.borrowed)
      if (step.value !== undefined) throw step.value
    }
    return files.names
  } catch (thrown) {
    await files.remove()
    throw thrown
  } finally {
    await files.close()
  }
}

/** The files of a block, one per transaction, named as in geth. */
class TraceFiles {
  readonly names: string[] = []
  readonly #plan: ReplayPlan
  readonly #from: number
  #file: FileHandle | undefined

  constructor(plan: ReplayPlan, from: number) {
    this.#plan = plan
    this.#from = from
  }

  /** Writes the next part of the lines. */
  async write(bytes: Uint8Array): Promise<void> {
    let at = 0
    while (at < bytes.length) {
      const end = bytes.indexOf(RECORD_END, at)
      this.#file ??= await this.#open()
      await this.#file.write(bytes.subarray(at, end < 0 ? bytes.length : end))
      if (end < 0) return
      await this.close()
      at = end + 1
    }
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async remove(): Promise<void> {
    await this.close()
    await Promise.all(this.names.map((name) => rm(name, { force: true })))
  }

  async #open(): Promise<FileHandle> {
    const index = this.#from + this.names.length
    const hash = this.#plan.transactions[index]?.transaction.hash ?? new Uint8Array()
    const [block, transaction] = [this.#plan.blockHash, hash].map((long) => long.slice(0, 4)) as [
      Uint8Array,
      Uint8Array,
    ]
    const random = hexDigits(randomBytes(6))
    const file = `block_${formatData(block)}-${index}-${formatData(transaction)}-${random}`
    const name = join(tmpdir(), file)
    const handle = await open(name, 'wx', 0o600)
    this.names.push(name)
    return handle
  }
}
