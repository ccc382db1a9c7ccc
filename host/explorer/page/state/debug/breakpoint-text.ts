import { LockstepError } from '../../../../base/error.ts'
import type { Hex } from '../../../../base/hex.ts'
import { parseWatch } from '../../decode/watch/watch-expression.ts'
import { type Breakpoint, type Stop, shortSlot } from './breakpoint.ts'
import { fullWord } from './word.ts'

/**
 * Formats breakpoints as readable text for a URL: `op:SSTORE`, `pc:26@0x<code>`, `line:A.sol:12`,
 * `slot:0x0@0x<address>`, `call:0x<address>`, `gas:5000`; `-` precedes disabled ones, and a condition follows `?`.
 */
export function formatBreakpoints(breakpoints: readonly Breakpoint[]): string {
  return breakpoints
    .map(({ stop, when, isEnabled }) => {
      const condition = when === undefined ? '' : `?${encodeURIComponent(when)}`
      return `${isEnabled ? '' : '-'}${formatStop(stop)}${condition}`
    })
    .join(',')
}

function formatStop(stop: Stop): string {
  switch (stop.kind) {
    case 'opcode':
      return `op:${stop.name}`
    case 'pc':
      return `pc:${stop.pc}${behind(stop.code)}`
    case 'line':
      return `line:${escapePath(stop.path)}:${stop.line}`
    case 'slot':
      return `slot:${shortSlot(stop.slot)}${behind(stop.address)}`
    case 'call':
      return `call:${stop.to}`
    case 'gas':
      return `gas:${stop.below}`
  }
}

function behind(address: Hex | undefined): string {
  return address === undefined ? '' : `@${address}`
}

/** Slashes stay readable. */
function escapePath(path: string): string {
  return encodeURIComponent(path).replaceAll('%2F', '/')
}

/** @throws INVALID_ARGUMENT naming the malformed breakpoint, with examples */
export function parseBreakpoints(text: string): readonly Breakpoint[] {
  if (text === '') return []
  return text.split(',').map((part) => {
    const isEnabled = !part.startsWith('-')
    const [place = '', ...rest] = (isEnabled ? part : part.slice(1)).split('?')
    const condition = rest.length === 0 ? {} : { when: decodedCondition(rest.join('?')) }
    return { stop: parseStop(place), ...condition, isEnabled }
  })
}

/** @throws INVALID_ARGUMENT if it is not encoded for a URL, or no expression */
function decodedCondition(text: string): string {
  let when: string
  try {
    when = decodeURIComponent(text)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `no condition: ${JSON.stringify(text)}`, { cause })
  }
  parseWatch(when)
  return when
}

/** @throws INVALID_ARGUMENT naming the text, with examples */
export function parseStop(text: string): Stop {
  const stop = tryStop(text.trim())
  if (stop !== undefined) return stop
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `no breakpoint: ${JSON.stringify(text)}; write op:SSTORE, pc:26, line:Token.sol:12, slot:0x0, call:0x<address> or gas:5000`,
  )
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
const SLOT = /^0x[0-9a-f]{1,64}$/i
const NUMBER = /^(0x[0-9a-f]{1,12}|\d{1,15})$/i

function tryStop(text: string): Stop | undefined {
  const colon = text.indexOf(':')
  const value = text.slice(colon + 1)
  switch (text.slice(0, colon)) {
    case 'op':
      return /^[A-Z][A-Z0-9]*$/i.test(value)
        ? { kind: 'opcode', name: value.toUpperCase() }
        : undefined
    case 'pc': {
      const { of, address } = splitAddress(value)
      return NUMBER.test(of) && address !== false
        ? { kind: 'pc', pc: Number(of), code: address }
        : undefined
    }
    case 'line':
      return lineStop(value)
    case 'slot': {
      const { of, address } = splitAddress(value)
      return SLOT.test(of) && address !== false
        ? { kind: 'slot', slot: fullWord(BigInt(of)), address }
        : undefined
    }
    case 'call':
      return ADDRESS.test(value) ? { kind: 'call', to: lower(value) } : undefined
    case 'gas':
      return NUMBER.test(value) ? { kind: 'gas', below: Number(value) } : undefined
    default:
      return undefined
  }
}

/** `address` is false if the part after @ is not an address. */
function splitAddress(value: string): {
  readonly of: string
  readonly address: Hex | undefined | false
} {
  const at = value.indexOf('@')
  if (at === -1) return { of: value, address: undefined }
  const address = value.slice(at + 1)
  return { of: value.slice(0, at), address: ADDRESS.test(address) && lower(address) }
}

function lower(address: string): Hex {
  return address.toLowerCase() as Hex
}

function lineStop(value: string): Stop | undefined {
  const colon = value.lastIndexOf(':')
  const line = value.slice(colon + 1)
  if (colon < 1 || !/^[1-9]\d{0,8}$/.test(line)) return undefined
  try {
    return { kind: 'line', path: decodeURIComponent(value.slice(0, colon)), line: Number(line) }
  } catch {
    return undefined // A percent sign that escapes nothing
  }
}
