import { messageOf } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { SignAnswer, SignerRequest } from '../signer/signer-link.ts'
import { broadcastRejection } from './broadcast-rejection.ts'
import type { EvmNode } from './evm-node.ts'
import { requestedChain, requestedNonce } from './filling.ts'
import type { NonceManager } from './nonce-manager.ts'
import { NonceManagers } from './nonce-managers.ts'
import type {
  ApiTransaction,
  AssetBalance,
  BalanceFilter,
  DelegationBody,
  Pipeline,
  PipelineTransactionBody,
  ReplacementFees,
  TransactionFields,
  WalletTransactionPage,
} from './pipeline.ts'
import type { PipelineOptions, PipelineTimes } from './pipeline-options.ts'
import { rebroadcast } from './rebroadcast.ts'
import { RollbackFollower } from './removed-blocks.ts'
import { replaceTransaction } from './replacement.ts'
import { requestIdentityOf } from './request-identity.ts'
import { formatCursor, parseCursor } from './transaction-cursor.ts'
import {
  type PreflightFilling,
  type PreflightResult,
  preflightTransaction,
} from './transaction-preflight.ts'
import { TransactionProgress } from './transaction-progress.ts'
import { TransactionSigner } from './transaction-signer.ts'
import {
  noTransaction,
  type RequestIdentity,
  type SignedAttempt,
  type StoredTransaction,
  shownTransaction,
  TransactionStore,
} from './transaction-store.ts'
import { TransactionWatch } from './transaction-watch.ts'
import { readWalletBalances } from './wallet-balances.ts'

/** Concurrent sends over all wallets. */
const MAX_SENDS = 10_000

const DEFAULT_PAGE = 20

/** Interval at which expired request identities are dropped. */
const FORGET_MS = 60_000

type Options = Required<Omit<PipelineOptions, 'times'>> & {
  readonly nodes: ReadonlyMap<string, EvmNode>
  readonly times: PipelineTimes
}

interface Wanted {
  readonly asked: SignerRequest
  readonly walletId: string
  readonly caip2: string
  readonly node: EvmNode
  readonly body: PipelineTransactionBody
  readonly sameness: RequestIdentity | undefined
}

export class TransactionPipeline implements Pipeline {
  readonly #options: Options
  readonly #store: TransactionStore
  readonly #commits: GroupCommit
  readonly #signer: TransactionSigner
  readonly #progress: TransactionProgress
  readonly #watches: ReadonlyMap<string, TransactionWatch>
  readonly #lanes: NonceManagers
  /** By app and request identity. */
  readonly #inFlight = new Map<
    string,
    { readonly digest: string; readonly sent: Promise<ApiTransaction> }
  >()
  readonly #work = new Set<Promise<unknown>>()
  /** Ids of transactions in their first signing and broadcast. */
  readonly #handedIn = new Set<string>()
  #isClosed = false
  #forgotAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#commits = options.commits
    const store = new TransactionStore(options.database)
    this.#store = store
    const { outbox, nodes, times, now, onTrouble } = options
    this.#signer = new TransactionSigner(options.signer, times.signerMs, options.makeId)
    const followRemovals = async (caip2: string) => removed.get(caip2)?.follow()
    const lanes = new NonceManagers(store, times.trustMs, followRemovals)
    this.#lanes = lanes
    const progress = new TransactionProgress(store, this.#commits, outbox, (row, nonce, isUsed) => {
      lanes.settle(row.caip2, row.address, nonce, isUsed)
    })
    this.#progress = progress
    const isFirstBroadcast = (id: string) => this.#handedIn.has(id)
    const removed = new Map(
      [...nodes].map(([caip2, node]) => {
        const onRemoved = () => lanes.dropCachedNonces(caip2)
        const options = { caip2, node, store, progress, isFirstBroadcast, onRemoved }
        return [caip2, new RollbackFollower(options)] as const
      }),
    )
    this.#watches = new Map(
      [...removed].map(([caip2, blocks]) => [
        caip2,
        new TransactionWatch({
          caip2,
          node: nodes.get(caip2) as EvmNode,
          store,
          progress,
          removed: blocks,
          times,
          now,
          isFirstBroadcast,
          onTrouble,
        }),
      ]),
    )
  }

  /** Fails transactions that an earlier process had not signed: nothing of them was sent. */
  async recover(): Promise<void> {
    const ended = this.#store
      .unsigned()
      .map(({ id }) =>
        this.#progress.ended(
          id,
          'failed',
          'the service was interrupted before it was signed; nothing was sent',
        ),
      )
    await Promise.all(ended)
  }

  async send(
    asked: SignerRequest,
    walletId: string,
    body: PipelineTransactionBody,
  ): Promise<ApiTransaction> {
    const { now } = this.#options
    const caip2 = requestedChain(body)
    const node = this.#node(caip2)
    const sameness = requestIdentityOf(asked, now())
    const wanted = { asked, walletId, caip2, node, body, sameness }
    this.#forgetOld()
    if (sameness === undefined) return this.#tracked(this.#send(wanted))
    const key = `${asked.appId} ${sameness.key}`
    const running = this.#inFlight.get(key)
    if (running !== undefined) {
      this.#requireSame(running.digest, sameness)
      await this.#signer.authorize(asked)
      return running.sent
    }
    const known = this.#store.findByIdentity(asked.appId, sameness.key, now())
    if (known !== undefined) {
      this.#requireSame(known.dedupe_digest ?? '', sameness)
      await this.#signer.authorize(asked)
      return shownTransaction(this.#store.require(known.id))
    }
    const sent = this.#tracked(this.#send(wanted))
    this.#inFlight.set(key, { digest: sameness.digest, sent })
    const done = () => this.#inFlight.delete(key)
    sent.then(done, done)
    return sent
  }

  async sign(asked: SignerRequest, walletId: string, body: PipelineTransactionBody): Promise<Hex> {
    const caip2 = requestedChain(body)
    const node = this.#node(caip2)
    const { transaction } = body.params
    const { address, filling } = await this.#foresee(asked, walletId, caip2, node, transaction)
    const lane = this.#lanes.of(caip2, address, node)
    const filled = await lane.runExclusive(async () => {
      const nonce = requestedNonce(transaction) ?? (await lane.next())
      return { chainId: chainIdOf(caip2), nonce: BigInt(nonce), ...filling }
    })
    this.#lanes.releaseIdle(lane)
    return (await this.#signer.signTransaction(asked, filled)).raw
  }

  async authorize(
    asked: SignerRequest,
    walletId: string,
    { params }: DelegationBody,
  ): Promise<SignAnswer> {
    if (params.nonce !== undefined) return this.#signer.sign(asked)
    await this.#signer.precheck(asked)
    const caip2 = `eip155:${BigInt(params.chain_id)}`
    const node = this.#node(caip2)
    const address = await this.#signer.addressOf(asked.appId, walletId)
    const lane = this.#lanes.of(caip2, address, node)
    const next = await lane.runExclusive(() => lane.next())
    this.#lanes.releaseIdle(lane)
    // The sender's own nonce is incremented before its authorization is checked (EIP-7702).
    const nonce = BigInt(params.executor === 'self' ? next + 1 : next)
    return this.#signer.sign(asked, { chainId: chainIdOf(caip2), nonce, gas: 0n })
  }

  async replace(asked: SignerRequest, id: string, fees: ReplacementFees): Promise<ApiTransaction> {
    const known = this.#store.require(id)
    if (known.app_id !== asked.appId) throw noTransaction(id)
    await this.#signer.precheck(asked)
    const node = this.#node(known.caip2)
    const lane = this.#lanes.of(known.caip2, known.address, node)
    const parts = {
      store: this.#store,
      commits: this.#commits,
      progress: this.#progress,
      signer: this.#signer,
      now: this.#options.now,
    }
    const replaced = lane.runExclusive(() =>
      replaceTransaction(parts, asked, this.#store.require(id), fees, node),
    )
    await this.#tracked(replaced)
    this.#lanes.releaseIdle(lane)
    return shownTransaction(this.#store.require(id))
  }

  find(appId: string, id: string): ApiTransaction | undefined {
    const row = this.#store.find(id)
    return row === undefined || row.app_id !== appId ? undefined : shownTransaction(row)
  }

  list(
    appId: string,
    walletId: string,
    {
      cursor,
      limit = DEFAULT_PAGE,
      hash,
      chain,
    }: {
      readonly cursor?: string
      readonly limit?: number
      readonly hash?: string
      readonly chain?: string
    },
  ): WalletTransactionPage {
    const rows = this.#store.list(
      appId,
      walletId,
      parseCursor(cursor),
      hash?.toLowerCase() ?? null,
      chain ?? null,
      limit + 1,
    )
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      transactions: shown.map(shownTransaction),
      next_cursor:
        rows.length <= limit || last === undefined ? null : formatCursor(last.created_at, last.id),
    }
  }

  async balances(
    appId: string,
    walletId: string,
    filter: BalanceFilter = {},
  ): Promise<readonly AssetBalance[]> {
    const { chains } = this.#options
    const { chain: caip2 } = filter
    const chosen = caip2 === undefined ? chains : chains.filter((chain) => chain.caip2 === caip2)
    if (chosen.length === 0) throw this.#noChain(caip2 ?? '')
    const address = await this.#signer.addressOf(appId, walletId)
    const read = chosen.map((chain) => ({ chain, node: this.#node(chain.caip2) }))
    return readWalletBalances(read, address, filter)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#signer.close()
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()))
    await Promise.allSettled(this.#work)
  }

  async #send(wanted: Wanted): Promise<ApiTransaction> {
    const { asked, walletId, caip2, node, body } = wanted
    const { transaction } = body.params
    const { address, filling } = await this.#foresee(asked, walletId, caip2, node, transaction)
    const row = await this.#record(wanted, address)
    const lane = this.#lanes.of(caip2, address, node)
    this.#handedIn.add(row.id)
    try {
      return await lane.runExclusive(async () => {
        await this.#handInEarlier(lane, node)
        const attempt = await this.#makeAttempt(
          { ...asked, requestId: row.id },
          row,
          lane,
          transaction.nonce === undefined ? undefined : requestedNonce(transaction),
          filling,
        )
        return this.#firstBroadcast(
          { ...row, nonce: attempt.nonce, hash: attempt.hash },
          attempt,
          node,
          lane,
        )
      })
    } catch (error) {
      // Nothing was signed, so no event is due.
      if (this.#store.find(row.id)?.nonce === null)
        await this.#commits.run(() => this.#store.remove(row.id))
      throw error
    } finally {
      this.#handedIn.delete(row.id)
      this.#lanes.releaseIdle(lane)
    }
  }

  /** Has the signer decide about a transaction, and then tries it on the chain. */
  #foresee(
    asked: SignerRequest,
    walletId: string,
    caip2: string,
    node: EvmNode,
    transaction: TransactionFields,
  ): Promise<PreflightResult> {
    const nextNonce = async (address: Hex) => {
      const lane = this.#lanes.of(caip2, address, node)
      const nonce = await lane.runExclusive(() => lane.next())
      this.#lanes.releaseIdle(lane)
      return nonce
    }
    return preflightTransaction(
      { signer: this.#signer, node, nextNonce },
      asked,
      walletId,
      transaction,
    )
  }

  /**
   * Broadcasts earlier transactions that no node has accepted: one rejected after this one is signed would leave a
   * gap.
   * @throws WalletError chain_unreachable
   */
  async #handInEarlier(lane: NonceManager, node: EvmNode): Promise<void> {
    const { times, now } = this.#options
    const hands = {
      node,
      store: this.#store,
      progress: this.#progress,
      now,
      giveUpMs: times.giveUpMs,
    }
    for (const row of this.#store.unaccepted(lane.caip2, lane.address)) {
      const handed = await rebroadcast(hands, row)
      if (handed?.kind !== 'unknown') continue
      throw new WalletError(
        'chain_unreachable',
        `an earlier transaction of the wallet, ${row.id}, is waiting for the chain's node: ${handed.reason}`,
      )
    }
  }

  async #record(
    { asked, walletId, caip2, body, sameness }: Wanted,
    address: Hex,
  ): Promise<StoredTransaction> {
    const { makeId, now } = this.#options
    const id = makeId()
    const referenceId = body.reference_id ?? null
    await this.#commits.run(() => {
      this.#store.insert({
        id,
        appId: asked.appId,
        fields: body.params.transaction,
        walletId,
        caip2,
        address,
        referenceId,
        sameness,
        now: now(),
      })
    })
    return this.#store.require(id)
  }

  /** Assigns a nonce, has the transaction signed, and stores the signed bytes. */
  async #makeAttempt(
    asked: SignerRequest,
    row: StoredTransaction,
    lane: NonceManager,
    named: number | undefined,
    filling: PreflightFilling,
  ): Promise<SignedAttempt> {
    const nonce = named === undefined ? await lane.next() : await lane.checkChosenNonce(named)
    const filled = { chainId: chainIdOf(row.caip2), nonce: BigInt(nonce), ...filling }
    const signed = await this.#signer.signTransaction(asked, filled)
    const attempt = { ...signed, nonce, transaction_id: row.id }
    await this.#commits.run(() => {
      this.#store.addAttempt(row, attempt, filled, this.#options.now())
      this.#progress.queueEvent({ ...row, hash: attempt.hash }, 'created')
    })
    lane.use(nonce)
    this.#watches.get(row.caip2)?.wake()
    return attempt
  }

  /** Broadcasts the bytes. From here on a caller that gets an error must not retry the request. */
  async #firstBroadcast(
    row: StoredTransaction,
    attempt: SignedAttempt,
    node: EvmNode,
    lane: NonceManager,
  ): Promise<ApiTransaction> {
    const sent = { transaction_id: row.id, transaction_hash: attempt.hash }
    try {
      const handed = await node.send(attempt.raw)
      if (handed.kind === 'taken') await this.#progress.broadcasted(row.id)
      if (handed.kind !== 'taken') lane.dropCachedNonces()
      if (handed.kind === 'refused') {
        await this.#progress.ended(row.id, 'failed', handed.reason)
        throw broadcastRejection(handed, sent)
      }
      return shownTransaction(this.#store.require(row.id))
    } catch (error) {
      if (error instanceof WalletError) throw error
      throw new WalletError(
        'internal_error',
        `the transaction is signed and will be sent: ${messageOf(error)}`,
        sent,
      )
    }
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work)
    try {
      return await work
    } finally {
      this.#work.delete(work)
    }
  }

  #node(caip2: string): EvmNode {
    if (this.#isClosed) throw new WalletError('chain_unreachable', 'the service is shutting down')
    if (this.#work.size >= MAX_SENDS) {
      throw new WalletError('rate_limited', `${MAX_SENDS} transactions are already being sent`)
    }
    const node = this.#options.nodes.get(caip2)
    if (node === undefined) throw this.#noChain(caip2)
    return node
  }

  #noChain(caip2: string): WalletError {
    const known = [...this.#options.nodes.keys()].join(', ')
    return new WalletError(
      'unsupported_chain',
      `${caip2} is not configured: this service sends to ${known}`,
    )
  }

  #requireSame(digest: string, sameness: RequestIdentity): void {
    if (digest !== sameness.digest) throw new WalletError('idempotency_mismatch')
  }

  #forgetOld(): void {
    const now = this.#options.now()
    if (now - this.#forgotAt < FORGET_MS) return
    this.#forgotAt = now
    const { nodes, times, onTrouble } = this.#options
    const forget = () => {
      this.#store.dropExpiredIdentities(now)
      for (const caip2 of nodes.keys()) this.#store.forgetAttempts(caip2, now - times.doubtMs)
    }
    this.#commits.run(forget).catch(onTrouble)
  }
}

function chainIdOf(caip2: string): bigint {
  return BigInt(caip2.slice('eip155:'.length))
}
