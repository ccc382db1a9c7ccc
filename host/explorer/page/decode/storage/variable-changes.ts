import { bigintToBytes } from '../../../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../base/hex.ts'
import type { EnumMembers } from './layout.ts'
import type { SlotNames, SlotVariable } from './slot-names.ts'
import { blobText, readHeadSlot, valueText } from './slot-value.ts'

/** The values of a slot before and after. */
export interface SlotChange {
  readonly slot: Hex
  readonly before: Hex
  readonly after: Hex
}

/** A variable before and after, for display. */
export interface VariableChange {
  /** `balances[0x...]`; undefined if the content of the slot is unknown. */
  readonly path: string | undefined
  /** In Solidity syntax; undefined like `path`. */
  readonly type: string | undefined
  readonly before: string
  readonly after: string
  /** Its slots. */
  readonly slots: readonly Hex[]
}

/** A longer value is shown by its slots. */
const MAX_BLOB = 1 << 16

/** Returns a storage word before or after the transaction; undefined if it is unknown. */
type Read = (slot: bigint, side: 'before' | 'after') => Uint8Array | undefined

function ownBytes(word: Uint8Array, { offset, size }: SlotVariable): Uint8Array {
  return word.subarray(32 - offset - size, 32 - offset)
}

/** Returns a whole `bytes` or `string` by its head; undefined if a piece is unknown. */
function wholeText(
  type: string,
  head: bigint,
  content: bigint,
  side: 'before' | 'after',
  read: Read,
) {
  const word = read(head, side)
  const found = word === undefined ? undefined : readHeadSlot(word)
  if (found === undefined) return undefined
  if ('bytes' in found) return blobText(type, found.bytes)
  if (found.length > BigInt(MAX_BLOB)) return undefined
  const length = Number(found.length)
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 32) {
    const piece = read(content + BigInt(at / 32), side)
    if (piece === undefined) return undefined
    bytes.set(piece.subarray(0, Math.min(32, length - at)), at)
  }
  return blobText(type, bytes)
}

/** Formats the value of a variable, or the part of it, in a slot with this word. */
export function partText(
  variable: SlotVariable,
  word: Uint8Array,
  enums: EnumMembers = new Map(),
): string {
  const bytes = ownBytes(word, variable)
  switch (variable.part) {
    case 'value':
      return valueText(variable.type, bytes, enums)
    case 'length':
      return valueText('uint256', bytes, enums)
    case 'content':
      return formatData(bytes)
    case 'head': {
      const found = readHeadSlot(word)
      if (found === undefined) return `${formatData(word)} (no ${variable.type})`
      return 'bytes' in found ? blobText(variable.type, found.bytes) : `${found.length} bytes`
    }
  }
}

/**
 * Returns the variables in changed slots, those of a slot in order. Long strings are joined if all of their slots are
 * known, from `changes` or `read`.
 */
export function variableChanges(
  changes: readonly SlotChange[],
  names: SlotNames,
  readOther: (slot: bigint) => Uint8Array | undefined = () => undefined,
): VariableChange[] {
  const words = new Map(
    changes.map(({ slot, before, after }) => [
      BigInt(slot),
      { before: parseData(before), after: parseData(after) },
    ]),
  )
  const read: Read = (slot, side) => words.get(slot)?.[side] ?? readOther(slot)
  const blobs = new Map<bigint, VariableChange>()
  const found: VariableChange[] = []
  for (const change of changes) {
    const slot = BigInt(change.slot)
    const variables = names.at(slot)
    const unnamed = { path: undefined, type: undefined, slots: [change.slot] }
    if (variables.length === 0)
      found.push({ ...unnamed, before: change.before, after: change.after })
    for (const variable of variables) {
      const head = variable.part === 'head' ? slot : variable.piece?.head
      const known = head === undefined ? undefined : blobs.get(head)
      if (known !== undefined && head !== undefined) {
        const joined = { ...known, slots: [...known.slots, change.slot] }
        found[found.indexOf(known)] = joined
        blobs.set(head, joined)
        continue
      }
      const whole = head === undefined ? undefined : wholeChange(variable, slot, head, read, names)
      if (whole !== undefined && head !== undefined) {
        blobs.set(head, whole)
        found.push(whole)
        continue
      }
      const { before, after } = words.get(slot) as { before: Uint8Array; after: Uint8Array }
      const texts = [before, after].map((word) => partText(variable, word, names.enums))
      // Its bytes are equal: a neighbour in the slot changed.
      if (formatData(ownBytes(before, variable)) === formatData(ownBytes(after, variable))) continue
      const { path, type } = variable
      found.push({
        path,
        type,
        before: texts[0] as string,
        after: texts[1] as string,
        slots: [change.slot],
      })
    }
  }
  return found
}

function wholeChange(
  variable: SlotVariable,
  slot: bigint,
  head: bigint,
  read: Read,
  names: SlotNames,
): VariableChange | undefined {
  const content = variable.piece === undefined ? names.contentOf(head) : slot - variable.piece.index
  const holder = names.at(head).find(({ part }) => part === 'head')
  if (holder === undefined) return undefined
  const before = wholeText(variable.type, head, content, 'before', read)
  const after = wholeText(variable.type, head, content, 'after', read)
  if (before === undefined || after === undefined) return undefined
  const slots = [formatData(bigintToBytes(slot, 32))]
  return { path: holder.path, type: variable.type, before, after, slots }
}
