import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nanosecondsNow } from '../../host/base/time.ts'
import { ONE_THIRD } from '../../host/chain/consensus/comet/commit-verification.ts'
import { RpcServer } from '../../host/chain/consensus/follow/rpc-server.ts'
import { LightClient } from '../../host/chain/consensus/light/light-client.ts'
import { MAX_CLOCK_DRIFT } from '../../host/chain/consensus/light/verify.ts'
import { COMETBFT, startCometBft, startCometBftLight } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'
import { until } from '../support/until.ts'

const BLOCKS = 1_000
/** Blocks that the light client verifies for one request. */
const STEP = 100

if (COMETBFT === undefined) {
  process.stderr.write('LOCKSTEP_COMETBFT names no cometbft: light clients are not compared\n')
}
const program = COMETBFT ?? ''

interface Signed {
  readonly signed_header: {
    readonly header: { readonly app_hash: string; readonly chain_id: string }
    readonly commit: { readonly block_id: { readonly hash: string } }
  }
}

async function commitAt(base: string, height: number): Promise<Signed> {
  const answer = await fetch(`${base}/commit?height=${height}`)
  const { result, error } = (await answer.json()) as { result?: Signed; error?: object }
  if (result === undefined) throw new Error(`${base} at ${height}: ${JSON.stringify(error)}`)
  return result
}

describe.skipIf(COMETBFT === undefined)('a light client', () => {
  const folder = makeHome()
  let node: Daemon
  beforeAll(async () => {
    const home = join(folder, 'node')
    mkdirSync(home)
    const flags = ['--consensus.block-time', '5ms', '--log-level', 'warn']
    node = await startDaemon({ home, arguments: flags })
  })
  afterAll(async () => {
    await node?.stop()
    removeHome(folder)
  })

  test(`of CometBFT follows ${BLOCKS} blocks of a node and verifies the signatures of each`, async () => {
    const { consensus } = node.ready
    await reachHeight(node.ready.rpc, BLOCKS + 1)
    const trusted = await commitAt(consensus, 1)
    const light = await startCometBftLight(program, join(folder, 'light'), {
      chainId: trusted.signed_header.header.chain_id,
      primary: consensus,
      witness: consensus,
      height: 1,
      hash: trusted.signed_header.commit.block_id.hash,
    })
    // In steps: the light client closes a connection if a response takes more than ten seconds.
    for (let height = STEP; height < BLOCKS; height += STEP) await commitAt(light.url, height)
    const last = await commitAt(light.url, BLOCKS)
    const own = await commitAt(consensus, BLOCKS)
    expect(last.signed_header.commit).toEqual(own.signed_header.commit)
    // Its log has a line for each verified block.
    const proven = light.output().matchAll(/Verify adjacent newLightBlock .* newHeight=(\d+) /g)
    const expected = Array.from({ length: BLOCKS - 1 }, (_, i) => i + 2)
    expect(Array.from(proven, ([, height]) => Number(height))).toEqual(expected)
    for (const height of [2, BLOCKS / 2, BLOCKS - 1]) {
      const told = await commitAt(light.url, height)
      const { commit } = (await commitAt(consensus, height)).signed_header
      expect(told.signed_header.commit).toEqual(commit)
    }
    await light.stop()
  }, 240_000)

  test('of CometBFT refuses a node whose block differs from the trusted one', async () => {
    const { consensus } = node.ready
    const options = { primary: consensus, witness: consensus, height: 1, hash: 'AB'.repeat(32) }
    await expect(
      startCometBftLight(program, join(folder, 'refused'), { chainId: '31337', ...options }),
    ).rejects.toThrow(/expected header's hash/)
  })

  test('of Lockstep verifies the blocks of a CometBFT node', async () => {
    const comet = await startCometBft(program, join(folder, 'comet'))
    const server = new RpcServer(new URL(`${comet.url}/`), 21_000_000, new AbortController().signal)
    await until(async () => (await server.status()).latestHeight > 8)
    const { header, commit } = await server.signedHeader(1)
    const client = await LightClient.open({
      rules: {
        chainId: header.chainId,
        trustingPeriod: 3_600_000_000_000n,
        maxClockDrift: MAX_CLOCK_DRIFT,
        trustLevel: ONE_THIRD,
      },
      primary: server,
      witnesses: [server],
      trustHeight: 1,
      trustHash: commit.blockId.hash,
      now: nanosecondsNow,
    })
    for (const height of [2, 7, 5]) {
      const proven = await client.verify(height)
      expect(proven.header).toEqual((await server.signedHeader(height)).header)
    }
    // The blocks that CometBFT sends, with their data, match what was signed.
    const [given] = await server.blocks(6, 1)
    expect(given?.block.header.height).toBe(6)
    await comet.stop()
  })
})
