import { equalBytes, isZero } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { readFlag, type Tracer, type TracerRequest } from '../tracer.ts'
import {
  type TouchedAccount,
  TouchedAccounts,
  type TouchedSlot,
  wasEmpty,
} from './touched-accounts.ts'

interface PrestateOptions {
  /** Lists only the changes, before and after. */
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  /** Includes accounts that were empty before the transaction. */
  readonly includeEmpty: boolean
}

/** An account as JSON. Undefined members are omitted. */
interface ShownAccount {
  balance?: string | undefined
  code?: string | undefined
  codeHash?: string | undefined
  /** A number, as in geth. */
  nonce?: number | undefined
  storage?: Record<string, string> | undefined
}

/**
 * geth's prestateTracer: the accounts and slots that the transaction accessed, with their values before it. With
 * `diffMode`, only those that it changed, before and after.
 */
class PrestateTracer implements Tracer {
  readonly sink: TraceSink
  readonly #options: PrestateOptions
  readonly #writer: ChunkedJsonWriter
  readonly #touched: TouchedAccounts
  readonly #isOnlyNewDeleted: boolean

  constructor(options: PrestateOptions, { limits, writer, message }: TracerRequest) {
    this.#options = options
    this.#isOnlyNewDeleted = atLeast(message.env.revision, 'Cancun')
    this.#writer = writer
    this.#touched = new TouchedAccounts(
      limits.keptBytes,
      'raise the key, or use callTracer, which keeps no state',
    )
    this.sink = {
      wantsState: true,
      ignoresLogs: true,
      onEvent: (event) => this.#touched.onEvent(event),
    }
  }

  finish(): void {
    if (!this.#options.diffMode) {
      this.#writeAccounts((subject) => this.#prestate(subject))
      return
    }
    const writer = this.#writer
    writer.beginObject()
    writer.name('post')
    this.#writeAccounts((subject) => this.#changedAfter(subject))
    writer.name('pre')
    this.#writeAccounts((subject) => this.#changedBefore(subject))
    writer.end()
  }

  #writeAccounts(show: (subject: TouchedAccount) => ShownAccount | undefined): void {
    const writer = this.#writer
    writer.beginObject()
    for (const subject of this.#touched.values()) {
      const shown = show(subject)
      if (shown !== undefined) writer.member(formatData(subject.before.address), shown)
    }
    writer.end()
  }

  /** As in geth, a SELFDESTRUCT counts even if its frame reverts; since EIP-6780 only of a new contract. */
  #isDeleted({ hasSelfdestructed, isCreated }: TouchedAccount): boolean {
    return hasSelfdestructed && (isCreated || !this.#isOnlyNewDeleted)
  }

  #prestate(subject: TouchedAccount): ShownAccount | undefined {
    if (wasEmpty(subject) && !this.#options.includeEmpty) return undefined
    return this.#showBefore(subject, () => true)
  }

  #changedBefore(subject: TouchedAccount): ShownAccount | undefined {
    if (wasEmpty(subject) && !this.#options.includeEmpty) return undefined
    if (this.#isDeleted(subject)) return this.#showBefore(subject, () => true)
    if (this.#changedAfter(subject) === undefined) return undefined
    return this.#showBefore(
      subject,
      ({ before, after }) => !isZero(before) && !equalBytes(before, after),
    )
  }

  #showBefore(
    { before, slots }: TouchedAccount,
    isShown: (slot: TouchedSlot) => boolean,
  ): ShownAccount {
    const { disableCode, disableStorage } = this.#options
    const storage: Record<string, string> = {}
    if (!disableStorage) {
      for (const [key, slot] of slots) if (isShown(slot)) storage[key] = formatData(slot.before)
    }
    return {
      balance: formatQuantity(before.balance),
      code: disableCode || before.code.length === 0 ? undefined : formatData(before.code),
      codeHash: before.code.length === 0 ? undefined : formatData(before.codeHash),
      nonce: before.nonce === 0n ? undefined : Number(before.nonce),
      storage: Object.keys(storage).length === 0 ? undefined : storage,
    }
  }

  /** Returns the fields that changed; undefined if none did, or the account was deleted. */
  #changedAfter(subject: TouchedAccount): ShownAccount | undefined {
    if (this.#isDeleted(subject)) return undefined
    const { before, after, slots } = subject
    const { disableCode, disableStorage } = this.#options
    const shown: ShownAccount = {}
    if (after.balance !== before.balance) shown.balance = formatQuantity(after.balance)
    if (after.nonce !== before.nonce) shown.nonce = Number(after.nonce)
    // An absent account's code hash is zeros afterwards, but `EMPTY_CODE_HASH` before.
    if (!equalBytes(after.codeHash, before.codeHash)) shown.codeHash = formatData(after.codeHash)
    if (!disableCode && !equalBytes(after.code, before.code)) shown.code = formatData(after.code)
    let isChanged = Object.keys(shown).length > 0
    const storage: Record<string, string> = {}
    if (!disableStorage) {
      for (const [key, slot] of slots) {
        if (equalBytes(slot.before, slot.after)) continue
        isChanged = true
        if (!isZero(slot.after)) storage[key] = formatData(slot.after)
      }
    }
    if (Object.keys(storage).length > 0) shown.storage = storage
    return isChanged ? shown : undefined
  }
}

export function prestateTracer(request: TracerRequest): Tracer {
  const { config } = request
  if (readFlag(config, 'diffMode') && readFlag(config, 'includeEmpty')) {
    throw new LockstepError('EXECUTION_FAILED', 'cannot use diffMode with includeEmpty')
  }
  return new PrestateTracer(
    {
      diffMode: readFlag(config, 'diffMode'),
      disableCode: readFlag(config, 'disableCode'),
      disableStorage: readFlag(config, 'disableStorage'),
      includeEmpty: readFlag(config, 'includeEmpty'),
    },
    request,
  )
}
