import { parseArgs } from 'node:util'
import { generatedFlood, namedFloods } from '../test/faults/flood/flood.ts'
import { type FloodRun, runFlood, startFloodNode } from '../test/faults/flood/flood-node.ts'
import { makeDice } from '../test/fuzz/dice.ts'
import { residentBytes } from '../test/support/flood/flood-watch.ts'
import { initializeValidator, makeHome, removeHome } from '../test/support/node/daemon.ts'
import { quantile } from './statistics.ts'

/** Bounds under any client load, in milliseconds. A block is due every 400. */
const BLOCK_GAP_P99 = 600
const HONEST_P99 = 100
/**
 * Bytes of memory beyond those of the idle node, per byte of the configured limit: held requests, their copies on the
 * way to the socket, garbage not collected yet, and what engines and heap retain from earlier floods.
 */
const MEMORY_FACTOR = 4

const DEFAULT_CLIENT_BYTES = 256 * 1024 * 1024

const MINED = 400
const WAITING = 600

function row(name: string, { count, watched }: FloodRun, restBytes: number) {
  const { latencies, gaps, blocks, failures, peakBytes } = watched
  const at = (values: readonly number[], share: number) => Math.round(quantile(values, share))
  const figures = {
    flood: name,
    sent: count.sent,
    receivedMB: Math.round(count.receivedBytes / 1e6),
    blocks,
    gapP50: at(gaps, 0.5),
    gapP99: at(gaps, 0.99),
    honest: latencies.length,
    honestP50: at(latencies, 0.5),
    honestP99: at(latencies, 0.99),
    honestMax: at(latencies, 1),
    failures,
    peakMB: Math.round(peakBytes / 1e6),
  }
  const broken = [
    ...(figures.gapP99 > BLOCK_GAP_P99 ? [`block gap p99 ${figures.gapP99} ms`] : []),
    ...(figures.honestP99 > HONEST_P99 ? [`eth_blockNumber p99 ${figures.honestP99} ms`] : []),
    ...(failures > 0 ? [`${failures} honest requests failed`] : []),
    ...(peakBytes > restBytes + MEMORY_FACTOR * DEFAULT_CLIENT_BYTES
      ? [`${figures.peakMB} MB of memory`]
      : []),
  ]
  return { ...figures, ...(broken.length > 0 && { broken }) }
}

/**
 * Checks that a node stays within its bounds under floods: known ones and generated ones. Prints a JSON line each.
 * The exit code is 1 if a bound is exceeded.
 */
export async function runFloodsBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      generated: { type: 'string', default: '16' },
      seconds: { type: 'string', default: '5' },
      filter: { type: 'string', default: '' },
      server: { type: 'string', default: 'auto' },
      threads: { type: 'string', default: '0' },
    },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const home = makeHome()
  const { server, threads } = values
  // A development chain has no RPC workers.
  const dev = threads === '0'
  if (!dev) await initializeValidator(home)
  const options = ['--evm.rpc-server', server, '--evm.serving-threads', threads]
  const node = await startFloodNode(
    { home, dev, arguments: [...options, '--log-level', 'error'] },
    MINED,
    WAITING,
  )
  const { pid } = node.daemon.ready
  const restBytes = residentBytes(pid)
  console.log(JSON.stringify({ seed, server, threads, restMB: Math.round(restBytes / 1e6) }))
  try {
    const generated = Array.from({ length: Number(values.generated) }, (_, i) =>
      generatedFlood(seed + i, makeDice(seed + i), node.target),
    )
    for (const flood of [...namedFloods(node.target), ...generated]) {
      if (!flood.name.includes(values.filter)) continue
      const run = await runFlood(node, flood, Number(values.seconds) * 1000)
      const figures = row(flood.name, run, restBytes)
      console.log(JSON.stringify(figures))
      if ('broken' in figures) process.exitCode = 1
    }
  } finally {
    await node.daemon.stop()
    removeHome(home)
  }
}
