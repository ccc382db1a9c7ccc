/** A kind of breakpoint in the form. */
export interface BreakpointKind {
  /** As in a breakpoint's text. */
  readonly prefix: string
  readonly name: string
  readonly asks: string
  readonly example: string
}

export const BREAKPOINT_KINDS: readonly [BreakpointKind, ...BreakpointKind[]] = [
  { prefix: 'op', name: 'opcode', asks: 'Name of the opcode', example: 'SSTORE' },
  {
    prefix: 'pc',
    name: 'pc',
    asks: 'Program counter, and @address of the code for that code only',
    example: '26@0x…',
  },
  { prefix: 'line', name: 'line', asks: 'File and line', example: 'src/Token.sol:12' },
  {
    prefix: 'slot',
    name: 'slot written',
    asks: 'Slot, and @address for that account only',
    example: '0x0@0x…',
  },
  { prefix: 'call', name: 'call to', asks: 'Address', example: '0x…' },
  { prefix: 'gas', name: 'gas below', asks: 'Amount of gas', example: '5000' },
]

export function breakpointKind(prefix: string): BreakpointKind {
  return BREAKPOINT_KINDS.find((kind) => kind.prefix === prefix) ?? BREAKPOINT_KINDS[0]
}
