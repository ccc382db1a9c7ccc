import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerJson, startFakeServer } from '../fake-server.ts'

/** A call received over HTTP. */
export interface FakeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A JSON-RPC error as the response of a fake node. */
export class FakeRefusal {
  readonly error: { readonly code: number; readonly message: string }

  constructor(code: number, message: string) {
    this.error = { code, message }
  }
}

export interface FakeNode {
  readonly url: string
  /** The methods of each received batch. */
  readonly requests: readonly (readonly string[])[]
  stop(): Promise<void>
}

/** Behaviour of a fake node. It answers calls, unless `raw` handles the whole request. */
export interface FakeBehaviour {
  /** Returns the result of a call, a FakeRefusal, or a promise of either. */
  readonly answer?: (call: FakeCall) => unknown
  /** Returns true while it destroys connections, including those of requests in progress. */
  readonly isAway?: () => boolean
  /** Handles the request itself and returns true, or returns false. */
  readonly raw?: (
    response: ServerResponse,
    calls: readonly (FakeCall & { readonly id: number })[],
    request: IncomingMessage,
  ) => boolean
}

/** Starts a JSON-RPC server on loopback with the behaviour that a test sets. */
export async function startFakeNode({
  answer,
  raw,
  isAway = () => false,
}: FakeBehaviour): Promise<FakeNode> {
  const requests: string[][] = []
  const { url, close } = await startFakeServer(async (response, { body }, request) => {
    const parsed = JSON.parse(body)
    const list = (Array.isArray(parsed) ? parsed : [parsed]) as (FakeCall & { id: number })[]
    requests.push(list.map(({ method }) => method))
    if (isAway()) return response.destroy()
    if (raw?.(response, list, request) === true) return
    const answers: unknown[] = []
    for (const call of list) {
      const result = await answer?.(call)
      const part = result instanceof FakeRefusal ? { error: result.error } : { result }
      answers.push({ jsonrpc: '2.0', id: call.id, ...part })
    }
    if (isAway()) return response.destroy()
    answerJson(response, 200, Array.isArray(parsed) ? answers : answers[0])
  })
  return { url, requests, stop: close }
}
