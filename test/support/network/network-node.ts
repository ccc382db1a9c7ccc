import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InitializedNode } from '../../../host/node/network/initialize-network.ts'
import { type Daemon, type Ready, startDaemon } from '../node/daemon.ts'

/** What a block of a height says, as a node's consensus RPC gives it. */
export interface BlockFacts {
  readonly hash: string
  /** Of the state after the block before. */
  readonly appHash: string
  /** Of the results of the block before. */
  readonly resultsHash: string
  readonly dataHash: string
  readonly time: string
  /** Transactions of the block, in base64. */
  readonly txs: readonly string[]
}

interface BlockResult {
  readonly block_id: { readonly hash: string }
  readonly block: {
    readonly header: {
      readonly app_hash: string
      readonly last_results_hash: string
      readonly data_hash: string
      readonly time: string
    }
    readonly data: { readonly txs: readonly string[] }
  }
}

/** A node of a network: a home with ports of its own, and the process that runs in it or none. */
export class NetworkNode {
  readonly name: string
  readonly mode: 'validator' | 'full'
  readonly home: string
  readonly ports: InitializedNode['ports']
  readonly nodeId: string
  #daemon: Daemon | undefined
  #earlier = ''

  constructor({ name, mode, home, ports, nodeId }: InitializedNode) {
    this.name = name
    this.mode = mode
    this.home = home
    this.ports = ports
    this.nodeId = nodeId
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

  /** Starts the node with further arguments; resolves once it answers, which it does before there are blocks. */
  async start(
    args: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs`)
    this.#earlier = this.output()
    this.#daemon = undefined
    this.#daemon = await startDaemon({
      home: this.home,
      dev: false,
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
    type Status = { readonly sync_info: { readonly latest_block_height: string } }
    const status = await this.ask<Status>('/status').catch(() => undefined)
    return Number(status?.sync_info.latest_block_height ?? 0)
  }

  /** Number of peers that it is connected to. */
  async peers(): Promise<number> {
    const { n_peers } = await this.ask<{ readonly n_peers: string }>('/net_info')
    return Number(n_peers)
  }

  async block(height: number): Promise<BlockFacts> {
    const { block_id, block } = await this.ask<BlockResult>(`/block?height=${height}`)
    const { app_hash, last_results_hash, data_hash, time } = block.header
    return {
      hash: block_id.hash,
      appHash: app_hash,
      resultsHash: last_results_hash,
      dataHash: data_hash,
      time,
      txs: block.data.txs,
    }
  }

  /** Forgets what the node wrote to its home but configuration and keys. */
  wipe(): void {
    rmSync(join(this.home, 'data'), { recursive: true, force: true })
  }
}
