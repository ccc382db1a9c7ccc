import { bytesKey } from '../../../base/bytes.ts'
import { formatData } from '../../../base/hex.ts'
import { isChainPrecompile } from '../../chain-types/chain-precompile.ts'
import { MAX_NONCE } from '../../chain-types/generated/limit.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { AccessListEntry } from '../../chain-types/transaction.ts'
import { authorityOf, encodeTransaction } from '../../chain-types/transaction-codec.ts'
import type { Run } from '../../engine/need.ts'
import { type CallContext, rejectedCall, runCall } from './call-context.ts'
import { TouchedSink } from './touched-sink.ts'

export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  /** Gas used with this access list. */
  readonly gasUsed: bigint
  /** geth's message if the run failed. */
  readonly error: string | undefined
}

/** Returns the call as a transaction, encoded without a signature. */
function unsigned({ input, env, isLegacy }: CallContext, accessList: readonly AccessListEntry[]) {
  const ofFees = isLegacy ? 1 : 2
  const ofLists = input.authorizations.length > 0 ? 4 : input.type
  const type = ofLists > 2 ? ofLists : ofFees
  const transaction = { ...input, type, accessList, chainId: env.chainId }
  return encodeTransaction(transaction, { v: 0n, r: 0n, s: 0n })
}

/** Returns the authorities whose delegations may be valid: they are warm before the code runs (EIP-7702). */
function authoritiesOf({ engine, env, input }: CallContext): Uint8Array[] {
  return input.authorizations.flatMap((authorization) => {
    const { chainId, nonce } = authorization
    if ((chainId !== 0n && chainId !== env.chainId) || nonce === MAX_NONCE) return []
    return authorityOf(authorization, engine) ?? []
  })
}

/** Counts the addresses and slots of a list. */
function sizeOf(list: readonly AccessListEntry[]): number {
  return list.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0)
}

/**
 * Runs the call with the access list of its earlier runs until it touches nothing new, like geth. `to` is the called
 * or created account. It, the sender, the authorities and the precompiles are warm anyway, so they are listed only
 * for slots.
 * @throws TRANSACTION_REJECTED if the protocol rejects the call.
 */
export function* settleAccessList(context: CallContext, to: Uint8Array): Run<AccessListOutcome> {
  const { engine, env, input, keccak256 } = context
  const warm = new Set([input.from, to, ...authoritiesOf(context)].map(bytesKey))
  const isWarm = (address: Uint8Array) =>
    isPrecompile(address, env.revision) ||
    (env.chainPrecompiles === true && isChainPrecompile(address)) ||
    warm.has(bytesKey(address))
  const touched = new TouchedSink(isWarm)
  touched.addList(input.accessList)
  for (;;) {
    const accessList = touched.list()
    engine.beginBlock(env)
    const outcome = yield* runCall(context, input.gas, accessList, touched)
    if (outcome.kind === 'rejected') {
      const hash = formatData(keccak256(unsigned(context, accessList)))
      const listed = { ...context, input: { ...context.input, accessList } }
      throw rejectedCall(listed, outcome.code, `failed to apply transaction: ${hash} err: `, '')
    }
    if (sizeOf(touched.list()) === sizeOf(accessList)) {
      return { accessList, gasUsed: outcome.gasUsed, error: outcome.error }
    }
    // A run shorter than a fuel slice does not yield.
    yield { kind: 'yield' }
  }
}
