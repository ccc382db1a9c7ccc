import type { DatabaseSync } from 'node:sqlite'
import { GroupCommit } from '../../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../../host/storage/store/sqlite/sqlite.ts'
import { openPipeline } from '../../../host/wallet/pipeline/open-pipeline.ts'
import type { Pipeline, TransactionFields } from '../../../host/wallet/pipeline/pipeline.ts'
import type { PipelineOptions } from '../../../host/wallet/pipeline/pipeline-options.ts'
import type { OutboxEvent } from '../../../host/wallet/webhook/outbox.ts'
import { PlainSigner } from './plain-signer.ts'
import type { WalletChain } from './wallet-chain.ts'

export const RECIPIENT = '0x1111111111111111111111111111111111111111'

type FixtureOptions = Partial<PipelineOptions>

/** A pipeline with a database and a plain signer, whose events are recorded. */
export class PipelineFixture {
  readonly signer = new PlainSigner()
  readonly events: OutboxEvent[] = []
  readonly troubles: unknown[] = []
  pipeline!: Pipeline
  readonly database: DatabaseSync
  readonly #chains: readonly WalletChain[]
  readonly #options: FixtureOptions
  #requests = 0

  constructor(chains: readonly WalletChain[], options: FixtureOptions = {}, path = ':memory:') {
    this.database = openDatabase(path)
    this.#chains = chains
    this.#options = options
  }

  async open(): Promise<this> {
    this.pipeline = await openPipeline({
      database: this.database,
      commits: new GroupCommit(this.database),
      signer: this.signer,
      chains: this.#chains.map(({ caip2, url }) => ({ caip2, url })),
      outbox: { put: (_, event) => this.events.push(event) },
      onTrouble: (error) => this.troubles.push(error),
      ...this.#options,
      times: { pollMs: 5, patienceMs: 20, ...this.#options.times },
    })
    return this
  }

  send(
    walletId: string,
    fields: TransactionFields = {},
    { headers = {}, chain = 0 }: { headers?: Record<string, string>; chain?: number } = {},
  ) {
    const caip2 = this.#chains[chain]?.caip2
    const body = {
      method: 'eth_sendTransaction',
      caip2,
      params: { transaction: { to: RECIPIENT, ...fields } },
    }
    return this.pipeline.send(this.asked(walletId, body, headers), walletId, body as never)
  }

  asked(walletId: string, body: unknown, headers: Record<string, string> = {}) {
    const path = `/v1/wallets/${walletId}/rpc`
    const request = {
      method: 'POST' as const,
      path,
      body: JSON.stringify(body),
      headers,
      signatures: [],
    }
    return { appId: 'app', requestId: `request-${this.#requests++}`, request }
  }

  /** Returns the types of a transaction's events, in order. */
  told(id: string): string[] {
    return this.events
      .filter((event) => event.transaction_id === id)
      .map(({ type }) => type.slice(12))
  }

  status(id: string): string | undefined {
    return this.pipeline.find('app', id)?.status
  }

  async close(): Promise<void> {
    await this.pipeline.close()
    this.database.close()
  }
}
