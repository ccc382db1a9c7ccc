import { LockstepError } from '../../../base/error.ts'
import { compareDecimals, type Decimal, leadingDecimal } from './decimal.ts'
import { dateOf, QueryScanner, type QueryToken, type TokenKind, timeOf } from './query-scanner.ts'

/** Values by composite key, `type.attribute`. */
export type EventTags = ReadonlyMap<string, readonly string[]>

export type QueryOperator = '=' | '<' | '<=' | '>' | '>=' | 'CONTAINS' | 'EXISTS'

/** A condition of a query. */
export interface QueryCondition {
  readonly tag: string
  readonly operator: QueryOperator
  /** Undefined for EXISTS. */
  readonly operand: QueryToken | undefined
}

/** Size limit of a query in bytes (CometBFT `maxQueryLength`). */
export const MAX_QUERY_BYTES = 512

const OPERATORS: readonly TokenKind[] = [
  '<= operator',
  '>= operator',
  '< operator',
  '> operator',
  '= operator',
  'CONTAINS operator',
  'EXISTS operator',
]
const ORDERED: readonly TokenKind[] = ['number', 'timestamp', 'datestamp']
const OPERANDS: Readonly<Record<QueryOperator, readonly TokenKind[]>> = {
  '=': [...ORDERED, 'string'],
  '<': ORDERED,
  '<=': ORDERED,
  '>': ORDERED,
  '>=': ORDERED,
  CONTAINS: ['string'],
  EXISTS: [],
}

function listed(kinds: readonly TokenKind[]): string {
  const [last = '', ...others] = [...kinds].reverse()
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`
}

function take(scanner: QueryScanner, wanted: readonly TokenKind[]): QueryToken {
  const token = scanner.next()
  if (token !== undefined && wanted.includes(token.kind)) return token
  const at = token?.at ?? scanner.at
  const found = token === undefined ? 'EOF' : `got ${token.kind}`
  throw new LockstepError('QUERY_INVALID', `offset ${at}: ${found}, wanted ${listed(wanted)}`)
}

function parseCondition(scanner: QueryScanner): QueryCondition {
  const tag = take(scanner, ['tag']).text
  const operator = take(scanner, OPERATORS).text as QueryOperator
  const operands = OPERANDS[operator]
  return {
    tag,
    operator,
    operand: operands.length === 0 ? undefined : take(scanner, operands),
  }
}

function holds(operator: QueryOperator, order: number): boolean {
  if (operator === '=') return order === 0
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

function compareTimes(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}

const HEX = /^0x[\da-f]*$/i

/** Normalises the case of addresses and hashes, which comparisons ignore. */
function canonical(tag: string, text: string): string {
  if (tag === 'tx.hash') return text.toUpperCase()
  return HEX.test(text) ? text.toLowerCase() : text
}

/** Returns the value test of a condition. */
function predicate({ tag, operator, operand }: QueryCondition): (value: string) => boolean {
  if (operand === undefined) return () => true
  const { kind, text, time } = operand
  if (kind === 'number') {
    const bound = leadingDecimal(text) as Decimal
    return (value) => {
      const number = leadingDecimal(value)
      return number !== undefined && holds(operator, compareDecimals(number, bound))
    }
  }
  if (time !== undefined) {
    const read = kind === 'timestamp' ? timeOf : dateOf
    return (value) => {
      const at = read(value)
      return at !== undefined && holds(operator, compareTimes(at, time))
    }
  }
  const wanted = canonical(tag, text)
  return operator === 'CONTAINS' ? (value) => value.includes(wanted) : (value) => value === wanted
}

/** Returns true if the tags contain an event of exactly this type. */
function hasType(tags: EventTags, type: string): boolean {
  for (const key of tags.keys()) if (key.slice(0, key.lastIndexOf('.')) === type) return true
  return false
}

interface Test {
  readonly tag: string
  readonly accepts: (value: string) => boolean
}

function isMet({ tag, accepts }: Test, tags: EventTags): boolean {
  const values = tags.get(tag)
  if (values !== undefined) return values.some(accepts)
  // A bare type has an empty value, so that `transfer EXISTS` is a query.
  return accepts('') && hasType(tags, tag)
}

/**
 * A query for events in CometBFT's language: conditions joined by AND. A condition is a tag, one of `=`, `<`, `<=`,
 * `>`, `>=`, CONTAINS and EXISTS, and an operand: a quoted string, a number, or `TIME` or `DATE` with a time.
 */
export class EventQuery {
  readonly text: string
  readonly conditions: readonly QueryCondition[]
  readonly #tests: readonly Test[]

  /** @throws QUERY_INVALID with the offset of the first error */
  constructor(text: string) {
    if (Buffer.byteLength(text) > MAX_QUERY_BYTES) {
      throw new LockstepError(
        'QUERY_INVALID',
        `maximum query length exceeded: ${Buffer.byteLength(text)} bytes of at most ${MAX_QUERY_BYTES}`,
      )
    }
    const scanner = new QueryScanner(text)
    const conditions = [parseCondition(scanner)]
    for (let token = scanner.next(); token !== undefined; token = scanner.next()) {
      if (token.kind !== 'AND operator') {
        const { at, kind } = token
        throw new LockstepError('QUERY_INVALID', `offset ${at}: got ${kind}, wanted AND operator`)
      }
      conditions.push(parseCondition(scanner))
    }
    this.text = text
    this.conditions = conditions
    this.#tests = conditions.map((condition) => ({
      tag: condition.tag,
      accepts: predicate(condition),
    }))
  }

  /** Canonical form of the query: queries that differ only in spaces are the same subscription. */
  get key(): string {
    return this.conditions
      .map(({ tag, operator, operand }) => {
        const { kind, text } = operand ?? { kind: '', text: '' }
        return `${tag} ${operator} ${kind} '${text}'`
      })
      .join(' AND ')
  }

  /** Returns true if some value meets each condition. */
  matches(tags: EventTags): boolean {
    return this.#tests.every((test) => isMet(test, tags))
  }
}
