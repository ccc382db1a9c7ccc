import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InitializedNode } from '../../../host/node/network/initialize-network.ts'
import { type Daemon, type Ready, startDaemon } from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'

/** What a block of a height says, as a node shows it to its clients. */
export interface BlockFacts {
  /** CometBFT's. */
  readonly hash: string
  readonly parentHash: string
  /** App hash after the block before, as its header has it. */
  readonly stateRoot: string
  /** Hash of the results of the block before, as its header has it. */
  readonly receiptsRoot: string
  readonly gasUsed: string
  readonly timestamp: string
  /** Hashes of its transactions. */
  readonly transactions: readonly string[]
}

/** A node of a network: a home with ports of its own, and the process that runs in it or none. */
export class NetworkNode {
  readonly name: string
  readonly mode: 'validator' | 'full'
  readonly home: string
  readonly ports: InitializedNode['ports']
  readonly nodeId: string
  /** Words in front of the command that runs it, as those that enter the network of its machine. */
  readonly #before: readonly string[]
  #daemon: Daemon | undefined
  #earlier = ''

  constructor(
    { name, mode, home, ports, nodeId }: InitializedNode,
    before: readonly string[] = [],
  ) {
    this.name = name
    this.mode = mode
    this.home = home
    this.ports = ports
    this.nodeId = nodeId
    this.#before = before
  }

  get isRunning(): boolean {
    const child = this.#daemon?.process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** @throws Error where it does not run */
  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new Error(`${this.name} was not started`)
    return this.#daemon
  }

  get ready(): Ready {
    return this.daemon.ready
  }

  /** EVM JSON-RPC, at the same address after a restart. */
  get rpc(): string {
    return `http://127.0.0.1:${this.ports.evm}`
  }

  /** Consensus RPC, at the same address after a restart. */
  get consensus(): string {
    return `http://127.0.0.1:${this.ports.consensus}`
  }

  /** What the node wrote, in all its runs. */
  output(): string {
    return this.#earlier + (this.#daemon?.output() ?? '')
  }

  /**
   * Starts the node with further arguments; resolves once it answers, which it does before there are blocks.
   * @param before words in front of its command, for this run alone
   */
  async start(
    args: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
    before: readonly string[] = [],
  ): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs`)
    this.#earlier = this.output()
    this.#daemon = undefined
    this.#daemon = await startDaemon({
      home: this.home,
      dev: false,
      before: [...this.#before, ...before],
      arguments: [
        ...['--rpc.laddr', `tcp://127.0.0.1:${this.ports.consensus}`],
        ...['--evm.http-port', `${this.ports.evm}`, '--evm.ws-port', `${this.ports.evmSocket}`],
        ...args,
      ],
      variables,
    })
  }

  /** Ends the node as an operator does, or by another signal; resolves with its exit code or the signal. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    return this.daemon.stop(signal)
  }

  /** Ends the process of the node at once, as a lost machine does; its CometBFT notices and ends too. */
  kill(): Promise<number | string> {
    return this.stop('SIGKILL')
  }

  /** The result of a route of the consensus RPC, such as `/block?height=7`. @throws Error with the error's text */
  async ask<Result>(path: string): Promise<Result> {
    const response = await fetch(`${this.consensus}${path}`)
    const body = (await response.json()) as { result?: Result; error?: unknown }
    if (body.result === undefined) {
      throw new Error(`${this.name}: ${path}: ${JSON.stringify(body.error ?? body)}`)
    }
    return body.result
  }

  /** Height of the newest block; 0 before there is one, or while the node does not answer. */
  async height(): Promise<number> {
    return Number(await call<string>(this.rpc, 'eth_blockNumber').catch(() => '0x0'))
  }

  /** Number of peers that it is connected to. */
  async peers(): Promise<number> {
    const { n_peers } = await this.ask<{ readonly n_peers: string }>('/net_info')
    return Number(n_peers)
  }

  /** @throws Error where the node does not have it */
  async block(height: number): Promise<BlockFacts> {
    const block = await call<BlockFacts | null>(this.rpc, 'eth_getBlockByNumber', [
      `0x${height.toString(16)}`,
      false,
    ])
    if (block === null) throw new Error(`${this.name} has no block ${height}`)
    const { hash, parentHash, stateRoot, receiptsRoot, gasUsed, timestamp, transactions } = block
    return { hash, parentHash, stateRoot, receiptsRoot, gasUsed, timestamp, transactions }
  }

  /** Forgets what the node wrote to its home but configuration and keys. */
  wipe(): void {
    rmSync(join(this.home, 'data'), { recursive: true, force: true })
  }
}
