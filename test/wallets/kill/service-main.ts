import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { GroupCommit } from '../../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../../host/storage/store/sqlite/sqlite.ts'
import { openPipeline } from '../../../host/wallet/pipeline/open-pipeline.ts'
import type { Pipeline, PipelineTransactionBody } from '../../../host/wallet/pipeline/pipeline.ts'
import { WalletError } from '../../../host/wallet/protocol/wallet-error.ts'
import { SocketSignerLink } from '../../../host/wallet/signer/socket-signer-link.ts'
import { openWebhooks } from '../../../host/wallet/webhook/open-webhooks.ts'
import type { FromKilled, SendWish, ToKilled } from './kill-messages.ts'

// Runs the pipeline and the webhooks with their database and an HTTP server, to be killed with kill -9.

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

async function answer(pipeline: Pipeline, link: SocketSignerLink, text: string): Promise<unknown> {
  const { walletId, requestId, path, headers, body } = JSON.parse(text) as SendWish
  const method = 'POST' as const
  const asked = {
    appId: 'app',
    requestId,
    request: { method, path, body, headers, signatures: [] },
  }
  if (path === '/v1/wallets') return link.ask(asked)
  return pipeline.send(asked, walletId, JSON.parse(body) as PipelineTransactionBody)
}

async function serve({ folder, caip2, url }: ToKilled): Promise<void> {
  const database = openDatabase(join(folder, 'service.db'))
  const commits = new GroupCommit(database)
  const webhooks = openWebhooks({
    database,
    commits,
    allowPrivate: true,
    times: { pollMs: 50, backoff: Array(1_000).fill(50) },
  })
  const link = new SocketSignerLink(join(folder, 's'))
  const pipeline = await openPipeline({
    database,
    commits,
    signer: link,
    chains: [{ caip2, url }],
    outbox: webhooks,
    times: { pollMs: 20, patienceMs: 100 },
  })
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const text = await bodyOf(request)
      const isWebhook = request.url === '/webhooks'
      const made = isWebhook
        ? await webhooks.create('app', JSON.parse(text))
        : await answer(pipeline, link, text)
      response.end(JSON.stringify(made))
    } catch (error) {
      const { status, message, details } =
        error instanceof WalletError ? error : new WalletError('internal_error', String(error))
      response.writeHead(status).end(JSON.stringify({ error: message, ...details }))
    }
  }
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ ready: (server.address() as AddressInfo).port } satisfies FromKilled)
  })
}

process.on('message', (message: ToKilled) => {
  serve(message).catch((error) => {
    process.stderr.write(`${error?.stack}\n`)
    process.exit(1)
  })
})

// The test process has ended, normally or not.
process.on('disconnect', () => process.exit())
