import { chooseTransport } from '../../host/api/server/listen.ts'
import { WorkScheduler } from '../../host/api/server/work-scheduler.ts'
import { BODY } from './resource.ts'

/** Serves the resource for free on the server behind the gate, to measure the gate's cost as a difference. */
const { listen } = await chooseTransport('auto')
const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const body = JSON.stringify(BODY)
const server = await listen({
  work: new WorkScheduler(1 << 24),
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 1000,
  bodyIdleMs: 5000,
  maxConnections: 1000,
  handler: () => ({ status: 200, headers, body }),
})
process.send?.(server.port)
