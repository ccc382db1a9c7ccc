import type { Hex } from '../../base/hex.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { FilledTransaction, SignerRequest } from '../signer/signer-link.ts'
import type { EvmNode } from './evm-node.ts'
import { estimateCallOf, feesFor, fillGas, requestedNonce } from './filling.ts'
import type { TransactionFields } from './pipeline.ts'
import type { TransactionSigner } from './transaction-signer.ts'

/** Filled fields from a preflight, before the transaction has a nonce. */
export type PreflightFilling = Omit<FilledTransaction, 'chainId' | 'nonce'>

export interface PreflightResult {
  readonly address: Hex
  readonly filling: PreflightFilling
}

export interface PreflightParts {
  readonly signer: TransactionSigner
  readonly node: EvmNode
  /** Returns the next nonce of an account. */
  readonly nextNonce: (address: Hex) => Promise<number>
}

/**
 * Has the signer decide about a transaction, and then tries it: gas, fees, and a simulation if rules need one. A denied
 * caller costs the chain nothing and learns nothing from it. If a run fails that the decision depends on, the signer
 * decides again, and the caller gets its denial instead of the failure.
 * @throws WalletError policy_violation, missing authorization, and the errors of an estimate
 */
export async function preflightTransaction(
  { signer, node, nextNonce }: PreflightParts,
  asked: SignerRequest,
  walletId: string,
  fields: TransactionFields,
): Promise<PreflightResult> {
  const unknown = await signer.precheck(asked)
  const address = await signer.addressOf(asked.appId, walletId)
  if (unknown.length === 0) return { address, filling: await fillGas(node, address, fields) }
  // Nonce and fees are public and do not depend on what the transaction does.
  const [nonce, fees] = await Promise.all([
    requestedNonce(fields) ?? nextNonce(address),
    node.fees(),
  ])
  const known = { nonce: BigInt(nonce), ...feesFor(fields, fees) }
  const dependsOn = await signer.precheck(asked, known)
  try {
    const filling = await fillGas(node, address, fields)
    if (!dependsOn.includes('simulation')) return { address, filling }
    const simulation = await node.simulate(estimateCallOf(address, fields), filling.gas)
    return { address, filling: { ...filling, ...(simulation && { simulation }) } }
  } catch (error) {
    const isOfRun = error instanceof WalletError && error.code !== 'chain_unreachable'
    if (isOfRun && dependsOn.length > 0) await signer.precheck(asked, { ...known, isLast: true })
    throw error
  }
}
