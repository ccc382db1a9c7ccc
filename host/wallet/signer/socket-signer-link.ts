import { connect, type Socket } from 'node:net'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { OpenPart } from '../policy/decision.ts'
import type { AgentIdentity, AgentProof } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { encodeFrame, SignerFrameReader } from './frame.ts'
import {
  questionJson,
  readAnswer,
  readSignAnswer,
  type SignerResponse,
  type UnnumberedQuestion,
} from './message.ts'
import type {
  FilledTransaction,
  KnownTransaction,
  SignAnswer,
  SignerLink,
  SignerRequest,
} from './signer-link.ts'

/** A killed signer answers again within a second or two. */
const PATIENCE_MS = 15_000

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

interface Pending {
  readonly frame: Buffer
  readonly resolve: (value: unknown) => void
  readonly reject: (error: WalletError) => void
  readonly timer: Timer
  /** True if a signer may have received it. */
  isSent: boolean
}

/** Returns the error for an unanswered request: whether it may have been executed, and the remedy. */
function silence({ isSent }: Pending, patienceMs: number): WalletError {
  const seconds = Math.ceil(patienceMs / 1000)
  const text = isSent
    ? `the signer has not answered for ${seconds} s, and is restarted if it hangs. It had received this request: ` +
      'it is unknown whether it was executed. Send it again with the same idempotency key, or check first'
    : `there was no signer for ${seconds} s, and this request was not executed. Send it again; ` +
      'the log of the node says why its signer does not start'
  return new WalletError('signer_unreachable', text)
}

function isStopping(): WalletError {
  return new WalletError('signer_unreachable', 'the service is shutting down')
}

export interface SocketSignerLinkOptions {
  /** How long a request waits for a restarting signer, in milliseconds. */
  readonly patienceMs?: number
}

/**
 * Client of the signer's Unix socket. Unanswered requests are sent again over the next connection: the signer
 * executes each request only once.
 */
export class SocketSignerLink implements SignerLink {
  readonly #path: string
  readonly #patienceMs: number
  readonly #pending = new Map<number, Pending>()
  #socket: Socket | undefined
  #connected = false
  #retry: Timer | undefined
  #pauseMs = FIRST_PAUSE_MS
  #nextId = 0
  #closed = false

  constructor(path: string, { patienceMs = PATIENCE_MS }: SocketSignerLinkOptions = {}) {
    this.#path = path
    this.#patienceMs = patienceMs
  }

  async identify(agent: AgentProof): Promise<AgentIdentity> {
    return (await this.#put({ kind: 'identify', agent })) as AgentIdentity
  }

  ask(asked: SignerRequest): Promise<unknown> {
    return this.#put({ kind: 'ask', asked })
  }

  async authorize(asked: SignerRequest): Promise<void> {
    await this.#put({ kind: 'authorize', asked })
  }

  async precheck(asked: SignerRequest, known: KnownTransaction = {}): Promise<readonly OpenPart[]> {
    return (await this.#put({ kind: 'foresee', asked, known })) as readonly OpenPart[]
  }

  async sign(asked: SignerRequest, filled?: FilledTransaction): Promise<SignAnswer> {
    const question = filled === undefined ? { asked } : { asked, filled }
    return readSignAnswer(await this.#put({ kind: 'sign', ...question }))
  }

  async close(): Promise<void> {
    this.#closed = true
    stopTimer(this.#retry)
    this.#socket?.destroy()
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(isStopping())
  }

  #put(question: UnnumberedQuestion): Promise<unknown> {
    if (this.#closed) return Promise.reject(isStopping())
    const id = this.#nextId++
    const frame = encodeFrame(questionJson({ id, ...question }))
    return new Promise((resolve, reject) => {
      const timer = startTimer(() => this.#giveUp(id), this.#patienceMs)
      const pending = { frame, resolve, reject, timer, isSent: false }
      this.#pending.set(id, pending)
      if (this.#connected) this.#send(pending)
      else this.#connect()
    })
  }

  #connect(): void {
    if (this.#socket !== undefined || this.#retry !== undefined || this.#closed) return
    const socket = connect(this.#path)
    const reader = new SignerFrameReader()
    this.#socket = socket
    socket.on('connect', () => {
      this.#connected = true
      this.#pauseMs = FIRST_PAUSE_MS
      for (const pending of this.#pending.values()) this.#send(pending)
    })
    socket.on('data', (piece: Buffer) => {
      try {
        for (const answer of reader.push(piece)) this.#settle(answer as SignerResponse)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#lost())
  }

  #send(pending: Pending): void {
    pending.isSent = true
    this.#socket?.write(pending.frame)
  }

  #lost(): void {
    this.#socket = undefined
    this.#connected = false
    if (this.#closed || this.#pending.size === 0) return
    this.#retry = startTimer(() => {
      this.#retry = undefined
      this.#connect()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #settle(answer: SignerResponse): void {
    const pending = this.#take(answer.id)
    if (pending === undefined) return
    try {
      pending.resolve(readAnswer(answer))
    } catch (error) {
      pending.reject(error as WalletError)
    }
  }

  #giveUp(id: number): void {
    const pending = this.#take(id)
    pending?.reject(silence(pending, this.#patienceMs))
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    stopTimer(pending.timer)
    return pending
  }
}
