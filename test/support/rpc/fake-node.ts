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
  /** The result of a call, a FakeRefusal, or a promise of either. */
  readonly answer?: (call: FakeCall) => unknown
  /** True while it breaks the connections of requests, those that it works on among them. */
  readonly isAway?: () => boolean
  /** Answers the request itself and gives true, or leaves it. */
  readonly raw?: (
    response: ServerResponse,
    calls: readonly (FakeCall & { readonly id: number })[],
    request: IncomingMessage,
  ) => boolean
}

/** A node's JSON-RPC on loopback that says whatever a test wants. */
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
