import type {
  TraceOutput,
  TracePhase,
  TraceRequest,
} from '../../../host/api/trace-pool/trace-runner.ts'
import { LockstepError } from '../../../host/base/error.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import type { TraceJob } from '../../../host/evm/trace/job/trace-job.ts'
import { assemble } from '../engine/bytecode.ts'
import { BLOCK, stateWith, transaction } from '../engine/engine-fixture.ts'

/** Returns code that reads the slots from 0 to `turns`, one in each turn of a loop. */
export function readingLoop(turns: number): Uint8Array {
  // [i] JUMPDEST DUP1 SLOAD POP 1 ADD DUP1 turns GT JUMPI
  return assemble(
    0,
    'JUMPDEST',
    'DUP1',
    'SLOAD',
    'POP',
    1,
    'ADD',
    'DUP1',
    turns,
    'GT',
    1 + 0 + 1,
    'JUMPI',
    'STOP',
  )
}

export const ENDLESS = assemble('JUMPDEST', 0, 'JUMP')
export const GAS = 1n << 40n

/** A state that counts its reads. */
export class CountingState implements StateView {
  reads = 0
  readonly #state

  constructor(code: Uint8Array) {
    this.#state = stateWith(code)
  }

  account(address: Uint8Array) {
    this.reads++
    return this.#state.account(address)
  }

  storage(address: Uint8Array, slot: Uint8Array) {
    this.reads++
    return this.#state.storage(address, slot)
  }

  code(codeHash: Uint8Array) {
    this.reads++
    return this.#state.code(codeHash)
  }

  blockHash(number: number) {
    return this.#state.blockHash(number)
  }
}

/** The default client of requests. */
export const CLIENT = {}

const LIMITS = { structLogBytes: 1 << 30 }

export function callJob(tracer: string, config: TraceJob['config'] = {}): TraceJob {
  const input = transaction({ gas: GAS, maxFeePerGas: 0n })
  const call = { input, env: { ...BLOCK, gasLimit: GAS, baseFee: 0n, revision: 'Prague' as const } }
  return {
    target: { kind: 'call', call: { ...call, priced: false, stateOverrides: [] } },
    plan: undefined,
    tracer,
    config,
    limits: LIMITS,
  }
}

export function request(
  code: Uint8Array,
  options: Partial<TraceRequest> = {},
): TraceRequest & { readonly view: CountingState } {
  return {
    job: callJob('noopTracer'),
    client: CLIENT,
    waitMs: 600_000,
    timeoutMs: 600_000,
    expired: (phase: TracePhase) => new LockstepError('LIMIT_EXCEEDED', `over in ${phase}`),
    signal: new AbortController().signal,
    ...options,
    view: new CountingState(code),
  }
}

/** Returns the rest of an output, and the error that it returned. */
export async function drain(
  output: TraceOutput,
): Promise<{ text: string; error: Error | undefined }> {
  if (output instanceof Uint8Array) {
    return { text: Buffer.from(output).toString(), error: undefined }
  }
  const parts: Uint8Array[] = []
  for (;;) {
    const step = await output.next()
    if (step.done === true) return { text: Buffer.concat(parts).toString(), error: step.value }
    parts.push(new Uint8Array(step.value.borrowed))
  }
}

export const resultOf = async (output: TraceOutput) => JSON.parse((await drain(output)).text)
