import type { Hex } from '../../base/hex.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Asked, FilledTransaction } from '../signer/signer-link.ts'
import type { EvmNode } from './evm-node.ts'
import { callOf, feesFor, fillGas, nonceOf } from './filling.ts'
import type { TransactionFields } from './pipeline.ts'
import type { TransactionSigner } from './transaction-signer.ts'

/** What is tried on the chain for a transaction, before it has a nonce of its own. */
export type TriedFilling = Omit<FilledTransaction, 'chainId' | 'nonce'>

export interface Foreseen {
  readonly address: Hex
  readonly filling: TriedFilling
}

export interface ForesightParts {
  readonly signer: TransactionSigner
  readonly node: EvmNode
  /** Next nonce of an account. */
  readonly nextNonce: (address: Hex) => Promise<number>
}

/**
 * Has a transaction judged, and then tried: gas, fees, and a simulation if rules ask for one. Who is denied costs the
 * chain nothing and learns nothing of it. If the decision depends on what only a run tells, a run that fails is told
 * as the denial that it leads to.
 * @throws WalletError policy_violation, those of who has not agreed, and those of an estimate
 */
export async function foreseeTransaction(
  { signer, node, nextNonce }: ForesightParts,
  asked: Asked,
  walletId: string,
  fields: TransactionFields,
): Promise<Foreseen> {
  const unknown = await signer.foresee(asked)
  const address = await signer.addressOf(asked.appId, walletId)
  if (unknown.length === 0) return { address, filling: await fillGas(node, address, fields) }
  // Nonce and fees: what everybody may read of the chain, whatever the transaction does.
  const [nonce, fees] = await Promise.all([nonceOf(fields) ?? nextNonce(address), node.fees()])
  const known = { nonce: BigInt(nonce), ...feesFor(fields, fees) }
  const dependsOn = await signer.foresee(asked, known)
  try {
    const filling = await fillGas(node, address, fields)
    if (!dependsOn.includes('simulation')) return { address, filling }
    const simulation = await node.simulate(callOf(address, fields), filling.gas)
    return { address, filling: { ...filling, ...(simulation && { simulation }) } }
  } catch (error) {
    const isOfRun = error instanceof WalletError && error.code !== 'chain_unreachable'
    if (isOfRun && dependsOn.length > 0) await signer.foresee(asked, { ...known, isLast: true })
    throw error
  }
}
