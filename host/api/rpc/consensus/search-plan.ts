import { parseFixedData } from '../../../base/hex.ts'
import { leadingDecimal } from '../../../chain/consensus/events/decimal.ts'
import type { EventQuery, QueryCondition } from '../../../chain/consensus/events/event-query.ts'
import type { LogFilter } from '../../../evm/chain-types/log-filter.ts'
import { ROW_KIND, type RowKind } from '../../transaction-index/hash-rows.ts'

/** A range from..to that contains all results of a query. */
export interface HeightRange {
  readonly from: number
  readonly to: number
}

const SENDERS: readonly string[] = ['message.sender', 'transfer.sender']
const RECIPIENT = 'transfer.recipient'
const TOPIC = /^evm_log\.topic([0-3])$/

/** Returns the height in a condition, rounded down. */
function boundOf({ operand }: QueryCondition): number | undefined {
  if (operand === undefined || (operand.kind !== 'number' && operand.kind !== 'string')) {
    return undefined
  }
  const bound = Number(leadingDecimal(operand.text)?.whole)
  return Number.isSafeInteger(bound) ? bound : undefined
}

/** Returns the part of `within` that the conditions on `tag` allow; may be too wide, never too narrow. */
export function heightRange(query: EventQuery, tag: string, within: HeightRange): HeightRange {
  let { from, to } = within
  for (const condition of query.conditions) {
    const bound = condition.tag === tag ? boundOf(condition) : undefined
    if (bound === undefined) continue
    const { operator } = condition
    if (operator === '=' || operator === '>' || operator === '>=') from = Math.max(from, bound)
    if (operator === '=' || operator === '<' || operator === '<=') to = Math.min(to, bound)
  }
  return { from, to }
}

/** Returns the bytes that a condition requires a tag to equal, or undefined if it requires none. */
function wanted({ operator, operand }: QueryCondition, length: number): Uint8Array | undefined {
  if (operator !== '=' || operand?.kind !== 'string') return undefined
  try {
    return parseFixedData(operand.text, length)
  } catch {
    return undefined
  }
}

/** An address in the index that answers a query. */
export interface RequiredAddress {
  readonly kind: RowKind
  readonly address: Uint8Array
}

export function requiredAddress({ conditions }: EventQuery): RequiredAddress | undefined {
  for (const condition of conditions) {
    const { tag } = condition
    const isSender = SENDERS.includes(tag)
    const address = isSender || tag === RECIPIENT ? wanted(condition, 20) : undefined
    if (address !== undefined)
      return { kind: isSender ? ROW_KIND.SENDER : ROW_KIND.RECIPIENT, address }
  }
  return undefined
}

/** Returns the SHA-256 that a query requires, in CometBFT's form or with 0x. */
export function requiredHash({ conditions }: EventQuery): Uint8Array | undefined {
  for (const { tag, operator, operand } of conditions) {
    if (tag !== 'tx.hash' || operator !== '=' || operand?.kind !== 'string') continue
    const bytes = Buffer.from(operand.text.replace(/^0x/i, ''), 'hex')
    if (bytes.length === 32) return Uint8Array.from(bytes)
  }
  return undefined
}

/** Returns the EVM transaction hash that a query requires. */
export function requiredEvmHash({ conditions }: EventQuery): Uint8Array | undefined {
  for (const condition of conditions) {
    const hash = condition.tag === 'message.hash' ? wanted(condition, 32) : undefined
    if (hash !== undefined) return hash
  }
  return undefined
}

/**
 * Returns a filter for the logs that a query requires; undefined if it has no such condition. Uses only one
 * condition, because different logs may meet each.
 */
export function requiredLogs({ conditions }: EventQuery): LogFilter | undefined {
  for (const condition of conditions) {
    const { tag } = condition
    if (tag === 'evm_log.address') {
      const address = wanted(condition, 20)
      if (address !== undefined) return { addresses: [address], topics: [] }
    }
    const position = TOPIC.exec(tag)?.[1]
    const topic = position === undefined ? undefined : wanted(condition, 32)
    if (topic === undefined) continue
    return { addresses: [], topics: [...Array(Number(position)).fill([]), [topic]] }
  }
  return undefined
}
