import { parseData } from '../../../host/base/hex.ts'
import type { Executed } from '../../../host/evm/engine/outcome.ts'
import type { EnterEvent, ExitEvent, FrameType } from '../../../host/evm/engine/trace-event.ts'
import { ChunkedJsonWriter } from '../../../host/evm/trace/json-writer.ts'
import type { TracerRequest } from '../../../host/evm/trace/tracer.ts'
import { BLOCK, stateWith, transaction } from '../engine/engine-fixture.ts'

const EMPTY_STATE = stateWith(new Uint8Array())

/**
 * Returns a request for a tracer of transaction 3 in block 7, and a function that returns the JSON value it has
 * written.
 */
export function requestOf(config: Record<string, unknown> = {}): {
  request: TracerRequest
  result: () => unknown
} {
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
  const input = transaction({
    from: new Uint8Array(20).fill(0xaa),
    to: new Uint8Array(20).fill(0xbb),
    gas: 100_000n,
  })
  const request: TracerRequest = {
    message: {
      input,
      env: { ...BLOCK, number: 7 },
      gasPrice: 1n,
      position: {
        blockHash: new Uint8Array(32).fill(1),
        index: 3,
        transactionHash: new Uint8Array(32).fill(2),
      },
    },
    config,
    limits: { structLogBytes: 1 << 20 },
    view: EMPTY_STATE,
    writer,
  }
  const result = () => {
    writer.flush()
    return JSON.parse(Buffer.concat(chunks).toString())
  }
  return { request, result }
}

export function enter(
  depth: number,
  type: FrameType,
  from: string,
  to: string,
  input = '0x',
): EnterEvent {
  return {
    kind: 'enter',
    type,
    depth,
    from: parseData(from),
    to: parseData(to),
    input: parseData(input),
    gas: 1000n,
    value: type === 'STATICCALL' ? undefined : 0n,
  }
}

export function exit(depth: number, output = '0x', error?: string): ExitEvent {
  return {
    kind: 'exit',
    depth,
    gasUsed: 10n,
    output: parseData(output),
    error,
    reverted: error === 'execution reverted',
  }
}

export function executed(gasUsed: bigint): Executed {
  return {
    kind: 'executed',
    success: true,
    error: undefined,
    reverted: false,
    gasUsed,
    gasRefunded: 0n,
    blockGas: gasUsed,
    stateGas: 0n,
    output: new Uint8Array(),
    createdAddress: undefined,
    logs: [],
    accessed: [],
  }
}
