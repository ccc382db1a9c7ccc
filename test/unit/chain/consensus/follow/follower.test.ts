import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consensusRpcHandler } from '../../../../../host/api/rpc/consensus/handler.ts'
import { CONSENSUS_ROUTES } from '../../../../../host/api/rpc/consensus/routes.ts'
import { nodeListen } from '../../../../../host/api/server/node-server.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import type { LockstepError } from '../../../../../host/base/error.ts'
import { IN_SYNC } from '../../../../../host/chain/consensus/application.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../../../host/chain/consensus/embedded/chain.ts'
import {
  type Follower,
  startFollower,
} from '../../../../../host/chain/consensus/follow/follower.ts'
import { RpcServer } from '../../../../../host/chain/consensus/follow/rpc-server.ts'
import { type Falsify, type LyingServer, lieAbout } from '../../../../support/node/lying-server.ts'
import { until } from '../../../../support/until.ts'
import { toyParts } from '../../../api/rpc/consensus/toy-context.ts'
import { GENESIS, runUntil, ToyApplication, ToyHome } from '../toy-chain.ts'

const HEIGHT = 13
const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

interface ToyNode {
  readonly url: string
  readonly application: ToyApplication
  readonly store: ConsensusBlockStore
}

/** Starts a chain of the toy validator with its consensus RPC. */
async function validatorNode(seed: number, retainHeight = 0): Promise<ToyNode> {
  const home = await ToyHome.create()
  const store = home.openStore()
  const application = new ToyApplication()
  application.retainHeight = retainHeight
  application.onPrepare = (at) => {
    application.pending = Array.from({ length: at % 4 }, (_, i) => Uint8Array.of(seed, at, i))
  }
  const validator = await home.loadValidator()
  const { height } = await runUntil(HEIGHT, application, { validator, blockStore: store })
  const server = await nodeListen({
    work: new WorkScheduler(1 << 24),
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_000_000,
    bodyIdleMs: 10_000,
    maxConnections: 100,
    handler: consensusRpcHandler({
      routes: CONSENSUS_ROUTES,
      maxBatch: 10,
      context: {
        engine: { height, sync: IN_SYNC },
        application,
        stateQuery: { query: () => Promise.reject(new Error('a toy has no state')) },
        blockStore: store,
        chain: consensusChainOf(GENESIS),
        validator,
        genesisFile: Buffer.from('{}'),
        node: { id: '', moniker: 'toy', version: '0.1.0', rpcAddress: '' },
        unconfirmedTransactions: () => ({ count: 0, bytes: 0 }),
        ...toyParts(),
      },
    }),
  })
  cleanups.push(async () => {
    await server.close(0)
    await store.close()
    await home.remove()
  })
  return { url: `http://127.0.0.1:${server.port}`, application, store }
}

let node: ToyNode
beforeAll(async () => {
  node = await validatorNode(1)
})

/** A follower and what it reported. */
class Following {
  readonly reports: string[] = []
  readonly errors: LockstepError[] = []
  readonly application: ToyApplication
  readonly store: ConsensusBlockStore
  follower!: Follower

  private constructor(application: ToyApplication, store: ConsensusBlockStore) {
    this.application = application
    this.store = store
  }

  static async start(
    urls: readonly string[],
    {
      application = new ToyApplication(),
      home = undefined as ToyHome | undefined,
      haltHeight = 0,
      upgradeHeight = undefined as number | undefined,
    } = {},
  ): Promise<Following> {
    const own = home ?? (await ToyHome.create())
    const following = new Following(application, own.openStore())
    const { reports, errors, store } = following
    following.follower = await startFollower({
      application,
      chain: consensusChainOf(GENESIS),
      blockStore: store,
      connect: (signal) =>
        urls.map((url) => new RpcServer(new URL(`${url}/`), GENESIS.maxBlockBytes, signal, 5_000)),
      report: {
        dropped: ({ name }, reason) => reports.push(`dropped ${name}: ${reason}`),
        failed: ({ name }, reason) => reports.push(`failed ${name}: ${reason}`),
        recovered: ({ name }) => reports.push(`recovered ${name}`),
        alone: () => {},
        following: ({ name }, height) => reports.push(`following ${name} from ${height}`),
        pruned: (height, earliest) => reports.push(`pruned ${height} ${earliest}`),
        caughtUp: (height) => reports.push(`caught up at ${height}`),
      },
      halt: { height: haltHeight, time: 0 },
      onHalted: (height) => reports.push(`halted at ${height}`),
      upgrade:
        upgradeHeight === undefined
          ? undefined
          : {
              plan: { name: 'v2', height: upgradeHeight },
              onReached: () => reports.push('upgrade reached'),
            },
      onError: (error) => errors.push(error),
    })
    if (home === undefined) cleanups.push(() => own.remove())
    return following
  }

  async stop(): Promise<void> {
    await this.follower.stop()
    await this.store.close()
  }

  /** Waits for the end of the chain, compares the retained blocks with the validator's, and stops. */
  async expectChain({ application, store }: ToyNode = node): Promise<void> {
    await until(() => this.follower.height === HEIGHT || this.errors.length > 0)
    expect(this.errors).toEqual([])
    expect(this.application.disk).toEqual(application.disk)
    for (let height = 1; height <= HEIGHT; height++) {
      expect(this.store.decided(height), String(height)).toEqual(store.decided(height))
      expect(this.store.results(height)).toEqual(store.results(height))
    }
    await this.stop()
  }
}

async function liar(falsify: Falsify): Promise<LyingServer> {
  const server = await lieAbout(node.url, falsify)
  cleanups.push(() => server.close())
  return server
}

type Json = { [name: string]: Json } & Json[] & string

/** Changes each answer of one kind that contains a height. */
function onAnswers(
  member: 'block' | 'signed_header',
  height: number,
  change: (result: Json) => void,
): Falsify {
  return (_, body) => {
    const parsed = JSON.parse(body.toString()) as Json
    for (const answer of Array.isArray(parsed) ? parsed : [parsed]) {
      const found = (answer as Json).result?.[member]
      if ((found as Json | undefined)?.header?.height === String(height)) change(found as Json)
    }
    return Buffer.from(JSON.stringify(parsed))
  }
}

const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('a follower', () => {
  test('copies the chain with the same blocks, commits and results', async () => {
    const following = await Following.start([node.url])
    expect(following.follower.sync.isCatchingUp).toBe(true)
    await until(() => !following.follower.sync.isCatchingUp)
    expect(following.follower.sync).toMatchObject({ maxPeerHeight: HEIGHT, startingHeight: 0 })
    await following.expectChain()
    expect(following.reports).toEqual([`following ${node.url} from 0`, `caught up at ${HEIGHT}`])
  })

  test.each<[string, Falsify, RegExp]>([
    [
      'a false signature',
      onAnswers('signed_header', 9, ({ commit }) => {
        const [vote] = (commit as Json).signatures as Json
        Object.assign(vote as Json, { signature: flipped((vote as Json).signature as string) })
      }),
      /block 9: invalid commit: wrong signature of validator [0-9a-f]{40}/,
    ],
    [
      'another app hash in the header',
      onAnswers('block', 9, ({ header }) =>
        Object.assign(header as Json, { app_hash: 'AB'.repeat(32) }),
      ),
      /block 9: the header has hash [0-9A-F]{64}, the commit signs/,
    ],
    [
      'another transaction',
      onAnswers('block', 9, ({ data }) => Object.assign(data as Json, { txs: ['AAAA'] })),
      /block 9: its transactions or last commit differ from those that were signed/,
    ],
    [
      'another last commit',
      onAnswers('block', 9, ({ last_commit }) => Object.assign(last_commit as Json, { round: 1 })),
      /block 9: its transactions or last commit differ from those that were signed/,
    ],
    [
      'evidence',
      onAnswers('block', 9, ({ evidence }) => Object.assign(evidence as Json, { evidence: [{}] })),
      /a block with evidence is not supported/,
    ],
    [
      'a commit without votes',
      onAnswers('signed_header', 9, ({ commit }) =>
        Object.assign(commit as Json, { signatures: [] }),
      ),
      /block 9: the commit has no signatures/,
    ],
    [
      'a header of another height',
      onAnswers('block', 9, ({ header }) => Object.assign(header as Json, { height: '10' })),
      /block 9: the server returned block 10 instead/,
    ],
    [
      'a hash that is none',
      onAnswers('block', 9, ({ header }) => Object.assign(header as Json, { data_hash: 'no' })),
      /result\.block\.header\.data_hash is not hex of 32 bytes/,
    ],
    ['no JSON', (_, body) => body.subarray(0, body.length - 1), /the answer is not JSON/],
    [
      'another chain',
      (_, body) => Buffer.from(body.toString().replaceAll('toy-1', 'toy-2')),
      /it serves chain toy-2, but this home belongs to toy-1/,
    ],
    [
      'answers to what was not asked',
      (_, body) => Buffer.from(body.toString().replaceAll('"id":1', '"id":0')),
      /an answer matches no call/,
    ],
  ])(
    'drops a server that gives %s, names it, and continues with the next',
    async (_, falsify, reason) => {
      const { url } = await liar(falsify)
      let isDropped = (): boolean => false
      // The first server to answer is followed, so the honest one answers only after the other is dropped.
      const honest = await liar((_, body) => {
        if (!isDropped()) throw new Error('not up yet')
        return body
      })
      const following = await Following.start([url, honest.url])
      isDropped = () => following.reports.some((line) => line.startsWith('dropped'))
      await following.expectChain()
      const dropped = following.reports.filter((line) => line.startsWith('dropped'))
      expect(dropped).toHaveLength(1)
      expect(dropped[0]).toContain(`dropped ${url}: `)
      expect(dropped[0]).toMatch(reason)
    },
  )

  test('continues with another server after a failure, and returns to the first once it is back', async () => {
    let asked = 0
    let isDown = false
    const fragile = await liar((_, body) => {
      if (isDown || ++asked === 3) {
        isDown = true
        throw new Error('down')
      }
      return body
    })
    const following = await Following.start([fragile.url])
    await until(() => following.reports.some((line) => line.startsWith(`failed ${fragile.url}`)))
    isDown = false
    await following.expectChain()
    expect(following.reports).toContain(`recovered ${fragile.url}`)
    isDown = true
    const both = await Following.start([fragile.url, node.url])
    await both.expectChain()
    expect(both.reports).toContain(`following ${node.url} from 0`)
  })

  test('reports a block that no server retains, and waits', async () => {
    const pruned = await validatorNode(1, 8)
    const following = await Following.start([pruned.url])
    await until(() => following.reports.length > 0)
    expect(following.reports).toEqual(['pruned 1 8'])
    expect(following.errors).toEqual([])
    await following.stop()
  })

  test('waits at an upgrade that it lacks, and the release that has it executes the stored block', async () => {
    const home = await ToyHome.create()
    cleanups.push(() => home.remove())
    const application = new ToyApplication()
    for (let i = 0; i < 2; i++) {
      const before = await Following.start([node.url], { application, home, upgradeHeight: 9 })
      await until(() => before.reports.includes('upgrade reached'))
      expect(before.follower).toMatchObject({
        height: 8,
        decidedHeight: 9,
        sync: { waitingFor: 'the release with upgrade "v2", which executes height 9' },
      })
      expect([before.store.height, application.disk.height, before.errors]).toEqual([9, 8, []])
      await before.stop()
    }
    const after = await Following.start([node.url], { application, home })
    await after.expectChain()
  })

  test('stops at a chain of the same validator that is not its own', async () => {
    const other = await validatorNode(2)
    const home = await ToyHome.create()
    const application = new ToyApplication()
    const before = await Following.start([node.url], { application, home, haltHeight: 9 })
    await until(() => before.reports.includes('halted at 9'))
    await before.stop()
    const after = await Following.start([other.url], { application, home })
    await until(() => after.errors.length > 0)
    expect(after.errors[0]).toMatchObject({
      code: 'CONSENSUS_FAILURE',
      message: expect.stringMatching(/halted at 10: wrong Block\.Header\.LastBlockID\. Expected/),
    })
    await after.stop()
    await home.remove()
  })

  test('stops if its execution reaches a different state than the validators signed', async () => {
    class Wrong extends ToyApplication {
      override async finalizeBlock(request: Parameters<ToyApplication['finalizeBlock']>[0]) {
        const response = await super.finalizeBlock(request)
        if (request.height !== 7) return response
        return { ...response, appHash: Promise.resolve(new Uint8Array(32)) }
      }
    }
    const following = await Following.start([node.url], { application: new Wrong() })
    await until(() => following.errors.length > 0)
    expect(following.errors[0]).toMatchObject({
      code: 'APP_HASH_MISMATCH',
      message: expect.stringMatching(
        /halted at 8: wrong Block\.Header\.AppHash\. Expected 0{64}, got/,
      ),
    })
    expect(following.reports.filter((line) => line.startsWith('dropped'))).toEqual([])
    await following.stop()
  })
})
