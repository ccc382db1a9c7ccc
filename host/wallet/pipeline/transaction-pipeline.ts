import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../base/error.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { GroupCommit } from '../../store/sqlite/group-commit.ts'
import type { Wallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Asked, FilledTransaction, SignAnswer, SignerLink } from '../signer/signer-link.ts'
import { AccountLane } from './account-lane.ts'
import type { EvmNode, Handed } from './evm-node.ts'
import { chainOf, fillGas, nonceOf, raisedFees } from './filling.ts'
import { handInAgain } from './hand-in.ts'
import { nativeBalance } from './native-balance.ts'
import type {
  DelegationBody,
  NativeBalance,
  Pipeline,
  ReplacementFees,
  TransactionBody,
  TransactionPage,
  TransactionRecord,
} from './pipeline.ts'
import type { PipelineOptions } from './pipeline-options.ts'
import type { PipelineTimes } from './pipeline-times.ts'
import { samenessOf } from './sameness.ts'
import { formatCursor, parseCursor } from './transaction-cursor.ts'
import { TransactionProgress } from './transaction-progress.ts'
import {
  type Attempt,
  type Sameness,
  type StoredTransaction,
  shownTransaction,
  storedFilling,
  TransactionStore,
} from './transaction-store.ts'
import { TransactionWatch } from './transaction-watch.ts'

/** Sends that are worked on at once, over all wallets. */
const MAX_SENDS = 10_000

/** Addresses of wallets that are remembered. */
const MAX_ADDRESSES = 10_000

const DEFAULT_PAGE = 20

/** Pause before a signer that is started again is asked again. */
const SIGNER_PAUSE_MS = 50

/** Between two times at which requests are forgotten that nobody can send again. */
const FORGET_MS = 60_000

type Options = Required<Omit<PipelineOptions, 'times'>> & {
  readonly nodes: ReadonlyMap<string, EvmNode>
  readonly times: PipelineTimes
}

interface Wanted {
  readonly asked: Asked
  readonly walletId: string
  readonly caip2: string
  readonly node: EvmNode
  readonly body: TransactionBody
  readonly sameness: Sameness | undefined
}

export class TransactionPipeline implements Pipeline {
  readonly #options: Options
  readonly #store: TransactionStore
  readonly #commits: GroupCommit
  readonly #signer: SignerLink
  readonly #progress: TransactionProgress
  readonly #watches: ReadonlyMap<string, TransactionWatch>
  /** By chain and address; those that wait for nothing are let go. */
  readonly #lanes = new Map<string, AccountLane>()
  readonly #addresses = new Map<string, Hex>()
  /** By app and what makes requests the same. */
  readonly #inFlight = new Map<
    string,
    { readonly digest: string; readonly sent: Promise<TransactionRecord> }
  >()
  readonly #work = new Set<Promise<unknown>>()
  /** Ids of transactions that are signed and handed in for the first time. */
  readonly #handedIn = new Set<string>()
  #isClosed = false
  #forgotAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#commits = options.commits
    this.#signer = options.signer
    const store = new TransactionStore(options.database)
    this.#store = store
    const { outbox, nodes, times, now, onTrouble } = options
    const progress = new TransactionProgress(store, this.#commits, outbox, (row, nonce, isUsed) => {
      const lane = this.#lanes.get(laneKey(row.caip2, row.address))
      if (isUsed) lane?.use(nonce)
      else lane?.release(nonce)
      this.#letGo(lane)
    })
    this.#progress = progress
    this.#watches = new Map(
      [...nodes].map(([caip2, node]) => [
        caip2,
        new TransactionWatch({
          caip2,
          node,
          store,
          progress,
          times,
          now,
          isHandedIn: (id) => this.#handedIn.has(id),
          onTrouble,
        }),
      ]),
    )
  }

  /** Ends what an earlier process has not signed: nothing of it was sent. */
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

  async send(asked: Asked, walletId: string, body: TransactionBody): Promise<TransactionRecord> {
    const { now } = this.#options
    const caip2 = chainOf(body)
    const node = this.#node(caip2)
    const sameness = samenessOf(asked, now())
    const wanted = { asked, walletId, caip2, node, body, sameness }
    this.#forgetOld()
    if (sameness === undefined) return this.#tracked(this.#send(wanted))
    const key = `${asked.appId} ${sameness.key}`
    const running = this.#inFlight.get(key)
    if (running !== undefined) {
      this.#requireSame(running.digest, sameness)
      return running.sent
    }
    const known = this.#store.findSame(asked.appId, sameness.key, now())
    if (known !== undefined) {
      this.#requireSame(known.dedupe_digest ?? '', sameness)
      return shownTransaction(known)
    }
    const sent = this.#tracked(this.#send(wanted))
    this.#inFlight.set(key, { digest: sameness.digest, sent })
    const done = () => this.#inFlight.delete(key)
    sent.then(done, done)
    return sent
  }

  async sign(asked: Asked, walletId: string, body: TransactionBody): Promise<Hex> {
    const caip2 = chainOf(body)
    const node = this.#node(caip2)
    const address = await this.#addressOf(asked.appId, walletId)
    const { transaction } = body.params
    const gas = await fillGas(node, address, transaction)
    const lane = this.#lane(caip2, address, node)
    const filled = await lane.inTurn(async () => {
      const nonce = nonceOf(transaction) ?? (await lane.next())
      return { chainId: chainIdOf(caip2), nonce: BigInt(nonce), ...gas }
    })
    this.#letGo(lane)
    return (await this.#signed(asked, filled)).raw
  }

  async authorize(asked: Asked, walletId: string, { params }: DelegationBody): Promise<SignAnswer> {
    if (params.nonce !== undefined) return this.#signer.sign(asked)
    const caip2 = `eip155:${BigInt(params.chain_id)}`
    const node = this.#node(caip2)
    const address = await this.#addressOf(asked.appId, walletId)
    const lane = this.#lane(caip2, address, node)
    const next = await lane.inTurn(() => lane.next())
    this.#letGo(lane)
    // Whoever executes its own delegation uses up a nonce before it is looked at (EIP-7702).
    const nonce = BigInt(params.executor === 'self' ? next + 1 : next)
    return this.#signer.sign(asked, { chainId: chainIdOf(caip2), nonce, gas: 0n })
  }

  async replace(asked: Asked, id: string, fees: ReplacementFees): Promise<TransactionRecord> {
    const row = this.#store.find(id)
    if (row === undefined || row.app_id !== asked.appId) throw noTransaction(id)
    const node = this.#node(row.caip2)
    const lane = this.#lane(row.caip2, row.address, node)
    return this.#tracked(lane.inTurn(() => this.#replace(asked, id, fees, node)))
  }

  find(appId: string, id: string): TransactionRecord | undefined {
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
    }: { readonly cursor?: string; readonly limit?: number; readonly hash?: string },
  ): TransactionPage {
    const rows = this.#store.list(
      appId,
      walletId,
      parseCursor(cursor),
      hash?.toLowerCase() ?? null,
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
    caip2?: string,
  ): Promise<readonly NativeBalance[]> {
    const { chains } = this.#options
    const chosen = caip2 === undefined ? chains : chains.filter((chain) => chain.caip2 === caip2)
    if (chosen.length === 0) throw this.#noChain(caip2 ?? '')
    const address = await this.#addressOf(appId, walletId)
    return Promise.all(
      chosen.map(async (chain) =>
        nativeBalance(chain, await this.#node(chain.caip2).balance(address)),
      ),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#watches.values()].map((watch) => watch.close()))
    await Promise.allSettled(this.#work)
  }

  async #send(wanted: Wanted): Promise<TransactionRecord> {
    const { asked, walletId, caip2, node, body } = wanted
    const address = await this.#addressOf(asked.appId, walletId)
    const { transaction } = body.params
    const gas = await fillGas(node, address, transaction)
    const row = await this.#record(wanted, address)
    const lane = this.#lane(caip2, address, node)
    this.#handedIn.add(row.id)
    try {
      return await lane.inTurn(async () => {
        await this.#handInEarlier(lane, node)
        const attempt = await this.#makeAttempt(
          { ...asked, requestId: row.id },
          row,
          lane,
          transaction.nonce === undefined ? undefined : nonceOf(transaction),
          gas,
        )
        return this.#firstBroadcast(
          { ...row, nonce: attempt.nonce, hash: attempt.hash },
          attempt,
          node,
          lane,
        )
      })
    } catch (error) {
      // Nothing was signed: there is nothing to tell of.
      if (this.#store.find(row.id)?.nonce === null)
        await this.#commits.run(() => this.#store.remove(row.id))
      throw error
    } finally {
      this.#handedIn.delete(row.id)
      this.#letGo(lane)
    }
  }

  /**
   * What no node has taken yet goes first: were it refused after this one was signed, it would leave a gap.
   * @throws WalletError chain_unreachable
   */
  async #handInEarlier(lane: AccountLane, node: EvmNode): Promise<void> {
    const { times, now } = this.#options
    const hands = {
      node,
      store: this.#store,
      progress: this.#progress,
      now,
      giveUpMs: times.giveUpMs,
    }
    for (const row of this.#store.untaken(lane.caip2, lane.address)) {
      const handed = await handInAgain(hands, row)
      if (handed?.kind !== 'unknown') continue
      throw new WalletError(
        'chain_unreachable',
        `an earlier transaction of the wallet, ${row.id}, waits for the chain's node: ${handed.reason}`,
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
    return this.#require(id)
  }

  /** Gives a nonce, has it signed, and keeps what was signed. */
  async #makeAttempt(
    asked: Asked,
    row: StoredTransaction,
    lane: AccountLane,
    named: number | undefined,
    gas: Omit<FilledTransaction, 'chainId' | 'nonce'>,
  ): Promise<Attempt> {
    const nonce = named === undefined ? await lane.next() : await lane.named(named)
    const filled = { chainId: chainIdOf(row.caip2), nonce: BigInt(nonce), ...gas }
    const signed = await this.#signed(asked, filled)
    const attempt = { ...signed, nonce, transaction_id: row.id }
    await this.#commits.run(() => {
      this.#store.addAttempt(row, attempt, filled, this.#options.now())
      this.#progress.tell({ ...row, hash: attempt.hash }, 'created')
    })
    lane.use(nonce)
    this.#watches.get(row.caip2)?.wake()
    return attempt
  }

  /** Hands the bytes in. From here on the same request must not be made again by whoever sees an error. */
  async #firstBroadcast(
    row: StoredTransaction,
    attempt: Attempt,
    node: EvmNode,
    lane: AccountLane,
  ): Promise<TransactionRecord> {
    const sent = { transaction_id: row.id, transaction_hash: attempt.hash }
    try {
      const handed = await node.send(attempt.raw)
      if (handed.kind === 'taken') await this.#progress.broadcasted(row.id)
      if (handed.kind !== 'taken') lane.forget()
      if (handed.kind === 'refused') {
        await this.#progress.ended(row.id, 'failed', handed.reason)
        throw refusal(handed, sent)
      }
      return shownTransaction(this.#require(row.id))
    } catch (error) {
      if (error instanceof WalletError) throw error
      throw new WalletError(
        'internal_error',
        `the transaction is signed and will be sent: ${messageOf(error)}`,
        sent,
      )
    }
  }

  async #replace(
    asked: Asked,
    id: string,
    wanted: ReplacementFees,
    node: EvmNode,
  ): Promise<TransactionRecord> {
    const row = this.#require(id)
    const isWaiting =
      row.is_open === 1 && (row.status === 'pending' || row.status === 'broadcasted')
    if (!isWaiting || row.filled === null) {
      throw new WalletError(
        'invalid_data',
        `the transaction is ${row.status}: only one that waits is replaced`,
      )
    }
    const before = storedFilling(row.filled)
    const filled = { ...withoutFees(before), ...raisedFees(before, wanted, await node.fees()) }
    const signed = await this.#signed(asked, filled)
    const attempt = { ...signed, nonce: Number(filled.nonce), transaction_id: id }
    await this.#commits.run(() => this.#store.addAttempt(row, attempt, filled, this.#options.now()))
    const handed = await node.send(attempt.raw)
    if (handed.kind === 'taken') {
      await this.#progress.broadcasted(id)
      await this.#commits.run(() => this.#progress.tell(this.#require(id), 'broadcasted'))
    }
    if (handed.kind === 'refused') {
      await this.#commits.run(() => this.#store.removeAttempt(id, attempt.hash, before))
      throw refusal(handed, { transaction_id: id })
    }
    return shownTransaction(this.#require(id))
  }

  /** Waits for a signer that is started again: the same is signed with the same nonce, however often it is asked for. */
  async #signed(
    asked: Asked,
    filled: FilledTransaction,
  ): Promise<{ readonly raw: Hex; readonly hash: Hex }> {
    const end = performance.now() + this.#options.times.signerMs
    for (;;) {
      try {
        const { signed } = await this.#signer.sign(asked, filled)
        if (signed.kind !== 'transaction')
          throw new WalletError('internal_error', 'the signer gave no transaction')
        return { raw: signed.raw, hash: signed.hash.toLowerCase() as Hex }
      } catch (error) {
        const isAway = error instanceof WalletError && error.code === 'signer_unreachable'
        if (!isAway || this.#isClosed || performance.now() > end) throw error
        await wait(SIGNER_PAUSE_MS)
      }
    }
  }

  /** Lower case. @throws WalletError not_found */
  async #addressOf(appId: string, walletId: string): Promise<Hex> {
    const key = `${appId} ${walletId}`
    const known = this.#addresses.get(key)
    if (known !== undefined) return known
    const request = {
      method: 'GET',
      path: `/v1/wallets/${walletId}`,
      body: '',
      headers: {},
      signatures: [],
    } as const
    const wallet = (await this.#signer.ask({
      appId,
      requestId: this.#options.makeId(),
      request,
    })) as Wallet
    const address = formatData(parseData(wallet.address))
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear()
    this.#addresses.set(key, address)
    return address
  }

  #lane(caip2: string, address: Hex, node: EvmNode): AccountLane {
    const key = laneKey(caip2, address)
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = new AccountLane(caip2, address, node, this.#store, this.#options.times.trustMs)
      this.#lanes.set(key, lane)
    }
    return lane
  }

  #letGo(lane: AccountLane | undefined): void {
    if (lane?.isIdle === true) this.#lanes.delete(laneKey(lane.caip2, lane.address))
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
    if (this.#isClosed) throw new WalletError('chain_unreachable', 'the service is ending')
    if (this.#work.size >= MAX_SENDS) {
      throw new WalletError('rate_limited', `${MAX_SENDS} transactions are being sent already`)
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

  #require(id: string): StoredTransaction {
    const row = this.#store.find(id)
    if (row === undefined) throw noTransaction(id)
    return row
  }

  #requireSame(digest: string, sameness: Sameness): void {
    if (digest !== sameness.digest) throw new WalletError('idempotency_mismatch')
  }

  #forgetOld(): void {
    const now = this.#options.now()
    if (now - this.#forgotAt < FORGET_MS) return
    this.#forgotAt = now
    const { nodes, times, onTrouble } = this.#options
    const forget = () => {
      this.#store.forgetSameness(now)
      for (const caip2 of nodes.keys()) this.#store.forgetAttempts(caip2, now - times.doubtMs)
    }
    this.#commits.run(forget).catch(onTrouble)
  }
}

function laneKey(caip2: string, address: Hex): string {
  return `${caip2} ${address}`
}

function chainIdOf(caip2: string): bigint {
  return BigInt(caip2.slice('eip155:'.length))
}

function withoutFees({ chainId, nonce, gas }: FilledTransaction): FilledTransaction {
  return { chainId, nonce, gas }
}

function noTransaction(id: string): WalletError {
  return new WalletError('not_found', `there is no transaction ${id}`)
}

function refusal(
  { reason, isUnfunded }: Extract<Handed, { kind: 'refused' }>,
  details: Readonly<Record<string, unknown>>,
): WalletError {
  const code = isUnfunded ? 'insufficient_funds' : 'transaction_broadcast_failure'
  return new WalletError(code, `the chain refused the transaction: ${reason}`, details)
}
