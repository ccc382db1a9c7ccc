import { messageOf } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import {
  isBroadcastRefused,
  isBroadcastUndecided,
} from '../../client/transaction-sender/broadcast-answer.ts'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { SignAnswer, SignerRequest } from '../signer/signer-link.ts'
import { broadcastRejection } from './broadcast-rejection.ts'
import type { EvmNode } from './evm-node.ts'
import { requestedChain, requestedNonce } from './filling.ts'
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
import { checkChosenNonce, type WalletSender, WalletSenders } from './wallet-senders.ts'

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
  readonly #senders: WalletSenders
  /** By app and request identity. */
  readonly #inFlight = new Map<
    string,
    { readonly digest: string; readonly sent: Promise<ApiTransaction> }
  >()
  readonly #work = new Set<Promise<unknown>>()
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
    const progress = new TransactionProgress(store, this.#commits, outbox, (row, nonce, isUsed) => {
      senders.settle(row.caip2, row.address, nonce, isUsed)
    })
    this.#progress = progress
    const senders = new WalletSenders({ nodes, store, progress, times, now, followRemovals })
    this.#senders = senders
    const removed = new Map(
      [...nodes].map(([caip2, node]) => {
        return [caip2, new RollbackFollower({ caip2, node, store, progress, senders })] as const
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
          senders,
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
    const nonce = requestedNonce(transaction) ?? (await this.#nextNonce(caip2, address))
    const filled = { chainId: chainIdOf(caip2), nonce: BigInt(nonce), ...filling }
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
    this.#node(caip2)
    const address = await this.#signer.addressOf(asked.appId, walletId)
    const next = await this.#nextNonce(caip2, address)
    // The sender's own nonce is incremented before its authorization is checked (EIP-7702).
    const nonce = BigInt(params.executor === 'self' ? next + 1 : next)
    return this.#signer.sign(asked, { chainId: chainIdOf(caip2), nonce, gas: 0n })
  }

  async replace(asked: SignerRequest, id: string, fees: ReplacementFees): Promise<ApiTransaction> {
    const known = this.#store.require(id)
    if (known.app_id !== asked.appId) throw noTransaction(id)
    await this.#signer.precheck(asked)
    const node = this.#node(known.caip2)
    const parts = {
      store: this.#store,
      commits: this.#commits,
      progress: this.#progress,
      signer: this.#signer,
      now: this.#options.now,
    }
    const replaced = this.#senders.runExclusive(known.caip2, known.address, (sender) =>
      replaceTransaction(parts, asked, id, fees, node, sender),
    )
    await this.#tracked(replaced)
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
    try {
      return await this.#senders.runExclusive(caip2, address, async (sender) => {
        await this.#broadcastEarlier(sender, row)
        const chosen = requestedNonce(transaction)
        if (chosen !== undefined) await checkChosenNonce(sender, chosen)
        return this.#submit({ ...asked, requestId: row.id }, row, sender, chosen, filling)
      })
    } catch (error) {
      // Nothing was signed, so no event is due.
      if (this.#store.find(row.id)?.nonce === null)
        await this.#commits.run(() => this.#store.remove(row.id))
      throw error
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
    const nextNonce = (address: Hex) => this.#nextNonce(caip2, address)
    return preflightTransaction(
      { signer: this.#signer, node, nextNonce },
      asked,
      walletId,
      transaction,
    )
  }

  /** Returns the nonce that the next transaction gets. */
  #nextNonce(caip2: string, address: Hex): Promise<number> {
    return this.#senders.runExclusive(caip2, address, (sender) => sender.nextNonce())
  }

  /**
   * Broadcasts earlier transactions that no node has accepted: one rejected after this one is signed would leave a
   * gap.
   * @throws WalletError chain_unreachable
   */
  async #broadcastEarlier(
    sender: WalletSender,
    { caip2, address }: StoredTransaction,
  ): Promise<void> {
    for (const row of this.#store.unaccepted(caip2, address)) {
      const answer = await sender.rebroadcast(row.id, row.nonce ?? 0)
      if (answer === undefined || !isBroadcastUndecided(answer)) continue
      throw new WalletError(
        'chain_unreachable',
        `an earlier transaction of the wallet, ${row.id}, is waiting for the chain's node: ${answer.reason}`,
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

  /** Has the transaction signed, and stores the signed bytes. */
  async #makeAttempt(
    asked: SignerRequest,
    row: StoredTransaction,
    nonce: number,
    filling: PreflightFilling,
  ): Promise<SignedAttempt> {
    const filled = { chainId: chainIdOf(row.caip2), nonce: BigInt(nonce), ...filling }
    const signed = await this.#signer.signTransaction(asked, filled)
    const attempt = { ...signed, nonce, transaction_id: row.id }
    await this.#commits.run(() => {
      this.#store.addAttempt(row, attempt, filled, this.#options.now())
      this.#progress.queueEvent({ ...row, hash: attempt.hash }, 'created')
    })
    this.#watches.get(row.caip2)?.wake()
    return attempt
  }

  /** Sends a recorded transaction. Once it is signed, a caller that gets an error must not retry the request. */
  async #submit(
    asked: SignerRequest,
    row: StoredTransaction,
    sender: WalletSender,
    chosen: number | undefined,
    filling: PreflightFilling,
  ): Promise<ApiTransaction> {
    let sent: Readonly<Record<string, string>> | undefined
    const make = async (nonce: number) => {
      const attempt = await this.#makeAttempt(asked, row, nonce, filling)
      sent = { transaction_id: row.id, transaction_hash: attempt.hash }
      return attempt
    }
    try {
      const { answer } = await sender.submit(row.id, make, chosen)
      if (isBroadcastRefused(answer)) throw broadcastRejection(answer, sent ?? {})
      return shownTransaction(this.#store.require(row.id))
    } catch (error) {
      if (sent === undefined || error instanceof WalletError) throw error
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
