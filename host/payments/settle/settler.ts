import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import { abortable } from '../../base/signal.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { lowerFee } from '../../client/transaction-sender/raised-fee.ts'
import type { AccountKey } from '../../evm/chain-types/account-key.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'
import { balanceOf, readResultWord } from './authorization.ts'
import { AuthorizationCheck, type Examination, type SettlementGas } from './authorization-check.ts'
import { isAuthorizationExecuted, type SearchReach } from './find-execution.ts'
import { type GasNotice, GasReserve } from './gas-reserve.ts'
import type { SettlementOutcome } from './pending-calls.ts'
import type { Settlement, SettleResult, Verification } from './settlement.ts'
import { SettlementSender } from './settlement-sender.ts'
import { SpendingLimits, type SpendingRates } from './spending-limits.ts'

export interface SettlerLimits extends SpendingRates {
  /** Wei per gas. */
  readonly maxGasPrice: bigint
  readonly gas: SettlementGas
  /** Native balance that the settler must keep, wei. */
  readonly minBalance: bigint
}

export interface SettlerOptions {
  readonly chain: PaymentChain
  readonly recovery: SignatureRecovery
  /** Pays gas and signs nothing else. */
  readonly key: AccountKey
  readonly limits?: Partial<SettlerLimits>
  /** Maximum clock difference between payer and chain, seconds. */
  readonly clockSkew?: bigint
  readonly reach?: SearchReach
  /** Settlements below which `onLowGas` is called; default: 1000. */
  readonly warnBelow?: number
  /** Called before the account cannot pay for gas any more, at the start and while it settles. */
  readonly onLowGas?: (notice: GasNotice) => void
}

/** Counters of a settler since it was opened. */
export interface SettlerFigures {
  /** Settled authorizations, and those of them that another sender executed. */
  readonly settled: number
  readonly settledByOthers: number
  /** Authorizations refused before a transaction was made. */
  readonly refused: number
  /** Refused because of a settler limit. */
  readonly limited: number
  /** Transactions that cost gas and moved nothing. */
  readonly failed: number
  readonly inFlight: number
  /** Wei, when last checked. */
  readonly balance: bigint
  /** Settlements that it pays for at the current gas price, when last checked. */
  readonly left: number | undefined
}

export const SETTLER_DEFAULTS: SettlerLimits = {
  perMinute: 60_000,
  perMinuteOfPayer: 60_000,
  maxGasPrice: 1_000n * 10n ** 9n,
  // USDC takes about 60,000 to 100,000; a wallet verifies a signature with less than 150,000.
  gas: { byKey: 150_000n, byContract: 300_000n },
  minBalance: 0n,
}

/** 1 gwei, the wallets' default. */
const TIP = 10n ** 9n

/** How long a verification is reused, enough to write a claim, ms. */
const FRESH_MS = 1_000

/** Maximum time between checks if no block arrives, ms. */
const LOOK_MS = 500

/** How often other processes' transactions may take the nonce of one settlement. */
const MAX_DISPLACED = 5

/** Default of `warnBelow`. */
const WARN_BELOW = 1_000

/** Opens settlement by a key. @throws if the chain cannot be reached */
export async function openSettler(options: SettlerOptions): Promise<Settler> {
  const { chain, key, recovery } = options
  const limits = { ...SETTLER_DEFAULTS, ...options.limits }
  const sender = await SettlementSender.open({
    chain,
    key,
    keccak256: (bytes) => recovery.keccak256(bytes),
    maxGasPrice: limits.maxGasPrice,
    tip: TIP,
    patience: 4,
    patienceMs: 5_000,
  })
  const settler = new Settler(options, limits, sender)
  await settler.checkGas()
  return settler
}

/** A settlement in progress, with all its waiters. */
interface Running {
  readonly sendings: Set<(txHash: Hex) => Promise<void>>
  txHash: Hex | undefined
  readonly result: Promise<SettleResult>
}

interface Verified {
  readonly terms: PaymentTerms
  readonly ready: Extract<Examination, { kind: 'ready' }>
  readonly at: number
}

/** Settles authorizations with its own key. */
export class Settler implements Settlement {
  readonly address: Hex
  readonly #chain: PaymentChain
  readonly #limits: SettlerLimits
  readonly #check: AuthorizationCheck
  readonly #sender: SettlementSender
  readonly #spending: SpendingLimits
  readonly #gas: GasReserve
  readonly #running = new Map<string, Running>()
  /** By token and payer: amount that transactions in flight will take of the payer's balance. */
  readonly #reserved = new Map<string, bigint>()
  readonly #verified = new WeakMap<AuthorizationProof, Verified>()
  readonly #ended = new AbortController()
  #balance: { readonly wei: bigint; readonly at: number } | undefined
  #counts = { settled: 0, settledByOthers: 0, refused: 0, limited: 0, failed: 0 }

  constructor(options: SettlerOptions, limits: SettlerLimits, sender: SettlementSender) {
    const { chain, key, recovery } = options
    this.address = formatData(key.address)
    this.#chain = chain
    this.#limits = limits
    this.#sender = sender
    this.#spending = new SpendingLimits(limits, () => performance.now())
    this.#gas = new GasReserve({
      address: this.address,
      gas: limits.gas.byKey,
      warnBelow: options.warnBelow ?? WARN_BELOW,
      onLow: options.onLowGas ?? (() => {}),
    })
    this.#check = new AuthorizationCheck({
      chain,
      recovery,
      sender: this.address,
      gas: limits.gas,
      clockSkew: options.clockSkew ?? 10n,
      reach: options.reach ?? { blocks: 10_000n, seconds: 3_600n },
    })
  }

  async verify(proof: AuthorizationProof, terms: PaymentTerms): Promise<Verification> {
    const found = await this.#examine(proof, terms)
    if (found.kind === 'ready') return { isValid: true, payer: proof.from, gas: found.gas }
    if (found.kind === 'carried out') return { isValid: true, payer: proof.from }
    return { isValid: false, invalidReason: found.reason, payer: proof.from }
  }

  async settle(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    sending: (txHash: Hex) => Promise<void>,
    signal: AbortSignal,
  ): Promise<SettleResult> {
    signal.throwIfAborted()
    const id = `${terms.asset}${proof.from}${proof.nonce}`
    // One transaction per authorization: concurrent callers share it, and claims decide who is served.
    let running = this.#running.get(id)
    if (running === undefined) {
      running = this.#start(id, proof, terms, sending)
    } else {
      const found = await this.#examine(proof, terms)
      if (found.kind === 'refused') return this.#refuse(proof, found.reason)
      running.sendings.add(sending)
      if (running.txHash !== undefined) await sending(running.txHash)
    }
    return abortable(running.result, signal)
  }

  figures(): SettlerFigures {
    return {
      ...this.#counts,
      inFlight: this.#running.size,
      balance: this.#balance?.wei ?? 0n,
      left: this.#gas.left,
    }
  }

  /**
   * Warns if little is left for gas.
   * @returns the native balance, wei
   * @throws if the chain cannot be reached
   */
  async checkGas(): Promise<bigint> {
    const wei = await this.#chain.balance(this.address)
    const price = await this.#chain.maxFeePerGas()
    this.#gas.check(wei, lowerFee(price, this.#limits.maxGasPrice))
    return wei
  }

  async close(): Promise<void> {
    this.#ended.abort(new LockstepError('INTERRUPTED', 'the settler was closed'))
    await this.#sender.close()
  }

  #start(
    id: string,
    proof: AuthorizationProof,
    terms: PaymentTerms,
    sending: (txHash: Hex) => Promise<void>,
  ): Running {
    const sendings = new Set([sending])
    const announce = async (txHash: Hex) => {
      running.txHash = txHash
      await Promise.all(Array.from(sendings, (each) => each(txHash)))
    }
    const result = this.#carryOut(proof, terms, announce).finally(() => this.#running.delete(id))
    // Waiters see the rejection, but there may be none left.
    result.catch(() => {})
    const running: Running = { sendings, txHash: undefined, result }
    this.#running.set(id, running)
    return running
  }

  async #examine(proof: AuthorizationProof, terms: PaymentTerms): Promise<Examination> {
    const found = await this.#check.examine(proof, terms)
    if (found.kind === 'ready') {
      this.#verified.set(proof, { terms, ready: found, at: performance.now() })
    }
    return found
  }

  /** Reuses the recent result of `verify`, made before the claim was written. */
  async #examineOnce(proof: AuthorizationProof, terms: PaymentTerms): Promise<Examination> {
    const known = this.#verified.get(proof)
    this.#verified.delete(proof)
    const isFresh = known?.terms === terms && performance.now() - known.at < FRESH_MS
    return isFresh ? known.ready : this.#examine(proof, terms)
  }

  async #carryOut(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    announce: (txHash: Hex) => Promise<void>,
  ): Promise<SettleResult> {
    for (let tries = 0; tries <= MAX_DISPLACED; tries++) {
      // Transactions of an earlier process may execute the authorization. Later ones do not hold this one up.
      const end = await this.#sender.pendingNonce()
      await this.#waitUntil(() => this.#sender.countForeign(end) === 0)
      const found = await this.#examineOnce(proof, terms)
      if (found.kind === 'refused') return this.#refuse(proof, found.reason)
      if (found.kind === 'carried out') return this.#succeed(proof, found.txHash, true)
      await this.#waitUntil(() => proof.validAfter < this.#chain.now())
      const outcome = await this.#pay(proof, terms, found, announce)
      if (outcome.kind === 'refused') return this.#refuse(proof, outcome.reason)
      if (outcome.kind === 'included') return this.#judge(proof, terms, outcome)
    }
    return this.#refuse(proof, 'settle_exact_node_failure')
  }

  /** Sends the transaction, if settler and payer can afford it with all that is in flight. */
  async #pay(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    { data, gas }: Extract<Examination, { kind: 'ready' }>,
    announce: (txHash: Hex) => Promise<void>,
  ): Promise<SettlementOutcome | Extract<Examination, { kind: 'refused' }>> {
    const payer = terms.asset + proof.from
    const reserved = this.#reserved.get(payer) ?? 0n
    this.#reserve(payer, proof.value)
    try {
      const lack = await this.#lack(proof, terms, reserved)
      if (lack !== undefined) return { kind: 'refused', reason: lack }
      const call = { to: parseFixedData(terms.asset, 20), data: parseData(data), gas }
      return await this.#sender.send(call, announce)
    } catch (error) {
      if (!(error instanceof LockstepError)) throw error
      if (error.code === 'LIMIT_EXCEEDED') this.#counts.limited++
      else if (error.code !== 'TRANSACTION_REJECTED') throw error
      return { kind: 'refused', reason: 'settle_exact_node_failure' }
    } finally {
      this.#reserve(payer, -proof.value)
    }
  }

  /** @param reserved amount that other transactions in flight will take of the payer's balance */
  async #lack(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    reserved: bigint,
  ): Promise<InvalidReason | undefined> {
    if (reserved > 0n) {
      const held = readResultWord(await this.#chain.call(terms.asset, balanceOf(proof.from)))
      if (held === undefined || held < reserved + proof.value) return 'insufficient_funds'
    }
    const isAffordable = (await this.#balanceNow()) >= this.#limits.minBalance
    if (isAffordable && this.#spending.take(proof.from)) return undefined
    this.#counts.limited++
    return 'settle_exact_node_failure'
  }

  async #balanceNow(): Promise<bigint> {
    const now = performance.now()
    if (this.#balance === undefined || now - this.#balance.at >= FRESH_MS) {
      this.#balance = { wei: await this.checkGas(), at: now }
    }
    return this.#balance.wei
  }

  #reserve(payer: string, value: bigint): void {
    const total = (this.#reserved.get(payer) ?? 0n) + value
    if (total === 0n) this.#reserved.delete(payer)
    else this.#reserved.set(payer, total)
  }

  /** Decides by the logs: a token may do nothing, without reverting, if an authorization is used. */
  async #judge(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    { txHash, receipt }: Extract<SettlementOutcome, { kind: 'included' }>,
  ): Promise<SettleResult> {
    if (isAuthorizationExecuted(receipt, proof, terms)) return this.#succeed(proof, txHash, false)
    this.#counts.failed++
    const now = await this.#examine(proof, terms)
    if (now.kind === 'carried out') return this.#succeed(proof, now.txHash, true)
    const reason = now.kind === 'refused' ? now.reason : 'invalid_exact_evm_transaction_failed'
    return { ...this.#refuse(proof, reason), txHash }
  }

  #succeed({ from }: AuthorizationProof, txHash: Hex, isByOther: boolean): SettleResult {
    this.#counts.settled++
    if (isByOther) this.#counts.settledByOthers++
    return { success: true, txHash, payer: from }
  }

  #refuse({ from }: AuthorizationProof, errorReason: InvalidReason) {
    this.#counts.refused++
    return { success: false, errorReason, payer: from } as const
  }

  async #waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      this.#ended.signal.throwIfAborted()
      // Also proceeds without a block, as chains without empty blocks may not make one.
      await this.#chain.nextBlock(AbortSignal.any([this.#ended.signal, timeoutSignal(LOOK_MS)]))
    }
  }
}
