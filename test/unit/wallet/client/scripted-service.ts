import type { IncomingHttpHeaders } from 'node:http'
import { startFakeServer } from '../../../support/fake-server.ts'

/** A request as it came in. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Parsed; undefined where there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of it differs
  readonly body: any
}

export type Answer =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }
  | 'hang up'

export interface ScriptedService {
  readonly url: string
  readonly received: Received[]
  /** Answers of the requests to come, in turn; the last one of all further ones. */
  answers: Answer[]
  close(): Promise<void>
}

/** A wallet service that answers what a test says, and keeps what it was asked. */
export async function startScriptedService(): Promise<ScriptedService> {
  const service = { received: [] as Received[], answers: [] as Answer[] }
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
