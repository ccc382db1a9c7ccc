import { LockstepError } from '../../../../base/error.ts'

/** An expression in a subset of Solidity: names, members, indices, literals and operators. */
export type WatchExpression =
  | { readonly kind: 'literal'; readonly value: bigint | boolean | string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: WatchExpression; readonly name: string }
  | { readonly kind: 'index'; readonly of: WatchExpression; readonly at: WatchExpression }
  | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly of: WatchExpression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: WatchExpression
      readonly right: WatchExpression
    }

/** Binary operators by precedence, the loosest first. */
const LEVELS = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
] as const

export type BinaryOperator = (typeof LEVELS)[number][number]

const LONGEST = 300
const MAX_DEPTH = 32

const TOKEN =
  /\s*(?:(0x[0-9a-fA-F]+|\d[\d_]*)|([A-Za-z_$][\w$]*)|"((?:[^"\\]|\\["\\])*)"|(\|\||&&|[=!<>]=|[<>+\-*/%!()[\].]))/y

interface Token {
  readonly kind: 'number' | 'name' | 'string' | 'sign'
  readonly text: string
}

/** @throws INVALID_ARGUMENT naming the text and the place that cannot be read */
export function parseWatch(text: string): WatchExpression {
  return new WatchParser(text).parse()
}

class WatchParser {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text.trim()
    this.#tokens = this.#split()
  }

  parse(): WatchExpression {
    const expression = this.#binary(0, 0)
    if (this.#at < this.#tokens.length) throw this.#unexpected(shown(this.#tokens[this.#at]))
    return expression
  }

  #split(): readonly Token[] {
    if (this.#text.length > LONGEST) throw this.#invalid(`it has more than ${LONGEST} characters`)
    const tokens: Token[] = []
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < this.#text.length) {
      const from = TOKEN.lastIndex
      const match = TOKEN.exec(this.#text)
      if (match === null) throw this.#unexpected(`"${this.#text.slice(from, from + 20).trim()}"`)
      const [, number, name, string, sign] = match
      if (number !== undefined) tokens.push({ kind: 'number', text: number })
      else if (name !== undefined) tokens.push({ kind: 'name', text: name })
      else if (string !== undefined) tokens.push({ kind: 'string', text: string })
      else tokens.push({ kind: 'sign', text: sign as string })
    }
    return tokens
  }

  #binary(level: number, depth: number): WatchExpression {
    const operators: readonly BinaryOperator[] | undefined = LEVELS[level]
    if (operators === undefined) return this.#unary(depth)
    let left = this.#binary(level + 1, depth)
    for (;;) {
      const operator = operators.find((each) => this.#is(each))
      if (operator === undefined) return left
      this.#at++
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1, depth) }
    }
  }

  #unary(depth: number): WatchExpression {
    if (depth > MAX_DEPTH) throw this.#invalid(`it has more than ${MAX_DEPTH} levels`)
    for (const operator of ['!', '-'] as const) {
      if (!this.#is(operator)) continue
      this.#at++
      return { kind: 'unary', operator, of: this.#unary(depth + 1) }
    }
    let of = this.#primary(depth)
    for (;;) {
      if (this.#is('.')) {
        this.#at++
        const token = this.#tokens[this.#at++]
        if (token?.kind !== 'name') throw this.#unexpected(shown(token))
        of = { kind: 'member', of, name: token.text }
      } else if (this.#is('[')) {
        this.#at++
        const at = this.#binary(0, depth + 1)
        this.#expect(']')
        of = { kind: 'index', of, at }
      } else {
        return of
      }
    }
  }

  #primary(depth: number): WatchExpression {
    const token = this.#tokens[this.#at++]
    switch (token?.kind) {
      case 'number':
        return { kind: 'literal', value: BigInt(token.text.replaceAll('_', '')) }
      case 'string':
        return { kind: 'literal', value: token.text.replaceAll(/\\(.)/g, '$1') }
      case 'name':
        if (token.text === 'true' || token.text === 'false') {
          return { kind: 'literal', value: token.text === 'true' }
        }
        return { kind: 'name', name: token.text }
    }
    if (token?.text !== '(') throw this.#unexpected(shown(token))
    const inner = this.#binary(0, depth + 1)
    this.#expect(')')
    return inner
  }

  #is(sign: string): boolean {
    const token = this.#tokens[this.#at]
    return token?.kind === 'sign' && token.text === sign
  }

  #expect(sign: string): void {
    if (!this.#is(sign)) {
      throw this.#unexpected(`${shown(this.#tokens[this.#at])} in place of "${sign}"`)
    }
    this.#at++
  }

  #unexpected(what: string): LockstepError {
    return this.#invalid(`${what} is not expected`)
  }

  #invalid(why: string): LockstepError {
    return new LockstepError(
      'INVALID_ARGUMENT',
      `expression ${JSON.stringify(this.#text.slice(0, 80))}: ${why}`,
      { hint: 'write names, members, indices, numbers and operators, as balances[msg.sender] > 5' },
    )
  }
}

function shown(token: Token | undefined): string {
  return token === undefined ? 'the end' : `"${token.text}"`
}
