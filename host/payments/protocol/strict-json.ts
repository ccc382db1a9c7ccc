import { LockstepError } from '../../base/error.ts'

/** Maximum nesting; an x402 v2 proof has four levels. */
const MAX_DEPTH = 32

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** Finds the closing quote; JSON.parse validates the content. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const WHITE_SPACE = /[ \t\n\r]*/y

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Names that could pollute prototypes if a value is copied by assignment. */
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function refused(message: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message)
}

function unquoted(string: string): string {
  try {
    return JSON.parse(string)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', 'a string with a wrong character or escape', {
      cause,
    })
  }
}

/** Parses one text; `at` is the offset of the next character. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): unknown {
    const value = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw refused(`text after the JSON, at ${this.#at}`)
    return value
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #skip(): void {
    this.#match(WHITE_SPACE)
  }

  #takes(character: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw refused(`JSON of more than ${MAX_DEPTH} levels`)
    if (this.#takes('{')) return this.#object(depth)
    if (this.#takes('[')) return this.#array(depth)
    const string = this.#match(STRING)
    if (string !== undefined) return unquoted(string)
    const number = this.#match(NUMBER)
    if (number !== undefined) return Number(number)
    for (const [name, value] of LITERALS) {
      if (!this.#text.startsWith(name, this.#at)) continue
      this.#at += name.length
      return value
    }
    throw refused(`no JSON at ${this.#at}`)
  }

  #object(depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>()
    if (!this.#takes('}')) {
      do {
        this.#skip()
        const quoted = this.#match(STRING)
        if (quoted === undefined) throw refused(`no name of a member at ${this.#at}`)
        const name = unquoted(quoted)
        if (REFUSED_NAMES.has(name)) throw refused(`a member named ${name}`)
        if (members.has(name)) throw refused(`the member ${quoted} twice`)
        if (!this.#takes(':')) throw refused(`no colon at ${this.#at}`)
        members.set(name, this.#value(depth + 1))
      } while (this.#takes(','))
      if (!this.#takes('}')) throw refused(`an object that does not end at ${this.#at}`)
    }
    return Object.fromEntries(members)
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = []
    if (!this.#takes(']')) {
      do items.push(this.#value(depth + 1))
      while (this.#takes(','))
      if (!this.#takes(']')) throw refused(`an array that does not end at ${this.#at}`)
    }
    return items
  }
}

/**
 * Parses JSON (RFC 8259) and rejects duplicate member names. Two parsers could read different values from a
 * duplicate, so that the checked value is not the used one.
 * @throws INVALID_ARGUMENT
 */
export function parseStrictJson(text: string): unknown {
  return new Reader(text).read()
}
