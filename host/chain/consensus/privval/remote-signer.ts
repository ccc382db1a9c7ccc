import { equalBytes } from '../../../base/bytes.ts'
import { formatSignerAddress } from '../../../base/config/signer-address.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { Logger } from '../../../base/log/logger.ts'
import { Mutex } from '../../../base/mutex.ts'
import { abortable } from '../../../base/signal.ts'
import { startInterval, type Timer } from '../../../base/timer.ts'
import { verifySignature } from '../comet/ed25519.ts'
import { cometAddress } from '../comet/validator-set.ts'
import { type Vote, voteSignBytes } from '../comet/vote.ts'
import type { TimedSignature } from '../validator/sign-once.ts'
import type { Signatory } from '../validator/validator.ts'
import type { PrivvalMessage, PrivvalRequest } from './message.ts'
import { NO_VOTE } from './message-codec.ts'
import { ANSWER_TIMEOUT_MS, type PrivvalLink } from './privval-link.ts'
import {
  listenForSigners,
  type SignerListener,
  type SignerListenerOptions,
} from './signer-listener.ts'

/** Two thirds of the timeout, as in CometBFT: an idle signer that has ended is noticed before it is needed. */
const PING_MS = Math.floor((ANSWER_TIMEOUT_MS * 2) / 3)

export interface RemoteSignerOptions extends Pick<SignerListenerOptions, 'address' | 'logger'> {
  readonly chainId: string
  /** Public key that the signer must have. */
  readonly publicKey: Uint8Array
}

function signerError(what: string, hint: string): LockstepError {
  return new LockstepError('REMOTE_SIGNER', `remote signer: ${what}`, { hint })
}

/**
 * A validator key in another process, which connects to this node. Requests wait while no signer is connected, and
 * are sent again over the next connection: a signer answers a repeat of the same vote with the same signature.
 */
export class RemoteSigner implements Signatory {
  readonly publicKey: Uint8Array
  readonly #chainId: string
  readonly #logger: Logger
  readonly #requests = new Mutex()
  readonly #interrupted = new AbortController()
  #listener: SignerListener | undefined
  #link: PrivvalLink | undefined
  #arrival = Promise.withResolvers<PrivvalLink>()
  #lost = Promise.withResolvers<false>()
  #ping: Timer | undefined

  private constructor({ publicKey, chainId, logger }: RemoteSignerOptions) {
    this.publicKey = publicKey
    this.#chainId = chainId
    this.#logger = logger
  }

  /**
   * Listens for the signer.
   * @throws PORT_IN_USE, CONFIG_INVALID if the address cannot be listened at
   */
  static async listen(options: RemoteSignerOptions): Promise<RemoteSigner> {
    const { address, logger } = options
    const signer = new RemoteSigner(options)
    signer.#listener = await listenForSigners({
      address,
      logger,
      onLink: (link, peer) => signer.#accept(link, peer),
    })
    logger.info('waiting for the remote signer', { address: formatSignerAddress(address) })
    signer.#ping = startInterval(() => void signer.#checkIdle(), PING_MS).unref()
    return signer
  }

  /** The address that it listens at: with the actual port. */
  get address(): SignerListener['address'] | undefined {
    return this.#listener?.address
  }

  async sign(chainId: string, vote: Vote): Promise<TimedSignature> {
    const request: PrivvalRequest = {
      kind: 'signVoteRequest',
      chainId,
      vote: { ...NO_VOTE, ...vote, validatorAddress: cometAddress(this.publicKey) },
    }
    const { height, round } = vote
    return this.#requests.runExclusive(async () => {
      for (;;) {
        const response = await this.#ask(request)
        if (response.kind === 'signedVoteResponse') {
          if (response.refusal !== undefined) {
            const { description: reason } = response.refusal
            this.#logger.error('the remote signer refused to sign', { height, round, reason })
            throw signerError(
              `it refused to sign height ${height} round ${round}: ${reason}`,
              'compare the record of the signer with the blocks of this node',
            )
          }
          const { signature, timestamp } = response.vote
          const signBytes = voteSignBytes(chainId, { ...vote, timestamp })
          if (isSignature(this.publicKey, signBytes, signature)) return { signature, timestamp }
        }
        this.#drop('its answer is not a signature of the vote')
      }
    })
  }

  /** Rejects requests that wait for a connection, now and later. Those in progress may still be answered. */
  interrupt(): void {
    this.#interrupted.abort(
      new LockstepError('INTERRUPTED', 'the node stops: it no longer waits for the remote signer'),
    )
  }

  async close(): Promise<void> {
    this.interrupt()
    this.#ping?.stop()
    this.#link?.close()
    this.#link = undefined
    await this.#listener?.close()
  }

  /** Sends a request over the current connection, or the next one. @throws INTERRUPTED */
  async #ask(request: PrivvalRequest): Promise<PrivvalMessage> {
    for (;;) {
      const link = this.#link ?? (await abortable(this.#arrival.promise, this.#interrupted.signal))
      try {
        return await link.ask(request)
      } catch (thrown) {
        if (this.#link === link) this.#drop(messageOf(thrown))
      }
    }
  }

  #drop(reason: string): void {
    this.#link?.close()
    this.#link = undefined
    this.#arrival = Promise.withResolvers()
    this.#lost.resolve(false)
    if (this.#interrupted.signal.aborted) return
    this.#logger.warn('the connection to the remote signer was lost', { reason })
  }

  /** Takes over a connection if the signer has the key and no other signer answers. */
  async #accept(link: PrivvalLink, peer: string): Promise<void> {
    const answer = await link.ask({ kind: 'pubKeyRequest', chainId: this.#chainId })
    if (answer.kind !== 'pubKeyResponse') throw new Error(`it answered with ${answer.kind}`)
    if (answer.refusal !== undefined) throw new Error(answer.refusal.description)
    if (!equalBytes(answer.publicKey, this.publicKey)) {
      const [has, wants] = [answer.publicKey, this.publicKey].map((key) =>
        key.length === 0 ? 'none' : hexDigits(cometAddress(key)).toUpperCase(),
      )
      throw new Error(`it has the key ${has}, but the validator of this node is ${wants}`)
    }
    if (this.#link !== undefined) {
      // A request in progress may wait for this very connection.
      const answers = this.#requests.runExclusive(() => this.#isAlive())
      if (await Promise.race([answers, this.#lost.promise])) {
        throw new Error('another signer is connected')
      }
    }
    this.#link = link
    this.#lost = Promise.withResolvers()
    this.#arrival.resolve(link)
    this.#logger.info('the remote signer is connected', { peer })
  }

  async #checkIdle(): Promise<void> {
    if (this.#link !== undefined) await this.#requests.runExclusive(() => this.#isAlive())
  }

  /** Returns whether the connected signer answers; drops it if not. */
  async #isAlive(): Promise<boolean> {
    const link = this.#link
    if (link === undefined) return false
    try {
      const { kind } = await link.ask({ kind: 'pingRequest' })
      if (kind === 'pingResponse') return true
      throw new Error(`it answered a ping with ${kind}`)
    } catch (thrown) {
      if (this.#link === link) this.#drop(messageOf(thrown))
      return false
    }
  }
}

function isSignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === 64 && verifySignature(key, message, signature)
}
