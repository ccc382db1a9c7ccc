import { LockstepError } from '../../../base/error.ts'
import type { Hex } from '../../../base/hex.ts'
import { encodeTypedCall } from '../debug/what-if/argument.ts'
import type { AbiItem } from '../decode/abi/abi-item.ts'
import type { Change } from '../state/debug/change.ts'
import { parseChange, parseChanges } from '../state/debug/change-text.ts'
import { CREATION } from '../view/page.ts'

/** The members of a call that are not overrides of state or block. */
const CALL_KINDS = ['data', 'from', 'value', 'gas'] as const
type CallKind = (typeof CALL_KINDS)[number]
type CallChange = Extract<Change, { kind: CallKind }>

/** A call as a user has written it. */
export interface CallDraft {
  /** An address in lower case, or `new` for a contract creation. */
  readonly to: string
  readonly from: Hex
  readonly data: Hex
  readonly value: bigint
  /** Undefined for what a call without a limit gets. */
  readonly gas: bigint | undefined
  /** Undefined for the latest block. */
  readonly at: number | undefined
  readonly overrides: readonly Change[]
}

/** Texts of the fields of a form; `arguments` are those of the chosen function. */
export interface CallTexts {
  readonly to: string
  readonly from: string
  readonly data: string
  readonly value: string
  readonly gas: string
  readonly at: string
  readonly arguments: readonly string[]
}

const NOBODY: Hex = `0x${'0'.repeat(40)}`

/** Returns the fields of the call in a link, and its overrides. An invalid link has neither. */
export function linkedCall(text: string): {
  readonly data: Hex
  readonly from: string
  readonly value: string
  readonly gas: string
  readonly overrides: readonly Change[]
} {
  let changes: readonly Change[] = []
  try {
    changes = parseChanges(text)
  } catch (thrown) {
    // The run reports it.
    if (!(thrown instanceof LockstepError)) throw thrown
  }
  let [data, from, value, gas]: [Hex, string, string, string] = ['0x', '', '', '']
  for (const change of changes) {
    if (change.kind === 'data') data = change.data
    if (change.kind === 'from' && change.address !== NOBODY) from = change.address
    if (change.kind === 'value') value = `${change.wei}`
    if (change.kind === 'gas') gas = `${change.gas}`
  }
  return { data, from, value, gas, overrides: changes.filter((change) => !isCallChange(change)) }
}

function isCallChange(change: Change): change is CallChange {
  return CALL_KINDS.some((kind) => kind === change.kind)
}

/**
 * Reads the fields of a form. Without a function the calldata are as typed.
 * @throws INVALID_ARGUMENT naming the field, its value and the rule
 */
export function readDraft(
  texts: CallTexts,
  item: AbiItem | undefined,
  overrides: readonly Change[],
): CallDraft {
  const to = texts.to.trim().toLowerCase()
  if (to !== '' && !/^0x[0-9a-f]{40}$/.test(to)) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `to: want an address, 0x and 40 hex digits, or nothing for a contract creation, got ${JSON.stringify(to.slice(0, 80))}`,
    )
  }
  const data = item === undefined ? undefined : encodeTypedCall(item, texts.arguments)
  const read = <Kind extends CallKind>(kind: Kind, text: string, fallback: string) =>
    parseChange(`${kind}:${text.trim() || fallback}`) as Extract<Change, { kind: Kind }>
  return {
    to: to === '' ? CREATION : to,
    data: data ?? read('data', texts.data, '0x').data,
    from: read('from', texts.from, NOBODY).address,
    value: read('value', texts.value, '0').wei,
    gas: texts.gas.trim() === '' ? undefined : read('gas', texts.gas, '').gas,
    at: texts.at.trim() === '' ? undefined : readHeight(texts.at),
    overrides,
  }
}

/** Returns a draft as changes of an empty call. */
export function draftChanges({ data, from, value, gas, overrides }: CallDraft): readonly Change[] {
  const call: readonly Change[] = [
    { kind: 'data', data },
    { kind: 'from', address: from },
    { kind: 'value', wei: value },
  ]
  return [...call, ...(gas === undefined ? [] : [{ kind: 'gas', gas } as const]), ...overrides]
}

function readHeight(text: string): number {
  const plain = text.trim()
  const height = /^(\d{1,16}|0x[0-9a-f]{1,14})$/i.test(plain) ? Number(plain) : Number.NaN
  if (Number.isSafeInteger(height)) return height
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `block: want the number of a block, or nothing for the latest, got ${JSON.stringify(plain.slice(0, 80))}`,
  )
}
