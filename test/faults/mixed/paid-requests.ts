import { encodeTransferProof } from '../../../host/payments/protocol/encode-proof.ts'
import { type ChallengeBody, PAY_TO, PRICE } from '../../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../../support/payments/hand-made-proof.ts'
import type { Payer } from '../../support/payments/payer.ts'
import type { MixedRun } from './mixed-run.ts'

/** A delivery is marked after its last byte, so a kill may lose the marks of the latest deliveries. */
const NEWEST = 8

/** Responses after which a payer gives up: some minutes of refusals. */
const PATIENCE = 3_000

/** A payment and its result. */
export interface PaidRequest {
  readonly path: string
  readonly kind: 'transfer' | 'authorization'
  readonly proof: string
  /** How often it was served. */
  serves: number
}

/** Payers at the gate. Each pays for one request after another and presents the proof until it is served. */
export class PaidRequests {
  readonly payments: PaidRequest[] = []
  readonly #run: MixedRun
  readonly #chainId: number
  /** Served last, in order. */
  readonly #newest: PaidRequest[] = []
  /** Served so shortly before a kill that their delivery may not be marked. */
  readonly #unmarked = new Set<PaidRequest>()

  constructor(run: MixedRun, chainId: number) {
    this.#run = run
    this.#chainId = chainId
  }

  /** @param payer of an account that has no other sender */
  async pay(payer: Payer): Promise<void> {
    for (let nonce = 0; this.#run.goesOn; ) {
      const kind = this.#run.random() < 0.5 ? 'transfer' : 'authorization'
      const path = `/${kind === 'transfer' ? 'contract' : 'x402'}?n=${this.payments.length}`
      const network = await this.#challenge(path)
      const proof =
        kind === 'transfer'
          ? await this.#transfer(payer, nonce++, network)
          : header64(
              firstVersionProof(network, await payer.authorize({ to: PAY_TO, value: PRICE })),
            )
      const payment: PaidRequest = { path, kind, proof, serves: 0 }
      this.payments.push(payment)
      await this.#show(payment)
    }
  }

  /** Called after a kill of the node. */
  killed(): void {
    for (const payment of this.#newest) this.#unmarked.add(payment)
  }

  /** Presents every proof again and checks that it is spent. */
  async conclude(): Promise<void> {
    const { faults } = this.#run
    for (const payment of this.payments) {
      if (payment.serves !== 1) faults.push(`${payment.path} was served ${payment.serves} times`)
      const answer = await this.#present(payment)
      const reason = reasonOf(answer.text)
      if (answer.status === 402 && reason === 'payment_spent') continue
      if (answer.status === 200 && this.#unmarked.has(payment)) continue
      faults.push(`${payment.path}, served already, is answered ${answer.status} ${reason}`)
    }
  }

  async #challenge(path: string): Promise<string> {
    for (;;) {
      const answer = await this.#run.fetch('payments', path, {})
      if (answer?.status !== 402) continue
      return (JSON.parse(answer.text) as ChallengeBody).accepts[0]?.network ?? ''
    }
  }

  async #transfer(payer: Payer, nonce: number, network: string): Promise<string> {
    const data = payer.transferData(PAY_TO, PRICE)
    const raw = await payer.sign(nonce, payer.token, data, this.#chainId)
    const txHash = await this.#run.submit(raw)
    const proof = { kind: 'transfer', txHash, amount: PRICE, from: payer.address } as const
    return encodeTransferProof(proof, network)
  }

  async #present(payment: PaidRequest) {
    const init = { headers: { 'x-payment': payment.proof } }
    for (;;) {
      const answer = await this.#run.fetch('payments', payment.path, init, 'proof sent')
      if (answer !== undefined) return answer
    }
  }

  async #show(payment: PaidRequest): Promise<void> {
    const answers: string[] = []
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      const { status, text } = await this.#present(payment)
      if (status === 200) {
        payment.serves++
        this.#newest.push(payment)
        if (this.#newest.length > NEWEST) this.#newest.shift()
        return
      }
      const reason = reasonOf(text)
      answers.push(`${status} ${reason}`)
      // A payment that is being settled, or that a restarted node does not know yet, may be presented again.
      if (status !== 503 && reason !== 'payment_in_progress') break
      await this.#run.pause()
    }
    this.#run.faults.push(
      `${payment.path}, a paid ${payment.kind}, is refused: ${answers.join(', ')}`,
    )
  }
}

function reasonOf(text: string): string {
  try {
    return String((JSON.parse(text) as { invalidReason?: unknown }).invalidReason)
  } catch {
    return text
  }
}
