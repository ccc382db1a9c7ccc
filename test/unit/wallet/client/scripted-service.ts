import type { IncomingHttpHeaders } from 'node:http'
import { startFakeServer } from '../../../support/fake-server.ts'

/** A request as the service received it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON; undefined without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of it differs
  readonly body: any
}

export type ScriptedAnswer =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }
  | 'hang up'

export interface ScriptedService {
  readonly url: string
  readonly received: Received[]
  /** Answers to the next requests, in order. The last one is repeated. */
  answers: ScriptedAnswer[]
  close(): Promise<void>
}

/** Starts a wallet service with configured answers that records its requests. */
export async function startScriptedService(): Promise<ScriptedService> {
  const service = { received: [] as Received[], answers: [] as ScriptedAnswer[] }
  const { url, close } = await startFakeServer((response, { body: text, ...request }) => {
    service.received.push({ ...request, body: text === '' ? undefined : JSON.parse(text) })
    const [answer = { body: {} }] = service.answers
    if (service.answers.length > 1) service.answers.shift()
    if (answer === 'hang up') return response.destroy()
    const headers = { 'content-type': 'application/json', ...answer.headers }
    response.writeHead(answer.status ?? 200, headers)
    return response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
  return Object.assign(service, { url, close })
}
