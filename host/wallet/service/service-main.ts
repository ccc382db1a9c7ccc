import { join } from 'node:path'
import { nodeTransport } from '../../api/server/listen.ts'
import { localPage } from '../../api/server/local-page.ts'
import type { HttpHandler } from '../../api/server/server.ts'
import { WorkScheduler } from '../../api/server/work-scheduler.ts'
import { messageOf } from '../../base/error.ts'
import type { CommitMark } from '../../storage/store/sqlite/commit-mark.ts'
import { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { guardDatabase, verifyDatabase } from '../../storage/store/sqlite/guard-database.ts'
import { type ChildContext, type ChildService, runChild } from '../launch/run-child.ts'
import type { ServiceFacts, ServiceStart } from '../launch/start-contract.ts'
import { RecordingSigner } from '../page/recording-signer.ts'
import { renderWallets, WALLETS_PAGE } from '../page/wallets-page.ts'
import { openPipeline } from '../pipeline/open-pipeline.ts'
import { SocketSignerLink } from '../signer/socket-signer-link.ts'
import { openWebhooks } from '../webhook/open-webhooks.ts'
import { AppStore } from './app-store.ts'
import { IdempotencyStore } from './idempotency-store.ts'
import { pageSource } from './page-source.ts'
import { RateLimits } from './rate-limits.ts'
import { RouteAnswers } from './route-answers.ts'
import { openServiceDatabase } from './service-database.ts'
import { MAX_BODY_BYTES, WalletApi } from './wallet-api.ts'

/** Bodies and responses of all clients together. */
const MAX_HELD_BYTES = 64 << 20

const MAX_CONNECTIONS = 4096
const BODY_IDLE_MS = 10_000

/** Grace period of requests in progress when the service stops. */
const CLOSE_GRACE_MS = 4_000

/** Bodies above the limit get an error in JSON. Only much longer ones are cut off by the server itself. */
const READ_BODY_BYTES = 4 * MAX_BODY_BYTES

/** Serves the API. This process has no keys: the signer decides on everything it signs. */
async function serve({
  start,
  log,
  confine,
}: ChildContext<ServiceStart>): Promise<ChildService<ServiceFacts>> {
  const transport = await nodeTransport()
  await confine()
  /** Set once all tables exist. */
  let mark: CommitMark | undefined
  const path = join(start.folder, 'service.db')
  verifyDatabase(path)
  const database = openServiceDatabase(path)
  const commits = new GroupCommit(database, () => mark?.note())
  const onTrouble = (error: unknown) => log.warn('wallets', { reason: messageOf(error) })
  const webhooks = openWebhooks({
    database,
    commits,
    allowPrivate: start.webhookAllowPrivate,
    onTrouble,
  })
  const chains = start.chains.map(({ id, rpc }) => ({ caip2: id, url: rpc }))
  const link = new RecordingSigner(new SocketSignerLink(start.socket))
  const pipeline = await openPipeline({
    database,
    commits,
    signer: link,
    chains,
    outbox: webhooks,
    onTrouble,
  })
  mark = guardDatabase(database, path)
  const apps = new AppStore(database)
  const api = new WalletApi({
    apps,
    link,
    idempotency: new IdempotencyStore(database, commits),
    limits: new RateLimits(start.rateLimit),
    answers: new RouteAnswers({ pipeline, link, webhooks, commits }),
    onFailure: (error, requestId) =>
      log.error('a request to the wallets failed', { requestId, reason: messageOf(error) }),
  })
  const page = localPage(() => renderWallets(pageSource(apps, link, pipeline)))
  const handler: HttpHandler = (request) =>
    request.path === WALLETS_PAGE ? page(request) : api.handle(request)
  const { tls } = start
  const server = await transport.listen({
    work: new WorkScheduler(MAX_HELD_BYTES),
    host: start.host,
    port: start.port,
    maxBodyBytes: READ_BODY_BYTES,
    bodyIdleMs: BODY_IDLE_MS,
    maxConnections: MAX_CONNECTIONS,
    ...(tls !== undefined && {
      tls: {
        ...tls,
        onChange: (change) =>
          change.kind === 'renewed'
            ? log.info('the certificate was renewed', { names: change.names })
            : log.error('the certificate before is kept', { reason: change.error.message }),
      },
    }),
    handler,
  })
  return {
    facts: { port: server.port },
    close: async () => {
      await server.close(CLOSE_GRACE_MS)
      await pipeline.close()
      await webhooks.close()
      await link.close()
      mark?.close()
      database.close()
    },
  }
}

await runChild(serve)
