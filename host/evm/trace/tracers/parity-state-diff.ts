import { equalBytes, isZero } from '../../../base/bytes.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { type TouchedAccount, type TouchedAccounts, wasEmpty } from './touched-accounts.ts'

/** Parity's form of a change: unchanged, created, deleted, or modified. */
type Change = '=' | { '+': string } | { '-': string } | { '*': { from: string; to: string } }

interface AccountDiff {
  readonly balance: Change
  readonly code: Change
  readonly nonce: Change
  readonly storage: Readonly<Record<string, Change>>
}

function changeOf(from: string, to: string): Change {
  return from === to ? '=' : { '*': { from, to } }
}

/**
 * An empty account does not exist (EIP-161). Before that rule a contract could have only slots, which counts as
 * existing here. An account without anything could exist too, but cannot be detected.
 */
function wasThere(account: TouchedAccount): boolean {
  return !wasEmpty(account) || hasSlots(account, 'before')
}

function isThere(account: TouchedAccount): boolean {
  const { isDestroyed, nonce, balance, code } = account.after
  if (isDestroyed) return false
  return nonce !== 0n || balance !== 0n || code.length > 0 || hasSlots(account, 'after')
}

function hasSlots({ slots }: TouchedAccount, when: 'before' | 'after'): boolean {
  for (const slot of slots.values()) if (!isZero(slot[when])) return true
  return false
}

function bornAccount({ after, slots }: TouchedAccount): AccountDiff {
  const storage: Record<string, Change> = {}
  for (const [key, slot] of sorted(slots)) {
    if (!isZero(slot.after)) storage[key] = { '+': formatData(slot.after) }
  }
  return {
    balance: { '+': formatQuantity(after.balance) },
    code: { '+': formatData(after.code) },
    nonce: { '+': formatQuantity(after.nonce) },
    storage,
  }
}

/** Parity lists no slots of a deleted account. */
function diedAccount({ before }: TouchedAccount): AccountDiff {
  return {
    balance: { '-': formatQuantity(before.balance) },
    code: { '-': formatData(before.code) },
    nonce: { '-': formatQuantity(before.nonce) },
    storage: {},
  }
}

function changedAccount({ before, after, slots }: TouchedAccount): AccountDiff | undefined {
  const storage: Record<string, Change> = {}
  for (const [key, slot] of sorted(slots)) {
    if (equalBytes(slot.before, slot.after)) continue
    // In an existing account a zero slot counts as modified, not created.
    storage[key] = changeOf(formatData(slot.before), formatData(slot.after))
  }
  const diff = {
    balance: changeOf(formatQuantity(before.balance), formatQuantity(after.balance)),
    code: equalBytes(before.code, after.code)
      ? ('=' as const)
      : changeOf(formatData(before.code), formatData(after.code)),
    nonce: changeOf(formatQuantity(before.nonce), formatQuantity(after.nonce)),
    storage,
  }
  const isSame = diff.balance === '=' && diff.code === '=' && diff.nonce === '='
  return isSame && Object.keys(storage).length === 0 ? undefined : diff
}

function diffOf(account: TouchedAccount): AccountDiff | undefined {
  const isAlive = isThere(account)
  if (!wasThere(account)) return isAlive ? bornAccount(account) : undefined
  return isAlive ? changedAccount(account) : diedAccount(account)
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Writes Parity's `stateDiff`: the accounts that the transaction changed, by address. */
export function writeStateDiff(writer: ChunkedJsonWriter, touched: TouchedAccounts): void {
  const accounts = [...touched.values()].map(
    (account) => [formatData(account.before.address), account] as const,
  )
  writer.beginObject()
  for (const [address, account] of sorted(accounts)) {
    const diff = diffOf(account)
    if (diff !== undefined) writer.member(address, diff)
  }
  writer.end()
}
