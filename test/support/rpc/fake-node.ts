import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerJson, startFakeServer } from '../fake-server.ts'

/** A call as it came over HTTP. */
export interface FakeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** An error that a fake node answers a call with. */
export class FakeRefusal {
  readonly error: { readonly code: number; readonly message: string }

  constructor(code: number, message: string) {
    this.error = { code, message }
  }
}

export interface FakeNode {
  readonly url: string
  /** The batches that came: the methods of each. */
  readonly requests: readonly (readonly string[])[]
  stop(): Promise<void>
}

/** What a fake node does: it answers calls, unless `raw` answers the whole request. */
export interface FakeBehaviour {
  /** The result of a call, or a FakeRefusal. */
  readonly answer?: (call: FakeCall) => unknown
  /** Answers the request itself and gives true, or leaves it. */
  readonly raw?: (
    response: ServerResponse,
    calls: readonly (FakeCall & { readonly id: number })[],
    request: IncomingMessage,
  ) => boolean
}

/** A node's JSON-RPC on loopback that says whatever a test wants. */
export async function startFakeNode({ answer, raw }: FakeBehaviour): Promise<FakeNode> {
  const requests: string[][] = []
  const { url, close } = await startFakeServer((response, { body }, request) => {
    const parsed = JSON.parse(body)
    const list = (Array.isArray(parsed) ? parsed : [parsed]) as (FakeCall & { id: number })[]
    requests.push(list.map(({ method }) => method))
    if (raw?.(response, list, request) === true) return
    const answers = list.map((call) => {
      const result = answer?.(call)
      const part = result instanceof FakeRefusal ? { error: result.error } : { result }
      return { jsonrpc: '2.0', id: call.id, ...part }
    })
    answerJson(response, 200, Array.isArray(parsed) ? answers : answers[0])
  })
  return { url, requests, stop: close }
}
