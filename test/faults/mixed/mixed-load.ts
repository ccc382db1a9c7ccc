import { join } from 'node:path'
import { type Hex, parseEther } from 'viem'
import { openLedger } from '../../../host/payments/claim/ledger.ts'
import { devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { minedReceipt } from '../../support/node/progress.ts'
import { collected } from '../../support/payments/collected.ts'
import { PAY_TO, PRICE } from '../../support/payments/gate-node.ts'
import { Payer } from '../../support/payments/payer.ts'
import { RECIPIENT } from '../../support/wallet/pipeline-fixture.ts'
import { HistoryWatch } from './history-watch.ts'
import { PHASES } from './kill-point.ts'
import { MIXED_TOKEN, type MixedNode, type Victim } from './mixed-node.ts'
import { MixedRun } from './mixed-run.ts'
import { PaidRequests } from './paid-requests.ts'
import { type HeldWallet, WalletWishes } from './wallet-wishes.ts'

const FUNDER = 0
const SENDERS = [1, 2]
const PAYERS = [3, 4, 5]
const WALLETS = 2
const WATCHERS = 2
/** Limits the number of transactions, all of which are read again at the end. */
const SEND_PAUSE_MS = 100
/** Kills between two progress messages of a long run. */
const PROGRESS = 25

interface SeenTransaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly value: Hex
}

/** Sends transactions, payments, wallet requests and traces to one node, which is killed repeatedly. */
export class MixedLoad {
  readonly #node: MixedNode
  readonly #run: MixedRun
  readonly #history: HistoryWatch
  readonly #payments: PaidRequests
  readonly #wallets: WalletWishes
  /** The number of kills of each process in each phase, as text. */
  readonly kills: string[] = []

  constructor(node: MixedNode, random: () => number) {
    this.#node = node
    this.#run = new MixedRun(node, random)
    const { chainId } = node.daemon.ready
    this.#history = new HistoryWatch(this.#run)
    this.#payments = new PaidRequests(this.#run, chainId)
    this.#wallets = new WalletWishes(this.#run, chainId)
  }

  get faults(): readonly string[] {
    return this.#run.faults
  }

  get counts() {
    return {
      ...this.#history.counts,
      transactions: this.#run.acknowledged.size,
      payments: this.#payments.payments.length,
      wallets: this.#wallets.wishes.length,
    }
  }

  /** @param kills number of kills of the node or of a wallet process, each at a random moment */
  async run(kills: number): Promise<void> {
    const clients = await this.#begin()
    for (let round = 0; round < kills && this.faults.length === 0; round++) {
      const victim = this.#drawVictim()
      const [phase, moments] = PHASES[this.#run.below(PHASES.length)] as (typeof PHASES)[number]
      const moment = 1 + this.#run.below(moments)
      const { kill, revive } = await this.#node.prepareKill(victim)
      await Promise.race([this.#run.point.arm(phase, moment, kill), ...clients])
      if (victim === 'node') this.#payments.killed()
      await revive()
      this.kills.push(`${victim} at ${phase} ${moment}`)
      await this.#history.check()
      if (this.kills.length % PROGRESS === 0) console.info(`${this.kills.length} kills`)
    }
    this.#run.isOver = true
    await Promise.all(clients)
  }

  /** Waits until everything is mined and final, and checks all of it again. */
  async conclude(): Promise<void> {
    await this.#wallets.conclude()
    await this.#history.conclude()
    await this.#payments.conclude()
    await this.#countBlocks()
    await this.#countTokens()
  }

  /** Checks the ledger of a stopped node: it has each payment once, paid and delivered. */
  async checkLedger(): Promise<void> {
    const ledger = await openLedger(join(this.#node.home, 'data', 'payments'))
    const records = await collected(ledger.payments())
    await ledger.close()
    const asked = this.#payments.payments.map(({ path }) => `GET ${path}`).sort()
    const told = records.map(({ request }) => request).sort()
    if (JSON.stringify(asked) !== JSON.stringify(told)) {
      this.#run.faults.push(`the ledger has ${told}, and was paid for ${asked}`)
    }
    for (const { request, state, isPaid } of records) {
      if (state === 'delivered' && isPaid) continue
      this.#run.faults.push(`the ledger has ${request} as ${state}, paid: ${isPaid}`)
    }
  }

  #drawVictim(): Victim {
    const drawn = this.#run.random()
    if (drawn < 0.6) return 'node'
    return drawn < 0.8 ? 'service-main' : 'signer-main'
  }

  /** Starts the clients, each of which ends with the run. */
  async #begin(): Promise<Promise<void>[]> {
    const { rpc } = this.#node.daemon.ready
    const payers = PAYERS.map((index) => new Payer(index, rpc, MIXED_TOKEN))
    // Each payer reads the token's domain before the first kill.
    for (const payer of payers) await payer.authorize({ to: PAY_TO, value: PRICE })
    const wallets: HeldWallet[] = []
    for (let i = 0; i < WALLETS; i++) {
      const wallet = await this.#wallets.makeWallet(`wallet-${i}`)
      wallets.push(wallet)
      const raw = await signDynamicFee(FUNDER, {
        nonce: i,
        to: wallet.address,
        value: parseEther('5'),
      })
      await minedReceipt(rpc, await this.#run.submit(raw))
    }
    return [
      ...SENDERS.map((index) => this.#send(index)),
      ...payers.map((payer) => this.#payments.pay(payer)),
      ...wallets.map((wallet) => this.#wallets.send(wallet)),
      ...Array.from({ length: WATCHERS }, () => this.#history.watch()),
    ]
  }

  async #send(index: number): Promise<void> {
    for (let nonce = 0; this.#run.goesOn; nonce++) {
      const to = devAccount(7).address
      await this.#run.submit(await signDynamicFee(index, { nonce, to, value: 1n }))
      await this.#run.pause(SEND_PAUSE_MS)
    }
  }

  /** Checks that each acknowledged transaction and each wallet request is in exactly one block. */
  async #countBlocks(): Promise<void> {
    const { faults, acknowledged } = this.#run
    const mined = new Map<Hex, number>()
    const wished = new Map<string, number>()
    const head = Number(await this.#run.result<Hex>('eth_blockNumber', []))
    for (let number = 0; number <= head; number++) {
      const params = [`0x${number.toString(16)}`, true]
      const block = await this.#run.result<{ transactions: SeenTransaction[] }>(
        'eth_getBlockByNumber',
        params,
      )
      for (const { hash, from, to, value } of block.transactions) {
        mined.set(hash, (mined.get(hash) ?? 0) + 1)
        if (to !== RECIPIENT) continue
        const wish = `${from} ${Number(value)}`
        wished.set(wish, (wished.get(wish) ?? 0) + 1)
      }
    }
    for (const hash of acknowledged) {
      if (mined.get(hash) !== 1) faults.push(`${hash} is mined ${mined.get(hash) ?? 0} times`)
    }
    for (const { wallet, value } of this.#wallets.wishes) {
      const count = wished.get(`${wallet} ${value}`) ?? 0
      if (count !== 1) faults.push(`the wallet's transaction ${value} is mined ${count} times`)
    }
    if (wished.size !== this.#wallets.wishes.length) {
      faults.push(`${wished.size} transactions of wallets, ${this.#wallets.wishes.length} wishes`)
    }
  }

  /** Checks that the payee has received one price for each payment. */
  async #countTokens(): Promise<void> {
    const { rpc } = this.#node.daemon.ready
    const balance = await new Payer(9, rpc, MIXED_TOKEN).balance()
    const initial = await new Payer(FUNDER, rpc, MIXED_TOKEN).balance()
    const paid = BigInt(this.#payments.payments.length) * PRICE
    if (balance - initial !== paid) {
      this.#run.faults.push(`the payee has ${balance - initial}, was to be paid ${paid}`)
    }
  }
}
