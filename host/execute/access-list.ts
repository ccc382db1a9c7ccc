import { bytesKey, compareBytes } from '../base/bytes.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import { type CallSite, refusal, runCall } from './call-site.ts'

export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  /** Gas used with that list. */
  readonly gasUsed: bigint
  /** geth's text when the run failed. */
  readonly error: string | undefined
}

/** A list changes what code does only through gas; code that makes it swing for ever is cut short. */
const MAX_ROUNDS = 16

/** Highest address of a precompile of the protocol. */
const LAST_PRECOMPILE = 0x11
const P256_VERIFY = 0x100

function isPrecompile(address: Uint8Array): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false
  const low = ((address[18] as number) << 8) | (address[19] as number)
  return (low >= 1 && low <= LAST_PRECOMPILE) || low === P256_VERIFY
}

function equalLists(a: readonly AccessListEntry[], b: readonly AccessListEntry[]): boolean {
  const key = (list: readonly AccessListEntry[]) =>
    list.map((entry) => [entry.address, ...entry.storageKeys].map(bytesKey).join('')).join('/')
  return a.length === b.length && key(a) === key(b)
}

/**
 * Runs the call with the access list that its last run made, until the list no longer changes, as geth
 * does. `to` is the called or created account. It, the sender and precompiles are warm anyway and stand
 * in the list only for their slots.
 * @throws TRANSACTION_REJECTED where the protocol refuses the call.
 */
export async function settleAccessList(site: CallSite, to: Uint8Array): Promise<AccessListOutcome> {
  const { from } = site.input
  const isWarm = (address: Uint8Array) =>
    compareBytes(address, from) === 0 || compareBytes(address, to) === 0 || isPrecompile(address)
  let accessList = site.input.accessList
  for (let round = 1; ; round++) {
    // A new block each time: the engine reports what was touched since its start.
    site.engine.beginBlock(site.env)
    const outcome = await runCall(site, site.input.gas, accessList, true)
    if (outcome.kind === 'rejected') {
      throw refusal(site, outcome.code, `failed to apply transaction: `, '')
    }
    const made = outcome.accessed
      .filter(({ address, storageKeys }) => storageKeys.length > 0 || !isWarm(address))
      .map(({ address, storageKeys }) => ({
        address,
        storageKeys: [...storageKeys].sort(compareBytes),
      }))
      .sort((a, b) => compareBytes(a.address, b.address))
    if (equalLists(made, accessList) || round === MAX_ROUNDS) {
      return { accessList: made, gasUsed: outcome.gasUsed, error: outcome.error }
    }
    accessList = made
  }
}
