import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InitializedNode } from '../../../host/node/network/initialize-network.ts'
import { type Daemon, type Ready, startDaemon } from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'

/** The fields of a block as a node returns them to clients. */
export interface BlockFacts {
  /** Hash of the CometBFT block. */
  readonly hash: string
  readonly parentHash: string
  /** App hash after the previous block, from the header. */
  readonly stateRoot: string
  /** Hash of the results of the previous block, from the header. */
  readonly receiptsRoot: string
  readonly gasUsed: string
  readonly timestamp: string
  /** Transaction hashes. */
  readonly transactions: readonly string[]
}

/** A node of a network: a home with its own ports, and a process while it runs. */
export class NetworkNode {
  readonly name: string
  readonly mode: 'validator' | 'full'
  readonly home: string
  readonly ports: InitializedNode['ports']
  readonly nodeId: string
  /** Prefix of the command that runs it, for example to enter its machine's network. */
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

  /** @throws Error if it is not running */
  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new Error(`${this.name} was not started`)
    return this.#daemon
  }

  get ready(): Ready {
    return this.daemon.ready
  }

  /** URL of the EVM JSON-RPC, the same after a restart. */
  get rpc(): string {
    return `http://127.0.0.1:${this.ports.evm}`
  }

  /** URL of the consensus RPC, the same after a restart. */
  get consensus(): string {
    return `http://127.0.0.1:${this.ports.consensus}`
  }

  /** Returns the output of the node in all its runs. */
  output(): string {
    return this.#earlier + (this.#daemon?.output() ?? '')
  }

  /**
   * Starts the node with additional arguments. Resolves when it responds, which may be before the first block.
   * @param before prefix of its command, for this run only
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

  /** Stops the node with SIGTERM or another signal. Resolves with its exit code or the signal. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    return this.daemon.stop(signal)
  }

  /** Kills the process of the node, like the loss of a machine. Its CometBFT notices that and exits. */
  kill(): Promise<number | string> {
    return this.stop('SIGKILL')
  }

  /** Returns the result of a route of the consensus RPC, such as `/block?height=7`. @throws Error with its message */
  async ask<Result>(path: string): Promise<Result> {
    const response = await fetch(`${this.consensus}${path}`)
    const body = (await response.json()) as { result?: Result; error?: unknown }
    if (body.result === undefined) {
      throw new Error(`${this.name}: ${path}: ${JSON.stringify(body.error ?? body)}`)
    }
    return body.result
  }

  /** Returns the latest height, or 0 before the first block or while the node does not respond. */
  async height(): Promise<number> {
    return Number(await call<string>(this.rpc, 'eth_blockNumber').catch(() => '0x0'))
  }

  /** Returns the number of connected peers. */
  async peers(): Promise<number> {
    const { n_peers } = await this.ask<{ readonly n_peers: string }>('/net_info')
    return Number(n_peers)
  }

  /** @throws Error if the node does not have the block */
  async block(height: number): Promise<BlockFacts> {
    const block = await call<BlockFacts | null>(this.rpc, 'eth_getBlockByNumber', [
      `0x${height.toString(16)}`,
      false,
    ])
    if (block === null) throw new Error(`${this.name} has no block ${height}`)
    const { hash, parentHash, stateRoot, receiptsRoot, gasUsed, timestamp, transactions } = block
    return { hash, parentHash, stateRoot, receiptsRoot, gasUsed, timestamp, transactions }
  }

  /** Deletes everything in the home except configuration and keys. */
  wipe(): void {
    rmSync(join(this.home, 'data'), { recursive: true, force: true })
  }
}
