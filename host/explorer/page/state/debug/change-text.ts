import { LockstepError } from '../../../../base/error.ts'
import type { Hex } from '../../../../base/hex.ts'
import { lookup } from '../../../../base/lookup.ts'
import { BLOCK_FIELDS, type BlockField, type Change, formatBlockValue } from './change.ts'
import { fullWord } from './word.ts'

/**
 * Formats changes for a link: `data:0x<bytes>`, `value:<wei>`, `from:0x<address>`, `gas:<gas>`,
 * `slot:0x<address>:0x<slot>:0x<value>`, `balance:0x<address>:<wei>`, `code:0x<address>:0x<bytes>`,
 * `block:timestamp:<seconds>`, separated by commas.
 */
export function formatChanges(changes: readonly Change[]): string {
  return changes.map(formatChange).join(',')
}

function formatChange(change: Change): string {
  switch (change.kind) {
    case 'data':
      return `data:${change.data}`
    case 'value':
      return `value:${change.wei}`
    case 'from':
      return `from:${change.address}`
    case 'gas':
      return `gas:${change.gas}`
    case 'slot':
      return `slot:${change.address}:${shortWord(change.slot)}:${shortWord(change.value)}`
    case 'balance':
      return `balance:${change.address}:${change.wei}`
    case 'code':
      return `code:${change.address}:${change.code}`
    case 'block':
      return `block:${change.field}:${formatBlockValue(change.field, change.value)}`
  }
}

function shortWord(word: Hex): string {
  return `0x${BigInt(word).toString(16)}`
}

/** @throws INVALID_ARGUMENT naming the malformed part, the rule and an example */
export function parseChanges(text: string): readonly Change[] {
  return text === '' ? [] : text.split(',').map(parseChange)
}

/** @throws INVALID_ARGUMENT */
export function parseChange(text: string): Change {
  const [kind = '', ...parts] = text.split(':').map((part) => part.trim())
  const [first = '', second = '', third = ''] = parts
  const size = lookup(SIZES, kind)
  if (size === undefined) throw invalid('change', text, `one of ${Object.keys(SIZES).join(', ')}`)
  if (parts.length !== size) throw invalid('change', text, `${kind} and ${size} parts after it`)
  switch (kind) {
    case 'data':
      return { kind, data: parseBytes('call data', first) }
    case 'value':
      return { kind, wei: parseNumber('value', first, 256) }
    case 'from':
      return { kind, address: parseAddress('sender', first) }
    case 'gas':
      return { kind, gas: parseNumber('gas', first, 64) }
    case 'slot':
      return {
        kind,
        address: parseAddress('account', first),
        slot: fullWord(parseNumber('slot', second, 256)),
        value: fullWord(parseNumber('value of the slot', third, 256)),
      }
    case 'balance':
      return {
        kind,
        address: parseAddress('account', first),
        wei: parseNumber('balance', second, 256),
      }
    case 'code':
      return { kind, address: parseAddress('account', first), code: parseBytes('code', second) }
    default:
      return parseBlockChange(first, second)
  }
}

/** Parts after the name of a kind. */
const SIZES: Readonly<Record<string, number>> = {
  data: 1,
  value: 1,
  from: 1,
  gas: 1,
  slot: 3,
  balance: 2,
  code: 2,
  block: 2,
}

const BITS: Readonly<Record<BlockField, number>> = {
  number: 53,
  timestamp: 53,
  baseFee: 256,
  gasLimit: 64,
  coinbase: 160,
  prevRandao: 256,
  blobBaseFee: 256,
}

function parseBlockChange(name: string, value: string): Change {
  const field = BLOCK_FIELDS.find((each) => each === name)
  if (field === undefined) throw invalid('field of the block', name, BLOCK_FIELDS.join(', '))
  return { kind: 'block', field, value: parseNumber(`block.${field}`, value, BITS[field]) }
}

/** Decimal, or hex with 0x. */
function parseNumber(what: string, text: string, bits: number): bigint {
  const rule = `a number of at most ${bits} bits, decimal or 0x and hex digits`
  if (!/^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text)) throw invalid(what, text, rule)
  const value = BigInt(text)
  if (value >> BigInt(bits) !== 0n) throw invalid(what, text, rule)
  return value
}

function parseAddress(what: string, text: string): Hex {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) throw invalid(what, text, 'an address: 0x and 40 hex digits')
  return text.toLowerCase() as Hex
}

function parseBytes(what: string, text: string): Hex {
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) {
    throw invalid(what, text, '0x and an even number of hex digits')
  }
  return text.toLowerCase() as Hex
}

function invalid(what: string, text: string, rule: string): LockstepError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  return new LockstepError('INVALID_ARGUMENT', `${what}: want ${rule}, got ${shown}`)
}
