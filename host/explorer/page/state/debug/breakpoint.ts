import type { Hex } from '../../../../base/hex.ts'
import type { Condition } from '../../../browser/step/stepper.ts'

/** The event that a breakpoint stops at. */
export type Stop =
  | { readonly kind: 'opcode'; readonly name: string }
  /** In the code of any account where `code` is undefined. */
  | { readonly kind: 'pc'; readonly pc: number; readonly code: Hex | undefined }
  /** The line counts from 1. */
  | { readonly kind: 'line'; readonly path: string; readonly line: number }
  /** Of any account where `address` is undefined. */
  | { readonly kind: 'slot'; readonly slot: Hex; readonly address: Hex | undefined }
  | { readonly kind: 'call'; readonly to: Hex }
  | { readonly kind: 'gas'; readonly below: number }

export interface Breakpoint {
  readonly stop: Stop
  /** An expression that must hold there (`decode/watch`). */
  readonly when?: string
  readonly isEnabled: boolean
}

/** Returns the instructions of a source line. */
export type LinePlaces = (
  path: string,
  line: number,
) => readonly { readonly codeAddress: Hex; readonly pcs: readonly number[] }[]

/** A condition, and the index of its breakpoint. */
export interface BreakCondition {
  readonly condition: Condition
  readonly breakpoint: number
}

/** Returns the conditions for the enabled breakpoints: any number for each. */
export function breakConditions(
  breakpoints: readonly Breakpoint[],
  places: LinePlaces,
): readonly BreakCondition[] {
  return breakpoints.flatMap(({ stop, isEnabled }, breakpoint) =>
    isEnabled ? conditionsOf(stop, places).map((condition) => ({ condition, breakpoint })) : [],
  )
}

function conditionsOf(stop: Stop, places: LinePlaces): readonly Condition[] {
  switch (stop.kind) {
    case 'opcode':
      return [{ opcode: stop.name }]
    case 'pc':
      return [{ pc: stop.pc, ...(stop.code !== undefined && { codeAddress: stop.code }) }]
    case 'line':
      return places(stop.path, stop.line).map((place) => ({ places: place }))
    case 'slot': {
      const { slot, address } = stop
      return [{ slotWritten: { slot, ...(address !== undefined && { address }) } }]
    }
    case 'call':
      return [{ callTo: stop.to }]
    case 'gas':
      return [{ gasBelow: stop.below }]
  }
}

export function isSameStop(a: Stop, b: Stop): boolean {
  return JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())
}

/** Describes a breakpoint with its condition. */
export function describeBreakpoint({ stop, when }: Breakpoint): string {
  return when === undefined ? describeStop(stop) : `${describeStop(stop)} if ${when}`
}

/** Describes the event of a breakpoint in lists and announcements. */
export function describeStop(stop: Stop): string {
  switch (stop.kind) {
    case 'opcode':
      return stop.name
    case 'pc':
      return `pc ${stop.pc}${stop.code === undefined ? '' : ` of ${stop.code}`}`
    case 'line':
      return `${stop.path}:${stop.line}`
    case 'slot':
      return `slot ${shortSlot(stop.slot)} written${stop.address === undefined ? '' : ` in ${stop.address}`}`
    case 'call':
      return `call to ${stop.to}`
    case 'gas':
      return `gas below ${stop.below}`
  }
}

/** Formats a slot without leading zeros. */
export function shortSlot(slot: Hex): Hex {
  return `0x${BigInt(slot).toString(16)}`
}
