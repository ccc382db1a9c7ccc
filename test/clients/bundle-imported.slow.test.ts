import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { ONLY_PROGRESS } from '../support/node/progress-lines.ts'

// The chain of execution-apis runs through every fork since Frontier, with state roots in receipts, system calls
// before blocks, and blobs. Its blocks and the last transaction of each are recorded and replayed without the node.

const CHAIN = join(process.env.LOCKSTEP_VECTORS ?? '', 'tracers/execution-apis/tests')
const BLOCKS = 54

const folder = makeHome()
afterAll(() => removeHome(folder))

describe.skipIf(!existsSync(join(CHAIN, 'chain.rlp')))('an imported chain', () => {
  test('is recorded block by block, and the bundles replay with the same results', async () => {
    const home = join(folder, 'home')
    const recorded = join(folder, 'recorded')
    const genesis = ['--genesis', join(CHAIN, 'genesis.json')]
    const imported = await runCommand([
      'import',
      join(CHAIN, 'chain.rlp'),
      ...genesis,
      '--home',
      home,
    ])
    expect(imported.code).toBe(0)
    const daemon = await startDaemon({ home, dev: false })
    const { rpc } = daemon.ready
    const hashes: string[] = []
    for (let height = 1; height <= BLOCKS; height++) {
      const number = `0x${height.toString(16)}`
      const block = await call<{ transactions: string[] }>(rpc, 'eth_getBlockByNumber', [
        number,
        false,
      ])
      hashes.push(...block.transactions.slice(-1))
    }
    const { tendermint } = await call<{ tendermint: unknown }>(rpc, 'debug_traceStateAccess', [
      hashes[0],
    ])
    expect(tendermint).toEqual({ traces: [] })
    const targets = [...hashes, `1-${BLOCKS}`]
    const record = await runCommand(['record', ...targets, '--url', rpc, '--out', recorded])
    expect(record).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
    await daemon.stop()
    rmSync(home, { recursive: true })

    const { code, stdout } = await runCommand(['replay', recorded])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(hashes.length + BLOCKS)
    expect(lines).toHaveLength(readdirSync(recorded).length)
    expect(lines.filter((line) => !line.endsWith('receipts and steps compared'))).toEqual([])
  })
})
