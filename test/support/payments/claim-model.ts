import type { Hex } from '../../../host/base/hex.ts'
import type {
  ClaimFacts,
  ClaimKey,
  ClaimOutcome,
  LostReason,
} from '../../../host/payments/claim/claims.ts'

interface ModelClaim {
  phase: 'held' | 'released' | 'delivered'
  owner: number
  isSettled: boolean
  txHash: Hex | undefined
  readonly request: string
  readonly facts: ClaimFacts
  attempts: number
}

/** Reference implementation of claims: a map with the number of the current owner. */
export class ClaimModel {
  readonly claims = new Map<string, ModelClaim>()

  static nameOf({ kind, id }: ClaimKey): string {
    return `${kind} ${id}`
  }

  claim(
    owner: number,
    key: ClaimKey,
    facts: ClaimFacts,
    maxAttempts = Number.POSITIVE_INFINITY,
  ): 'won' | LostReason {
    const name = ClaimModel.nameOf(key)
    const found = this.claims.get(name)
    if (found === undefined) {
      const { request } = facts
      const txHash = key.kind === 'transfer' ? key.id : undefined
      const made = { phase: 'held', owner, isSettled: false, txHash, request, facts } as const
      this.claims.set(name, { ...made, attempts: 0 })
      return 'won'
    }
    if (found.phase === 'delivered') return 'spent'
    if (found.phase === 'held') return 'in progress'
    if (found.request !== facts.request || found.facts.body !== facts.body) return 'other request'
    if (found.attempts >= maxAttempts) return 'exhausted'
    found.phase = 'held'
    found.owner = owner
    return 'won'
  }

  /** Returns the claims held by an owner. */
  heldBy(owner: number): string[] {
    return [...this.claims]
      .filter(([, { phase, owner: by }]) => phase === 'held' && by === owner)
      .map(([name]) => name)
  }

  release(name: string): void {
    const claim = this.claims.get(name) as ModelClaim
    const isNone =
      name.startsWith('authorization') && !claim.isSettled && claim.txHash === undefined
    if (isNone) this.claims.delete(name)
    else claim.phase = 'released'
  }

  fail(name: string): void {
    ;(this.claims.get(name) as ModelClaim).attempts++
    this.release(name)
  }

  /** Ends an owner: its held claims are released and otherwise unchanged. */
  endOwner(owner: number): void {
    for (const name of this.heldBy(owner)) (this.claims.get(name) as ModelClaim).phase = 'released'
  }
}

/** Returns an outcome in the terms of the model. */
export function claimOutcomeName(outcome: ClaimOutcome): ReturnType<ClaimModel['claim']> {
  return outcome.won ? 'won' : outcome.reason
}
