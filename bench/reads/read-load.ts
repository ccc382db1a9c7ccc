import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RpcClient } from '../rpc-client.ts'
import { quantile } from '../statistics.ts'
import type { Question } from './reads-chain.ts'

export interface ReadRate {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface ReadLoad {
  readonly connections: number
  readonly seconds: number
}

/** Asks one question repeatedly. Each connection sends the next request as soon as it has the previous response. */
export type AskAll = (url: string, question: Question, load: ReadLoad) => Promise<ReadRate>

/**
 * Returns wrk's script: it cycles through the lines of a file as bodies, and prints the figures as one line of JSON.
 */
function wrkScript(bodies: string): string {
  return `
local requests, turn = {}, 0
wrk.headers["Content-Type"] = "application/json"
function init()
  for body in io.lines("${bodies}") do requests[#requests + 1] = wrk.format("POST", nil, nil, body) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d}\\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

const askWithWrk: AskAll = async (url, question, { connections, seconds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-reads-'))
  const script = join(folder, 'ask.lua')
  const bodies = question.params.map((params) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: question.method, params }),
  )
  const lines = join(folder, 'bodies')
  writeFileSync(lines, `${bodies.join('\n')}\n`)
  writeFileSync(script, wrkScript(lines))
  try {
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url]
    const { stdout } = await promisify(execFile)('wrk', args)
    const figures = JSON.parse(stdout.trim().split('\n').at(-1) as string) as Record<string, number>
    const { requests = 0, us = 0, p50 = 0, p99 = 0, failed = 0 } = figures
    if (failed > 0) throw new Error(`${question.name}: ${failed} requests failed`)
    return { perSecond: requests / (us / 1e6), p50Ms: p50 / 1000, p99Ms: p99 / 1000 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const askWithOwnClient: AskAll = async (url, { method, params }, { connections, seconds }) => {
  const client = new RpcClient(url, connections)
  const latencies: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  let turn = 0
  const ask = async (): Promise<void> => {
    for (let now = performance.now(); now < end; ) {
      await client.drain(method, params[turn++ % params.length] ?? [])
      const answered = performance.now()
      latencies.push(answered - now)
      now = answered
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const elapsed = (performance.now() - start) / 1000
  client.close()
  return {
    perSecond: latencies.length / elapsed,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  }
}

/** Returns wrk if it is installed: a client in JavaScript takes longer per request than the nodes do. */
export function readClient(): { readonly name: 'wrk' | 'node'; readonly ask: AskAll } {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' })
  } catch (error) {
    // `wrk --version` prints its version and exits with 1.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { name: 'node', ask: askWithOwnClient }
    }
  }
  return { name: 'wrk', ask: askWithWrk }
}
