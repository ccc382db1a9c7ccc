import { LockstepError } from '../../../../base/error.ts'
import { quoteText } from '../format/safe-text.ts'
import type { LocalValue } from '../solc/local-value.ts'
import type { BinaryOperator, WatchExpression } from './watch-expression.ts'

/** A value of an expression. */
export interface WatchValue {
  /** Integers, addresses, enums and short bytes as numbers. */
  readonly data: bigint | boolean | string
  /** Safe to display. */
  readonly text: string
  /** Of a text in the expression itself: as written. */
  readonly raw?: string
}

/** What a name stands for, or a part of it. */
export type WatchPlace =
  | { readonly kind: 'value'; readonly value: WatchValue }
  /** A struct or an array in memory, or an object such as `msg`. */
  | {
      readonly kind: 'parts'
      readonly parts: ReadonlyMap<string, WatchPlace>
      readonly text: string
    }
  | { readonly kind: 'storage'; readonly storage: StoragePlace }

/** A variable in storage, or a part of one. */
export interface StoragePlace {
  /** @throws INVALID_ARGUMENT if there is no such member */
  member(name: string): WatchPlace
  /** @throws INVALID_ARGUMENT if it has no elements, or not this one */
  element(at: WatchValue): WatchPlace
  /** @throws INVALID_ARGUMENT if it has no value of its own, or nothing knows it */
  value(): WatchValue
}

/** The names that are known at a step. */
export interface WatchScope {
  name(name: string): WatchPlace | undefined
  /** Why it has no names of variables; undefined if it has. */
  readonly why: string | undefined
}

export function watchProblem(message: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message)
}

/** @throws INVALID_ARGUMENT naming what is unknown or does not fit */
export function evaluateWatch(expression: WatchExpression, scope: WatchScope): WatchValue {
  switch (expression.kind) {
    case 'literal':
      return literalValue(expression.value)
    case 'unary': {
      const { data } = evaluateWatch(expression.of, scope)
      return expression.operator === '!'
        ? plainValue(!booleanOf(data))
        : plainValue(-integerOf(data))
    }
    case 'binary':
      return evaluateBinary(expression, scope)
    default: {
      const place = placeOf(expression, scope)
      switch (place.kind) {
        case 'value':
          return place.value
        case 'storage':
          return place.storage.value()
        case 'parts':
          return { data: place.text, text: place.text }
      }
    }
  }
}

/** Returns true if a condition holds. @throws INVALID_ARGUMENT also if its value is no boolean */
export function holdsWatch(expression: WatchExpression, scope: WatchScope): boolean {
  return booleanOf(evaluateWatch(expression, scope).data)
}

function placeOf(expression: WatchExpression, scope: WatchScope): WatchPlace {
  switch (expression.kind) {
    case 'name': {
      const place = scope.name(expression.name)
      if (place !== undefined) return place
      const why = scope.why === undefined ? '' : `: ${scope.why}`
      throw watchProblem(`${expression.name} is not known here${why}`)
    }
    case 'member': {
      const of = placeOf(expression.of, scope)
      const part = of.kind === 'parts' ? of.parts.get(expression.name) : undefined
      if (part !== undefined) return part
      if (of.kind === 'storage') return of.storage.member(expression.name)
      throw watchProblem(`there is no member ${expression.name}`)
    }
    case 'index': {
      const of = placeOf(expression.of, scope)
      const at = evaluateWatch(expression.at, scope)
      if (of.kind === 'storage') return of.storage.element(at)
      const part = of.kind === 'parts' ? of.parts.get(`[${at.data}]`) : undefined
      if (part !== undefined) return part
      throw watchProblem(`there is no element ${at.text}`)
    }
    default:
      return { kind: 'value', value: evaluateWatch(expression, scope) }
  }
}

function evaluateBinary(
  { operator, left, right }: Extract<WatchExpression, { kind: 'binary' }>,
  scope: WatchScope,
): WatchValue {
  const one = evaluateWatch(left, scope).data
  // As in Solidity, the second operand is not evaluated if the first decides.
  if (operator === '&&' && !booleanOf(one)) return plainValue(false)
  if (operator === '||' && booleanOf(one)) return plainValue(true)
  const other = evaluateWatch(right, scope).data
  return plainValue(combined(operator, one, other))
}

type Data = WatchValue['data']

function combined(operator: BinaryOperator, one: Data, other: Data): bigint | boolean {
  switch (operator) {
    case '&&':
    case '||':
      return booleanOf(other)
    case '==':
      return isEqual(one, other)
    case '!=':
      return !isEqual(one, other)
    case '<':
      return integerOf(one) < integerOf(other)
    case '>':
      return integerOf(one) > integerOf(other)
    case '<=':
      return integerOf(one) <= integerOf(other)
    case '>=':
      return integerOf(one) >= integerOf(other)
    case '+':
      return integerOf(one) + integerOf(other)
    case '-':
      return integerOf(one) - integerOf(other)
    case '*':
      return integerOf(one) * integerOf(other)
    case '/':
      return integerOf(one) / divisorOf(other)
    case '%':
      return integerOf(one) % divisorOf(other)
  }
}

function isEqual(one: Data, other: Data): boolean {
  if (typeof one === typeof other) return one === other
  throw watchProblem(`a ${typeName(one)} is not compared with a ${typeName(other)}`)
}

function divisorOf(data: Data): bigint {
  const divisor = integerOf(data)
  if (divisor === 0n) throw watchProblem('a division by zero')
  return divisor
}

function integerOf(data: Data): bigint {
  if (typeof data === 'bigint') return data
  throw watchProblem(`want a number, got a ${typeName(data)}`)
}

function booleanOf(data: Data): boolean {
  if (typeof data === 'boolean') return data
  throw watchProblem(`want true or false, got a ${typeName(data)}`)
}

function typeName(data: Data): string {
  return typeof data === 'bigint' ? 'number' : typeof data === 'boolean' ? 'boolean' : 'text'
}

function plainValue(data: Data): WatchValue {
  return { data, text: `${data}` }
}

/** Texts are compared as they are displayed. */
function literalValue(data: Data): WatchValue {
  if (typeof data !== 'string') return plainValue(data)
  const text = quoteText(data)
  return { data: text, text, raw: data }
}

/** Reads a value as it is displayed: a number, `true`, bytes in hex or `Member (2)` of an enum. */
export function displayedValue(type: string, text: string): WatchValue {
  if (/^(string|bytes)\b/.test(type) && !/^bytes\d/.test(type)) return { data: text, text }
  if (text === 'true' || text === 'false') return { data: text === 'true', text }
  const number = /^(-?\d+|0x[0-9a-f]+)$/i.exec(text)?.[1] ?? /^\S+ \((\d+)\)$/.exec(text)?.[1]
  return { data: number === undefined ? text : BigInt(number), text }
}

/** Returns a local variable, with its parts. */
export function localPlace({ type, text, parts }: LocalValue): WatchPlace {
  const count = /^(\d+) elements$/.exec(text)?.[1]
  if (parts.length === 0 && count === undefined) {
    return { kind: 'value', value: displayedValue(type, text) }
  }
  const places = new Map(parts.map((part) => [part.name, localPlace(part)]))
  if (count !== undefined) {
    places.set('length', { kind: 'value', value: { data: BigInt(count), text: count } })
  }
  return { kind: 'parts', parts: places, text }
}
