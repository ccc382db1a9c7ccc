import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { residentBytes } from '../support/flood/flood-watch.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'
import { type GateNode, startGateNode } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import { expectHonestPayment } from './expectations.ts'

const CONNECTIONS = 64
const CHALLENGES = 3_000
const BOGUS = 600

/**
 * Allowed disk growth: a row for each second with challenges, some pages of LMDB and the log, but no row for a
 * request.
 */
const DISK_BYTES = 300_000
/** Allowed memory growth: garbage, socket buffers, compiled code. */
const MEMORY_BYTES = 150_000_000

function folderBytes(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // SQLite creates and deletes journals meanwhile
    const entry = lstatSync(join(folder, name), { throwIfNoEntry: false })
    // Allocated blocks, since LMDB files are sparse.
    if (entry?.isFile()) bytes += entry.blocks * 512
  }
  return bytes
}

/** Sends so many requests over some persistent connections. Returns the number of responses by status. */
async function flood(
  port: number,
  count: number,
  headers: (index: number) => Record<string, string>,
): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const statuses = new Map<number, number>()
  let next = 0
  const ask = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const status = await new Promise<number>((resolve, reject) => {
        const options = { agent, port, host: '127.0.0.1', path: `/weather?${index}` }
        const asked = request({ ...options, headers: headers(index) }, (response) => {
          response.resume()
          response.once('end', () => resolve(response.statusCode ?? 0))
        })
        asked.once('error', reject)
        asked.end()
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  agent.destroy()
  return statuses
}

describe.each(TRANSPORTS)('a gate on %s', (transport) => {
  const home = makeHome()
  let gate: GateNode

  beforeAll(async () => {
    const times = ['--consensus.block-time', '50ms', '--payments.receipt-deadline', '100ms']
    gate = await startGateNode(home, [...times, '--evm.rpc-server', transport])
    await flood(gate.port, 500, () => ({}))
    await expectHonestPayment(gate)
  })

  afterAll(async () => {
    await gate?.daemon.stop()
    removeHome(home)
  })

  const bogus = () => {
    const payload = { txHash: toHex(randomBytes(32)), amount: '1000', from: `0x${'11'.repeat(20)}` }
    return { 'x-payment': header64(firstVersionProof(gate.network, payload)) }
  }
  const FLOODS: readonly (readonly [string, number, () => Record<string, string>])[] = [
    ['challenges', CHALLENGES, () => ({})],
    ['hashes of no transaction', BOGUS, bogus],
    ['headers of 8 kB that are no proof', BOGUS, () => ({ 'x-payment': 'A'.repeat(8000) })],
  ]

  test.each(FLOODS)(
    'refuses a flood of %s, serves honest payers meanwhile, and does not grow',
    async (_, count, headers) => {
      const { pid } = gate.daemon.ready
      const folder = join(home, 'data', 'payments')
      const [disk, memory] = [folderBytes(folder), residentBytes(pid)]
      const flooding = flood(gate.port, count, headers)
      for (let i = 0; i < 2; i++) await expectHonestPayment(gate)
      expect([...(await flooding).keys()]).toEqual([402])
      expect(folderBytes(folder) - disk).toBeLessThan(DISK_BYTES)
      expect(residentBytes(pid) - memory).toBeLessThan(MEMORY_BYTES)
      await expectHonestPayment(gate)
    },
  )
})
