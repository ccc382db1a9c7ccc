import { LockstepError } from '../../../base/error.ts'

/** Kinds of tokens of the query language. */
export type TokenKind =
  | 'tag'
  | 'string'
  | 'number'
  | 'timestamp'
  | 'datestamp'
  | 'AND operator'
  | 'CONTAINS operator'
  | 'EXISTS operator'
  | '= operator'
  | '< operator'
  | '<= operator'
  | '> operator'
  | '>= operator'

export interface QueryToken {
  readonly kind: TokenKind
  /** Without quotes and without the word TIME or DATE. */
  readonly text: string
  readonly at: number
  /** Nanoseconds since 1970, for a timestamp or a datestamp. */
  readonly time?: bigint
}

const WORDS: ReadonlyMap<string, TokenKind> = new Map([
  ['AND', 'AND operator'],
  ['CONTAINS', 'CONTAINS operator'],
  ['EXISTS', 'EXISTS operator'],
])

// None of these backtracks, so that a scan takes linear time.
const SPACE = /\s*/y
const NUMBER = /\d+(?:\.\d*)?/y
const TAG = /[\p{L}\p{Nd}_][\p{L}\p{Nd}_.-]*/uy
const COMPARISON = /[<>]=?|=/y
const STRING = /'[^']*'/y
const TIME = /[-T:+Z\d]*/y
const DATE = /[-\d]*/y

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(\d{1,9}))?(?:Z|[+-]\d{2}:\d{2})$/
const DATESTAMP = /^\d{4}-\d{2}-\d{2}$/
const MIN_YEAR = 1900
const MAX_YEAR = 2999

function refuse(at: number, text: string): never {
  throw new LockstepError('QUERY_INVALID', `offset ${at}: ${text}`)
}

/** Returns the nanoseconds since 1970 of an RFC 3339 time; undefined if the text is not one. */
export function timeOf(text: string): bigint | undefined {
  const match = TIMESTAMP.exec(text)
  const date = match === null ? undefined : calendarTime(text.slice(0, 19), text.slice(19))
  return date === undefined ? undefined : date + BigInt((match?.[1] ?? '').padEnd(9, '0'))
}

/** Returns the nanoseconds since 1970 at the start of a day in UTC; undefined if the text is not a day. */
export function dateOf(text: string): bigint | undefined {
  return DATESTAMP.test(text) ? calendarTime(`${text}T00:00:00`, 'Z') : undefined
}

/** `Date.parse` reads 30 February as 1 March: compare with the time formatted again. */
function calendarTime(local: string, rest: string): bigint | undefined {
  const zone = rest.replace(/^\.\d+/, '')
  const milliseconds = Date.parse(`${local}Z`)
  const zoned = Date.parse(local + zone)
  if (Number.isNaN(milliseconds) || Number.isNaN(zoned)) return undefined
  if (new Date(milliseconds).toISOString().slice(0, 19) !== local) return undefined
  return BigInt(zoned) * 1_000_000n
}

/** Splits a query into tokens. */
export class QueryScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Offset of the next unread character. */
  get at(): number {
    return this.#at
  }

  /**
   * Returns the next token; undefined at the end.
   * @throws QUERY_INVALID
   */
  next(): QueryToken | undefined {
    this.#take(SPACE)
    const at = this.#at
    if (at >= this.#text.length) return undefined
    const number = this.#take(NUMBER)
    if (number !== undefined) return { kind: 'number', text: number, at }
    const tag = this.#take(TAG)
    if (tag !== undefined) return this.#word(tag, at)
    const string = this.#take(STRING)
    if (string !== undefined) return { kind: 'string', text: string.slice(1, -1), at }
    const comparison = this.#take(COMPARISON)
    if (comparison !== undefined) {
      return { kind: `${comparison} operator` as TokenKind, text: comparison, at }
    }
    const found = String.fromCodePoint(this.#text.codePointAt(at) as number)
    if (found === "'") return refuse(at, 'EOF before the closing quote')
    return refuse(at, `invalid input ${found}`)
  }

  #word(text: string, at: number): QueryToken {
    if ((text === 'TIME' || text === 'DATE') && this.#text[this.#at] === ' ') {
      this.#at++
      return text === 'TIME' ? this.#time(at) : this.#date(at)
    }
    return { kind: WORDS.get(text) ?? 'tag', text, at }
  }

  #time(at: number): QueryToken {
    const text = this.#take(TIME) ?? ''
    const time = timeOf(text)
    if (time === undefined) {
      return refuse(at, `invalid TIME value "${text}": write it as 2026-01-31T12:00:00Z`)
    }
    return { kind: 'timestamp', text, at, time: inRange(time, text, at) }
  }

  #date(at: number): QueryToken {
    const text = this.#take(DATE) ?? ''
    const time = dateOf(text)
    if (time === undefined) {
      return refuse(at, `invalid DATE value "${text}": write it as 2026-01-31`)
    }
    return { kind: 'datestamp', text, at, time: inRange(time, text, at) }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) return undefined
    this.#at += found.length
    return found
  }
}

function inRange(time: bigint, text: string, at: number): bigint {
  const year = Number(text.slice(0, 4))
  if (year < MIN_YEAR || year > MAX_YEAR) refuse(at, `year ${year} out of range`)
  return time
}
