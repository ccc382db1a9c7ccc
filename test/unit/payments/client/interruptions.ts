import type { Payment } from '../../../../host/payments/client/payment.ts'
import type { PaymentStore } from '../../../../host/payments/client/payment-store.ts'
import type { ScriptedChain } from './scripted-chain.ts'

/** Outcome at a point of the exchange: nothing happens, the connection breaks, or the program ends. */
type PointOutcome = 'goes on' | 'breaks' | 'ends'

/** Thrown when the program has ended. Its pending work never continues. */
export class ProgramEnded extends Error {}

/** Breaks connections and ends programs at random points of an exchange. */
export class Interruptions {
  readonly #random: () => number
  readonly #rate: number
  #end: () => void = () => {}
  #ended = false
  #forgotten = 0

  constructor(random: () => number, rate: number) {
    this.#random = random
    this.#rate = rate
  }

  /** Completed and deleted payments whose program ended before it received the response. */
  get lostResponses(): number {
    return this.#forgotten
  }

  /** Runs a program until it completes or ends. @throws ProgramEnded */
  async run<T>(program: () => Promise<T>): Promise<T> {
    this.#ended = false
    const ended = new Promise<never>((_, reject) => {
      this.#end = () => reject(new ProgramEnded())
    })
    return Promise.race([program(), ended])
  }

  #fate(): PointOutcome {
    const drawn = this.#random()
    if (drawn < this.#rate / 2) return 'breaks'
    return drawn < this.#rate ? 'ends' : 'goes on'
  }

  /** A point of the exchange. */
  async point(): Promise<void> {
    const fate = this.#ended ? 'ends' : this.#fate()
    if (fate === 'goes on') return
    if (fate === 'breaks') throw new TypeError('connection lost')
    this.#ended = true
    this.#end()
    await new Promise(() => {})
  }

  /** A program's view of the network. A connection may break before or after the server has received the request. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    await this.point()
    const response = await fetch(input, init)
    await this.point()
    return response
  }

  /** Applies the same to the node behind a wallet, whose blocks arrive at random times. */
  interruptNode(chain: ScriptedChain): void {
    chain.mines = this.#random() < 0.3
    chain.before = () => {
      if (this.#random() < 0.3) chain.mine()
      return this.point()
    }
    chain.after = () => this.point()
  }

  /** A store on a disk that survives programs. They may end before or after a write. */
  store(payments: PaymentStore): PaymentStore {
    const around = async <T>(work: () => Promise<T>): Promise<T> => {
      await this.point()
      const result = await work()
      await this.point()
      return result
    }
    return {
      list: (request) => around(() => payments.list(request)),
      put: (payment: Payment) => around(() => payments.put(payment)),
      delete: async (id) => {
        await this.point()
        await payments.delete(id)
        this.#forgotten++
        await this.point()
        this.#forgotten--
      },
    }
  }
}
