import type { Hex } from 'viem'
import { answerJson } from '../../../support/fake-server.ts'
import type { ScriptedChain } from './scripted-chain.ts'
import {
  type Asked,
  challenge,
  contractRequirement,
  requiredHeader,
  type ScriptedSeller,
} from './scripted-seller.ts'

/** Responses given by a seller, and the proofs for them. */
export interface Sales {
  /** Proofs that were accepted: hashes of transfers, nonces of authorizations. */
  readonly delivered: ReadonlySet<string>
  /** Fails the next request with a proof before anything is claimed. */
  failsNext: boolean
}

/**
 * Makes a seller give one response for each payment on the chain: for each transfer in the contract's style, or for
 * each authorization, which it settles, in that of x402 v2.
 */
export function sellHonestly(
  seller: ScriptedSeller,
  chain: ScriptedChain,
  kind: 'transfer' | 'authorization',
): Sales {
  const delivered = new Set<string>()
  const sales = { delivered, failsNext: false }
  const ask = ({ request, response }: Asked, reason?: string) => {
    const url = request.url ?? ''
    const said =
      reason === undefined ? {} : { error: 'Payment verification failed', invalidReason: reason }
    const required = requiredHeader(`${seller.url}${url}`, { maxTimeoutSeconds: 1 })
    const contract = challenge(contractRequirement(url, { maxTimeoutSeconds: 1 }))
    answerJson(
      response,
      402,
      { ...(kind === 'transfer' ? contract : {}), ...said },
      kind === 'transfer' ? {} : { 'payment-required': required },
    )
  }
  seller.answers = (asked) => {
    const { proof, response } = asked
    if (proof === undefined) return ask(asked)
    if (sales.failsNext) {
      sales.failsNext = false
      return answerJson(response, 503, { error: 'not now' })
    }
    const { txHash, authorization } = proof.json.payload
    const key: Hex = txHash ?? authorization.nonce
    if (delivered.has(key)) return ask(asked, 'payment_spent')
    if (txHash === undefined) chain.authorized.add(key)
    else if (!chain.transfers.some(({ hash }) => hash === key)) {
      return ask(asked, 'invalid_transaction_state')
    }
    delivered.add(key)
    answerJson(response, 200, { paid: key })
  }
  return sales
}
