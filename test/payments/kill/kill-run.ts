import type { Hex } from '../../../host/base/hex.ts'
import { yieldToEventLoop } from '../../../host/base/yield-to-event-loop.ts'
import {
  encodeAuthorizationProof,
  encodeTransferProof,
} from '../../../host/payments/protocol/encode-proof.ts'
import { paidRequestTypedData } from '../../../host/payments/protocol/request-signature.ts'
import type { Binding, PricedResource } from '../../../host/payments/protocol/terms.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { nonceOf, signAuthorization } from '../../support/payments/signed-authorization.ts'
import { until } from '../../support/until.ts'
import { GateProcess } from './gate-process.ts'
import { KillChain } from './kill-chain.ts'
import { SOLD } from './kill-terms.ts'

const PAYER = devAccount(1)
const FROM = PAYER.address.toLowerCase() as Hex
const GATES = 2
const HONEST = 5
const THIEVES = 1
/** Time after which a refused payer counts as refused for good, even on a busy machine. */
const PATIENCE_MS = 180_000

/** A response with the paid resource. */
interface Serve {
  readonly gate: GateProcess
  readonly isStolen: boolean
  /** True if an earlier delivery was on disk before this request. */
  readonly isAfterMark: boolean
}

export interface KillPayment {
  readonly number: number
  readonly kind: 'transfer' | 'authorization'
  /** Hash of the transfer, or the nonce of the authorization. */
  readonly id: Hex
  /** Path with query. */
  readonly path: string
  readonly resource: PricedResource
  readonly header: string
  readonly serves: Serve[]
  /** Responses to its proof, in order. */
  readonly answers: string[]
}

interface Answer {
  readonly status: number
  readonly reason: string
}

/** A response to a proof. */
interface ProofAnswer extends Answer {
  readonly isAfterMark: boolean
}

/** Returns true if the delivery is or will be on disk, because its process had the time to record it. */
function isMarked({ header }: KillPayment, { gate }: Serve): boolean {
  return !gate.isKilled || gate.marked.has(header)
}

/** Where the gates store their payments. */
export interface KillPlace {
  /** Returns the folder of a gate. */
  folder(slot: number): string
  /** URL of the database that they share, if it is not the folder. */
  readonly store?: string
  /** Kills the database, and starts it again. */
  interrupt?(): Promise<void>
  /** Returns whether an error of a gate is one that the interruption explains. */
  isExpected?(failure: string): boolean
}

/** Interruptions per kill. */
const INTERRUPTIONS = 0.2

/** Honest payers and thieves at two gates with one store, one of which is killed repeatedly. */
export class KillRun {
  readonly chain = new KillChain()
  readonly payments: KillPayment[] = []
  /** Descriptions of broken guarantees. */
  readonly faults: string[] = []
  serves = 0
  /** Number of proofs presented by thieves that were refused. */
  refusedReplays = 0
  readonly #place: KillPlace
  interruptions = 0
  readonly #binding: Binding
  readonly #random: () => number
  readonly #gates: (GateProcess | undefined)[] = []
  #spare: GateProcess
  #isOver = false
  #paid = 0

  constructor(place: KillPlace, binding: Binding, random: () => number) {
    this.#place = place
    this.#binding = binding
    this.#random = random
    this.chain.balances.set(FROM, 10n ** 18n)
    this.#spare = new GateProcess(this.chain)
  }

  /** @param kills number of kills, after each of which a new process replaces the killed one */
  async run(kills: number): Promise<void> {
    for (let slot = 0; slot < GATES; slot++) await this.#open(slot)
    const payers = Array.from({ length: HONEST }, () => this.#pay())
    const thieves = Array.from({ length: THIEVES }, () => this.#steal())
    for (let kill = 0; kill < kills; kill++) {
      const enough = this.serves + Math.floor(this.#random() * 8)
      await until(() => this.serves >= enough || this.faults.length > 0)
      if (this.faults.length > 0) break
      if (this.#place.interrupt !== undefined && this.#random() < INTERRUPTIONS) {
        this.interruptions++
        await this.#place.interrupt()
      }
      const slot = kill % GATES
      const gate = this.#gates[slot] as GateProcess
      this.#gates[slot] = undefined
      await gate.kill()
      this.#collect(gate)
      await this.#open(slot)
    }
    this.#isOver = true
    await Promise.all([...payers, ...thieves])
    await this.#replayAll()
  }

  /** Kills all remaining processes. */
  async end(): Promise<void> {
    this.#isOver = true
    this.chain.stop()
    for (const gate of this.#gates) {
      if (gate === undefined) continue
      await gate.kill()
      this.#collect(gate)
    }
    await this.#spare.kill()
  }

  /** Returns payments that were served twice because their gate was killed between the last byte and the mark. */
  servedTwice(): readonly KillPayment[] {
    return this.payments.filter(({ serves }) => serves.length > 1)
  }

  /** Checks that only deliveries that a killed process could not mark are served twice. */
  check(): void {
    for (const payment of this.payments) {
      const { number, serves, answers } = payment
      if (serves.length === 0) {
        this.faults.push(`payment ${number} was served to nobody: ${answers.join('; ')}`)
      }
      // Responses of two gates may be read in another order than they were sent.
      const marked = serves.filter((serve) => isMarked(payment, serve))
      if (marked.length > 1 || serves.some(({ isAfterMark }) => isAfterMark)) {
        const told = answers.join('; ')
        this.faults.push(
          `payment ${number} was served again after its delivery was on the disk: ${told}`,
        )
      }
    }
  }

  async #open(slot: number): Promise<void> {
    const gate = this.#spare
    this.#spare = new GateProcess(this.chain)
    await gate.open({
      folder: this.#place.folder(slot),
      ...(this.#place.store !== undefined && { store: this.#place.store }),
      binding: this.#binding,
      settler: `0x${String(slot + 1).repeat(64)}`,
      seed: Math.floor(this.#random() * 2 ** 32),
    })
    this.#gates[slot] = gate
  }

  #collect({ failures }: GateProcess): void {
    const { isExpected = () => false } = this.#place
    this.faults.push(...failures.filter((failure) => !isExpected(failure)))
  }

  async #gate(): Promise<GateProcess> {
    await until(() => this.#gates.some((gate) => gate !== undefined))
    const open = this.#gates.filter((gate) => gate !== undefined)
    return open[Math.floor(this.#random() * open.length)] as GateProcess
  }

  /** Sends one request. Returns undefined if the gate was killed meanwhile. */
  async #ask(
    gate: GateProcess,
    path: string,
    header?: string,
    method = 'GET',
  ): Promise<Answer | undefined> {
    try {
      const headers = header === undefined ? {} : { 'x-payment': header }
      const response = await fetch(`${gate.url}${path}`, { method, headers })
      const text = await response.text()
      const body = text === '' || response.status >= 500 ? {} : JSON.parse(text)
      const { invalidReason, accepts } = body as {
        invalidReason?: string
        accepts?: [{ extra: { reference: string } }]
      }
      const reason = invalidReason ?? accepts?.[0]?.extra.reference ?? ''
      return { status: response.status, reason }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return undefined
    }
  }

  /** Presents a payment's proof, for its own request or for another. */
  async #present(
    payment: KillPayment,
    gate: GateProcess,
    path = payment.path,
    method = 'GET',
  ): Promise<ProofAnswer | undefined> {
    const isAfterMark = payment.serves.some((serve) => serve.gate.marked.has(payment.header))
    const answer = await this.#ask(gate, path, payment.header, method)
    const what = answer === undefined ? 'killed' : `${answer.status} ${answer.reason}`
    payment.answers.push(`${method} ${path} at ${gate.url}: ${what}`)
    return answer && { ...answer, isAfterMark }
  }

  async #pay(): Promise<void> {
    while (!this.#isOver && this.faults.length === 0) {
      const payment = await this.#makePayment()
      this.payments.push(payment)
      const end = performance.now() + PATIENCE_MS
      while (!(await this.#show(payment))) {
        if (performance.now() < end) continue
        const told = payment.answers.slice(-5).join('; ')
        this.faults.push(`payment ${payment.number} is refused for ever: ${told}`)
        return
      }
    }
  }

  /** Presents a payment's proof. Returns true after it was served, to any client. */
  async #show(payment: KillPayment): Promise<boolean> {
    const gate = await this.#gate()
    const answer = await this.#present(payment, gate)
    if (answer?.status === 200) {
      this.#served(payment, gate, answer, false)
      return true
    }
    if (answer?.status !== 402) return false
    // Another client was served with it, and the thief's response may be read after this one.
    if (answer.reason === 'payment_spent') {
      await until(() => payment.serves.length > 0 || this.#isOver, PATIENCE_MS)
      return true
    }
    if (answer.reason !== 'payment_in_progress') {
      this.faults.push(`payment ${payment.number} is refused: ${answer.reason}`)
      return true
    }
    return false
  }

  #served(
    payment: KillPayment,
    gate: GateProcess,
    { isAfterMark }: ProofAnswer,
    isStolen: boolean,
  ): void {
    payment.serves.push({ gate, isStolen, isAfterMark })
    this.serves++
  }

  /** Requests a resource, reads its price, and pays it. */
  async #makePayment(): Promise<KillPayment> {
    const number = ++this.#paid
    const resource = SOLD[number % SOLD.length] as PricedResource
    const path = `${resource.path}?n=${number}`
    let answer: Answer | undefined
    while (answer?.status !== 402) answer = await this.#ask(await this.#gate(), path)
    const kind = this.#random() < 0.5 ? 'transfer' : 'authorization'
    const facts = {
      number,
      path,
      resource,
      kind,
      serves: [] as Serve[],
      answers: [] as string[],
    } as const
    if (kind === 'authorization') {
      const id = nonceOf(number)
      const fields = { nonce: id, validBefore: this.chain.now() + 3_600n }
      const proof = await signAuthorization(PAYER, resource.terms, this.chain.now(), fields)
      return {
        ...facts,
        id,
        header: encodeAuthorizationProof(proof, resource.terms.network),
      }
    }
    const id = this.chain.transfer(number, FROM)
    const reference = answer.reason
    const { amount, chainId, network } = resource.terms
    const request = { chainId, method: 'GET', resource: path, reference, txHash: id }
    const signature = await PAYER.signTypedData(paidRequestTypedData(request))
    const bound = this.#binding === 'signed' ? { reference, signature } : {}
    const proof = { kind, txHash: id, amount, from: FROM, ...bound } as const
    return { ...facts, id, header: encodeTransferProof(proof, network) }
  }

  /** Presents the proofs of others, for their own requests and for other ones. */
  async #steal(): Promise<void> {
    while (!this.#isOver && this.faults.length === 0) {
      await yieldToEventLoop()
      const gate = await this.#gate()
      const newest = Math.floor(this.#random() * Math.min(this.payments.length, 12))
      const isNew = this.#random() < 0.7
      const any = Math.floor(this.#random() * this.payments.length)
      const payment = this.payments.at(isNew ? -1 - newest : any)
      if (payment === undefined) continue
      const draw = this.#random()
      if (draw < 0.1) await this.#present(payment, gate, payment.path, 'HEAD')
      else if (draw < 0.6) await this.#replay(payment, gate)
      else await this.#misuse(payment, gate)
    }
  }

  /**
   * Presents a proof for its own request: with the bearer binding a thief may be the first, but no client the second.
   */
  async #replay(payment: KillPayment, gate: GateProcess): Promise<void> {
    const answer = await this.#present(payment, gate)
    if (answer?.status === 200) this.#served(payment, gate, answer, true)
    else if (answer?.status === 402) this.refusedReplays++
  }

  /** Presents a proof for another request, which must be refused. Skips an unbound proof that was not served yet. */
  async #misuse(payment: KillPayment, gate: GateProcess): Promise<void> {
    const isBound = payment.kind === 'transfer' && this.#binding === 'signed'
    if (!isBound && payment.serves.length === 0) return
    const [weather, news] = SOLD
    const other = payment.resource === weather ? news : weather
    const path = this.#random() < 0.5 ? `${other.path}?n=${payment.number}` : `${payment.path}0`
    const answer = await this.#present(payment, gate, path)
    if (answer?.status === 402) this.refusedReplays++
    else if (answer?.status === 200) {
      this.faults.push(`payment ${payment.number} for ${payment.path} was served with ${path}`)
    }
  }

  /** Presents every proof again at the end: each was served and is spent. */
  async #replayAll(): Promise<void> {
    const gate = await this.#gate()
    for (const payment of this.payments) {
      const answer = await this.#present(payment, gate)
      if (answer?.status === 402 && answer.reason === 'payment_spent') continue
      // Its gate was killed between the last byte and the mark
      if (answer?.status === 200) this.#served(payment, gate, answer, true)
      else if (answer?.status === 502) while (!(await this.#show(payment)));
      else this.faults.push(`payment ${payment.number} ends as ${answer?.status} ${answer?.reason}`)
    }
  }
}
