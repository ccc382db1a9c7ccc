import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang up') {
    response.destroy()
    return
  }
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    ...answer.headers,
  })
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
}

/** A wallet service that answers what a test says, and keeps what it was asked. */
export async function startScriptedService(): Promise<ScriptedService> {
  const received: Received[] = []
  const service = { received, answers: [] as Answer[] }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: text === '' ? undefined : JSON.parse(text) })
    const [answer = { body: {} }] = service.answers
    if (service.answers.length > 1) service.answers.shift()
    reply(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(service, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
}
