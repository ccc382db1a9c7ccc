import type { Hex } from '../../base/hex.ts'
import type { Decision, OpenPart, Simulation } from '../policy/decision.ts'
import type { AgentIdentity, AgentProof } from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'

/** What every command carries: the app that the API has authenticated, and the request as it arrived. */
export interface Asked {
  readonly appId: string
  /**
   * The API's own name of the request, the same when it asks again because it got no answer: what makes a wallet,
   * policy or quorum makes one for it, and answers with that again. Of eth_sendTransaction, the id of the transaction:
   * by it one that was signed is found again when it is to be replaced.
   */
  readonly requestId: string
  /** Where an agent asks in place of the app: the signer verifies it by itself. */
  readonly agent?: AgentProof
  readonly request: SignedRequest
}

/** Fields that a caller may leave open: the API fills them, the signer takes them only where they were left open. */
export interface FilledTransaction {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly gasPrice?: bigint
  /** Where rules of the wallet ask for one: what the API says of it is believed. */
  readonly simulation?: Simulation
}

/** What is known of a transaction before it is run. */
export interface KnownTransaction extends Partial<Omit<FilledTransaction, 'simulation'>> {
  /** The transaction cannot be run: what is left open stays so, and is judged as unreadable. */
  readonly isLast?: boolean
}

/** A signature as the method of the request has it. */
export type Signed =
  | { readonly kind: 'transaction'; readonly raw: Hex; readonly hash: Hex }
  | { readonly kind: 'signature'; readonly signature: Hex }
  | {
      readonly kind: 'authorization'
      readonly chainId: bigint
      readonly contract: Hex
      readonly nonce: bigint
      readonly r: Hex
      readonly s: Hex
      readonly yParity: 0 | 1
    }

export interface SignAnswer {
  readonly signed: Signed
  readonly decision: Decision
}

/**
 * The API's end of the signer's socket. Commands that make, read or change wallets, policies, rules and quorums carry
 * the request alone: the signer reads what to do from its path and body, as it was signed. Answers are the shapes of
 * `protocol`. @throws WalletError; signer_unreachable with what has become of the request
 */
export interface SignerLink {
  /** What an agent may use. @throws WalletError unauthorized */
  identify(agent: AgentProof): Promise<AgentIdentity>
  /** Every route but `/rpc`, as `<METHOD> <path below /v1>`. */
  ask(asked: Asked): Promise<unknown>
  /**
   * Verifies who has agreed to a request, as it stands now, and does nothing of it: to be called before an answer of
   * earlier is given to it.
   */
  authorize(asked: Asked): Promise<void>
  /**
   * Judges what `sign` would be asked, before the chain is asked about it; a denial is audited as there. Returns what
   * the decision depends on and is not known yet; nothing if it is allowed whatever that is.
   */
  foresee(asked: Asked, known?: KnownTransaction): Promise<readonly OpenPart[]>
  /**
   * `POST /v1/wallets/{id}/rpc` and `/raw_sign`; `filled` where a transaction or a delegation is signed.
   * `POST /v1/transactions/{id}/replace` signs what was sent by that id again, for the fees of `filled`.
   */
  sign(asked: Asked, filled?: FilledTransaction): Promise<SignAnswer>
  close(): Promise<void>
}
