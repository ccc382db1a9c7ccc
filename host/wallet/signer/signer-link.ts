import type { Hex } from '../../base/hex.ts'
import type { Decision, OpenPart, SimulatedOutflow } from '../policy/decision.ts'
import type { AgentIdentity, AgentProof } from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'

/** Parts of every command: the app that the API has authenticated, and the request as received. */
export interface SignerRequest {
  readonly appId: string
  /**
   * The API's id of the request, the same when it asks again after a lost answer. A request that creates a wallet,
   * policy or quorum is then answered with the first one. For eth_sendTransaction it is the transaction id, by which
   * a signed transaction is found for a replacement.
   */
  readonly requestId: string
  /** Set if an agent asks instead of the app. The signer authenticates it itself. */
  readonly agent?: AgentProof
  readonly request: SignedRequest
}

/** Fields that a caller may omit. The API fills them; the signer accepts them only for omitted fields. */
export interface FilledTransaction {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly gasPrice?: bigint
  /** Present if rules of the wallet need one. The signer cannot verify it. */
  readonly simulation?: SimulatedOutflow
}

/** What is known about a transaction before it is run. */
export interface KnownTransaction extends Partial<Omit<FilledTransaction, 'simulation'>> {
  /** The transaction cannot be run: parts that are still open count as unreadable. */
  readonly isLast?: boolean
}

/** A signature in the form of the request's method. */
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
 * The API's end of the signer's socket. Commands carry only the request: the signer reads what to do from the signed
 * path and body. Answers have the shapes of `protocol`.
 * @throws WalletError; signer_unreachable says whether the request may have been executed
 */
export interface SignerLink {
  /** Authenticates an agent and returns its wallet. @throws WalletError unauthorized */
  identify(agent: AgentProof): Promise<AgentIdentity>
  /** Every route but `/rpc`, as `<METHOD> <path below /v1>`. */
  ask(asked: SignerRequest): Promise<unknown>
  /**
   * Verifies the current authorization of a request without executing it. Call it before returning an earlier answer.
   */
  authorize(asked: SignerRequest): Promise<void>
  /**
   * Evaluates a request before the chain is asked about it. Audits a denial as `sign` does. Returns the unknown parts
   * that the decision depends on; none if it is allowed in any case.
   */
  precheck(asked: SignerRequest, known?: KnownTransaction): Promise<readonly OpenPart[]>
  /**
   * `POST /v1/wallets/{id}/rpc` and `/raw_sign`, with `filled` for a transaction or a delegation. `POST
   * /v1/transactions/{id}/replace` signs a sent transaction again with the fees in `filled`.
   */
  sign(asked: SignerRequest, filled?: FilledTransaction): Promise<SignAnswer>
  close(): Promise<void>
}
