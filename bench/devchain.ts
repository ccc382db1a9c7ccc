import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type DevNode, devNodes, type ForkOf, type StartDevNode } from './devchain/dev-node.ts'
import { Developer } from './devchain/developer.ts'
import { openFarNode } from './devchain/far-node.ts'
import { median } from './statistics.ts'

/** Extra delay of each response of a remote node. */
const LATENCY_MS = 20
/** Slots per call, and number of calls, that a fork test reads. */
const CALLS = 10
const SLOTS = 100
const ACCOUNTS = 10

type Figures = Readonly<Record<string, number>>

interface Numbers {
  readonly transactions: number
  readonly snapshotRounds: number
}

/** Runs on a node with a folder of its own, and removes both afterwards. */
async function onNode<Result>(
  start: StartDevNode,
  run: (node: DevNode) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-devchain-'))
  const node = await start(folder)
  try {
    return await run(node)
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures from the command to the first block. */
async function measureStart(start: StartDevNode): Promise<Figures> {
  const began = performance.now()
  return onNode(start, async ({ url }) => {
    const developer = new Developer(url)
    await developer.client.call('evm_mine')
    const startMs = performance.now() - began
    developer.close()
    return { startMs }
  })
}

/** Measures transactions from the request to the receipt: one after another, and ten accounts at a time. */
async function measureAutomine(start: StartDevNode, { transactions }: Numbers): Promise<Figures> {
  return onNode(start, async ({ url }) => {
    const developer = new Developer(url, ACCOUNTS)
    const probe = await developer.deploy(developer.account(0))
    const run = async (account: number, count: number) => {
      const from = developer.account(account)
      for (let i = 0; i < count; i++) await developer.count(from, probe)
    }
    await run(0, 50)
    const perSecond = (began: number) => transactions / ((performance.now() - began) / 1000)
    const alone = performance.now()
    await run(0, transactions)
    const onePerSecond = perSecond(alone)
    const together = performance.now()
    const each = transactions / ACCOUNTS
    await Promise.all(Array.from({ length: ACCOUNTS }, (_, i) => run(i, each)))
    const tenPerSecond = perSecond(together)
    developer.close()
    return { onePerSecond, tenPerSecond }
  })
}

/** Measures tests that share a fixture: revert to it, two transactions, check their changes. */
async function measureSnapshots(start: StartDevNode, numbers: Numbers): Promise<Figures> {
  const { snapshotRounds } = numbers
  return onNode(start, async ({ url }) => {
    const developer = new Developer(url)
    const from = developer.account(0)
    const probe = await developer.deploy(from)
    let id = await developer.client.call('evm_snapshot')
    const took: number[] = []
    for (let i = 0; i < snapshotRounds; i++) {
      const began = performance.now()
      await developer.count(from, probe)
      await developer.count(from, probe)
      const counts = await developer.counts(from, probe)
      if (counts !== 2) throw new Error(`round ${i} counted to ${counts}`)
      if ((await developer.client.call('evm_revert', id)) !== true) throw new Error('not reverted')
      id = await developer.client.call('evm_snapshot')
      took.push(performance.now() - began)
    }
    developer.close()
    const sum = took.reduce((total, ms) => total + ms, 0)
    const tenth = took.slice(-Math.ceil(snapshotRounds / 10))
    return { snapshotsMs: sum, roundMs: median(took), lastRoundsMs: median(tenth) }
  })
}

/** Measures from the command to the last response: on a fork with a new folder, and again with that folder. */
async function measureFork(start: StartDevNode, upstream: DevNode, at: Fixture): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-devchain-'))
  const far = await openFarNode(upstream.url, LATENCY_MS)
  const once = async () => {
    const before = far.requests
    const began = performance.now()
    const fork: ForkOf = { url: far.url, block: at.block }
    const node = await start(folder, fork)
    const developer = new Developer(node.url)
    // Mine a block first, so that the calls use a block of the fork: those on its origin may be forwarded.
    await developer.count(developer.account(1), at.probe)
    let sum = 0n
    for (let i = 0; i < CALLS; i++)
      sum += await developer.sum(at.probe, at.first + i * SLOTS, SLOTS)
    const ms = performance.now() - began
    developer.close()
    await node.stop()
    if (sum !== at.sum) throw new Error(`the slots sum up to ${sum}, not ${at.sum}`)
    return { ms, requests: far.requests - before }
  }
  try {
    const cold = await once()
    const warm = await once()
    return {
      coldForkMs: cold.ms,
      coldRequests: cold.requests,
      warmForkMs: warm.ms,
      warmRequests: warm.requests,
    }
  } finally {
    await far.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A probe with slots on the upstream. */
interface Fixture {
  readonly probe: `0x${string}`
  readonly first: number
  readonly sum: bigint
  readonly block: number
}

async function fillUpstream({ url }: DevNode): Promise<Fixture> {
  const developer = new Developer(url)
  const probe = await developer.deploy(developer.account(0))
  const first = 1_000_000
  let sum = 0n
  for (let i = 0; i < CALLS; i++) {
    const params = Array.from({ length: SLOTS }, (_, j) => {
      const slot = first + i * SLOTS + j
      sum += BigInt(slot)
      const word = `0x${slot.toString(16).padStart(64, '0')}`
      return [probe, `0x${slot.toString(16)}`, word]
    })
    await developer.client.batch('hardhat_setStorageAt', params)
  }
  await developer.client.call('evm_mine')
  const block = Number(await developer.client.call('eth_blockNumber'))
  developer.close()
  return { probe, first, sum, block }
}

/**
 * Measures how fast a development chain has a block, mines transactions, reverts and forks; with `--peers` next to
 * others.
 */
export async function runDevchainBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      transactions: { type: 'string', default: '1000' },
      'snapshot-rounds': { type: 'string', default: '1000' },
      part: { type: 'string' },
      node: { type: 'string' },
    },
  })
  const numbers: Numbers = {
    transactions: Number(values.transactions),
    snapshotRounds: Number(values['snapshot-rounds']),
  }
  const nodes = devNodes(values.peers)
  const measured = Object.entries(nodes).filter(
    ([name]) => values.node === undefined || values.node === name,
  )
  const parts: Readonly<Record<string, (start: StartDevNode) => Promise<Figures>>> = {
    start: measureStart,
    automine: (start) => measureAutomine(start, numbers),
    snapshots: (start) => measureSnapshots(start, numbers),
    fork: (start) =>
      onNode(nodes.anvil ?? (nodes.lockstep as StartDevNode), async (upstream) =>
        measureFork(start, upstream, await fillUpstream(upstream)),
      ),
  }
  for (const [part, measure] of Object.entries(parts)) {
    if (values.part !== undefined && values.part !== part) continue
    const rounds = new Map<string, Figures[]>(measured.map(([name]) => [name, []]))
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [name, start] of Object.entries(nodes))
        rounds.get(name)?.push(await measure(start))
    }
    for (const [node, figures] of rounds) {
      const medians = Object.keys(figures[0] ?? {}).map((key) => [
        key,
        Number(median(figures.map((one) => one[key] ?? Number.NaN)).toFixed(2)),
      ])
      console.log(JSON.stringify({ part, node, ...Object.fromEntries(medians) }))
    }
  }
}
