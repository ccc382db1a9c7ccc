import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TomlLiteral } from '../../../host/base/config/value-type.ts'
import { initializeNetwork } from '../../../host/node/network/initialize-network.ts'
import { type NodeSetting, planNetwork } from '../../../host/node/network/network-plan.ts'
import { COMETBFT } from '../../support/node/cometbft.ts'
import { makeHome, removeHome } from '../../support/node/daemon.ts'
import { freePorts } from './free-ports.ts'
import type { Machine, Machines } from './machines.ts'
import { type BlockFacts, NetworkNode } from './network-node.ts'

type Settings = Readonly<Record<string, TomlLiteral>>

export interface NetworkOptions {
  /** Number of validators with equal power, by default 4. */
  readonly validators?: number
  /** Voting power of each validator, instead of a number of them. */
  readonly powers?: readonly number[]
  /** Number of full nodes, by default none. */
  readonly full?: number
  /** Configuration keys of all nodes, by flag: `{ 'consensus.timeout-commit': '200ms' }`. */
  readonly settings?: Settings
  /** Configuration keys of some nodes, by name or mode: `{ 'full-1': { 'state-store.evm-ss-split': true } }`. */
  readonly settingsOf?: Readonly<Record<string, Settings>>
  /** A machine for each node, validators first. By default all share the loopback. */
  readonly machines?: Machines
}

/** Interval of polls, long enough to cost the nodes little. */
const LOOK_MS = 50

function settingsFrom({ settings = {}, settingsOf = {} }: NetworkOptions): NodeSetting[] {
  const all: Settings = { 'consensus.cometbft': COMETBFT ?? 'cometbft', ...settings }
  const of = (target: string | undefined, values: Settings) =>
    Object.entries(values).map(([flag, value]) => ({ target, flag, value }))
  return [
    ...of(undefined, all),
    ...Object.entries(settingsOf).flatMap(([target, values]) => of(target, values)),
  ]
}

/** The homes of a network in a temporary folder, and their processes. */
export class TestNetwork {
  readonly nodes: readonly NetworkNode[]
  readonly #folder: string

  constructor(folder: string, nodes: readonly NetworkNode[]) {
    this.#folder = folder
    this.nodes = nodes
  }

  get validators(): readonly NetworkNode[] {
    return this.nodes.filter(({ mode }) => mode === 'validator')
  }

  get fullNodes(): readonly NetworkNode[] {
    return this.nodes.filter(({ mode }) => mode === 'full')
  }

  /** Returns a node by name: `validator-1`, `full-1` and so on. */
  node(name: string): NetworkNode {
    const found = this.nodes.find((node) => node.name === name)
    if (found === undefined) throw new Error(`no node ${name}`)
    return found
  }

  /** Starts all nodes or some. Resolves when they respond. */
  async start(nodes: readonly NetworkNode[] = this.nodes): Promise<void> {
    await Promise.all(nodes.map((node) => node.start()))
  }

  /** Waits until each node, by default each running one, has a block at this height. */
  async untilHeight(height: number, nodes?: readonly NetworkNode[]): Promise<void> {
    await this.until(`height ${height}`, async () => {
      const waiting = nodes ?? this.nodes.filter(({ isRunning }) => isRunning)
      const heights = await Promise.all(waiting.map((node) => node.height()))
      return heights.every((reached) => reached >= height)
    })
  }

  /** Returns the greatest height of any running node. */
  async height(): Promise<number> {
    const running = this.nodes.filter(({ isRunning }) => isRunning)
    return Math.max(0, ...(await Promise.all(running.map((node) => node.height()))))
  }

  /** @throws Error with heights and the ends of the logs if the condition does not hold in time */
  async until(
    what: string,
    condition: () => Promise<boolean> | boolean,
    withinMs = 120_000,
  ): Promise<void> {
    const end = performance.now() + withinMs
    while (!(await condition())) {
      if (performance.now() > end) throw new Error(await this.#describe(what, withinMs))
      await delay(LOOK_MS)
    }
  }

  async #describe(what: string, withinMs: number): Promise<string> {
    const lines = this.nodes.map(async (node) => {
      const state = node.isRunning ? `height ${await node.height()}` : 'not running'
      const log = node.output().trim().split('\n').slice(-8).join('\n    ')
      return `  ${node.name}: ${state}\n    ${log}`
    })
    return `${what}: not within ${withinMs} ms\n${(await Promise.all(lines)).join('\n')}`
  }

  /** Returns each node's block at a height, by name. All are equal unless nodes diverge. */
  async blocks(
    height: number,
    nodes: readonly NetworkNode[] = this.nodes,
  ): Promise<Readonly<Record<string, BlockFacts>>> {
    const facts = nodes.map(async (node) => [node.name, await node.block(height)] as const)
    return Object.fromEntries(await Promise.all(facts))
  }

  /** Returns the distinct blocks at a height among nodes, by default all: one if they agree. */
  async views(height: number, nodes?: readonly NetworkNode[]): Promise<readonly BlockFacts[]> {
    const facts = Object.values(await this.blocks(height, nodes))
    return [...new Map(facts.map((block) => [JSON.stringify(block), block])).values()]
  }

  /** Kills every running process and deletes the homes. */
  async close(): Promise<void> {
    const running = this.nodes.filter(({ isRunning }) => isRunning)
    const ends = await Promise.allSettled(running.map((node) => node.stop()))
    removeHome(this.#folder)
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/** Writes the homes of a network on free ports, without starting a node. */
export async function makeNetwork(options: NetworkOptions = {}): Promise<TestNetwork> {
  const {
    validators = 4,
    powers = Array.from({ length: validators }, () => 10),
    full = 0,
  } = options
  const ports = (powers.length + full) * 10
  const basePort = await freePorts(ports * 2)
  const machines = options.machines?.all ?? []
  const nodes = planNetwork({
    powers,
    full,
    hosts: machines.map(({ address }) => address),
    basePort,
    evmPort: basePort + ports,
    settings: settingsFrom(options),
  })
  const folder = makeHome()
  const network = await initializeNetwork({
    folder: join(folder, 'network'),
    chain: { preset: 'dev', time: BigInt(Date.now()) * 1_000_000n },
    nodes,
  })
  if (machines.length === 0) {
    return new TestNetwork(
      folder,
      network.nodes.map((node) => new NetworkNode(node)),
    )
  }
  const spread = network.nodes.map(async (node, i) => {
    const machine = machines[i] as Machine
    // The test reaches all of them on one loopback, so their ports are ten apart there.
    const { consensus, evm, evmSocket } = node.ports
    const own = { consensus: consensus + i * 10, evm: evm + i * 10, evmSocket: evmSocket + i * 10 }
    await machine.expose(own.consensus)
    await machine.expose(own.evm)
    return new NetworkNode({ ...node, ports: { ...node.ports, ...own } }, machine.enter)
  })
  return new TestNetwork(folder, await Promise.all(spread))
}

/** Returns a network with all nodes running. */
export async function startNetwork(options: NetworkOptions = {}): Promise<TestNetwork> {
  const network = await makeNetwork(options)
  try {
    await network.start()
    return network
  } catch (thrown) {
    await network.close()
    throw thrown
  }
}
