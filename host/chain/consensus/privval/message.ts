import type { Proposal } from '../comet/proposal.ts'
import type { Vote } from '../comet/vote.ts'

// Messages between a node and the signer that has its validator key: `tendermint.privval.Message` of CometBFT 0.38.

/** A vote to sign, or signed. */
export interface SignedVote extends Vote {
  readonly validatorAddress: Uint8Array
  readonly validatorIndex: number
  /** Empty in a request. */
  readonly signature: Uint8Array
  readonly extension: Uint8Array
  /** Empty except for a precommit of a block. */
  readonly extensionSignature: Uint8Array
}

/** A proposal to sign, or signed. */
export interface SignedProposal extends Proposal {
  readonly type: number
  /** Empty in a request. */
  readonly signature: Uint8Array
}

/** Why a signer refuses: `RemoteSignerError`. */
export interface SignerRefusal {
  readonly code: number
  readonly description: string
}

export type PrivvalRequest =
  | { readonly kind: 'pubKeyRequest'; readonly chainId: string }
  | { readonly kind: 'signVoteRequest'; readonly vote: SignedVote; readonly chainId: string }
  | {
      readonly kind: 'signProposalRequest'
      readonly proposal: SignedProposal
      readonly chainId: string
    }
  | { readonly kind: 'pingRequest' }

export type PrivvalResponse =
  | {
      readonly kind: 'pubKeyResponse'
      readonly publicKey: Uint8Array
      readonly refusal?: SignerRefusal
    }
  | {
      readonly kind: 'signedVoteResponse'
      readonly vote: SignedVote
      readonly refusal?: SignerRefusal
    }
  | {
      readonly kind: 'signedProposalResponse'
      readonly proposal: SignedProposal
      readonly refusal?: SignerRefusal
    }
  | { readonly kind: 'pingResponse' }

export type PrivvalMessage = PrivvalRequest | PrivvalResponse
